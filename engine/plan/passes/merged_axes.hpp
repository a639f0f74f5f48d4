// SPDX-License-Identifier: BSD-3-Clause
// Views that are no box of their base as it is stored, but are one when neighbouring axes are taken for one:
// the flat form of an array that is cut by rows, say. Its blocks are the same memory either way, so steps
// whose elements go where data say read and write it in place. Pure; used by canonical.cpp and
// lower_irregular.cpp.
#pragma once
#include <optional>

#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// How `view` lies: under the layout of its base, or under the same blocks with some neighbouring axes
/// merged. Nothing when it is a box of neither, or the base has no layout yet.
std::optional<distribution::Placement> place_merged(const View& view, const ArrayInfo& base);

}  // namespace gamelan::engine::plan
