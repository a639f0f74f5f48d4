// SPDX-License-Identifier: BSD-3-Clause
// Which steps can run over some rows at a time. For chain_rows.cpp.
#pragma once
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// The layout of the step's iterations, of which the first axis alone is cut, when it can run over some of
/// its rows and nobody else's; nullptr otherwise.
const Layout* rows_of(const Plan& plan, const Step& step);
/// True when the first axes are cut in the same places, among the same ranks.
bool have_same_rows(const Layout& left, const Layout& right);
bool is_whole(const distribution::AxisLayout& axis);
/// The elements that a pass goes through; 0 for a step that takes results only.
std::int64_t elements_of(const Step& step);
/// True for a step that makes an array of at most so many bytes of numbers alone (an operand that the
/// notebook sends): it can run earlier than the steps before it.
bool is_small_and_of_numbers(const Plan& plan, const Step& step, std::int64_t most_bytes);

}  // namespace gamelan::engine::plan
