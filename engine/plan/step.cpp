// SPDX-License-Identifier: BSD-3-Clause
// What every source that has a Step would otherwise make again of its variant.
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

Step::Step() = default;
Step::Step(const Step&) = default;
Step::Step(Step&&) noexcept = default;
Step& Step::operator=(const Step&) = default;
Step& Step::operator=(Step&&) noexcept = default;
Step::~Step() = default;

}  // namespace gamelan::engine::plan
