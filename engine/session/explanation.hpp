// SPDX-License-Identifier: BSD-3-Clause
// What np.explain and the layouts of arrays are made of: a plan as text, and where the arrays that are asked
// for lie. The kernel reads it as JSON.
#pragma once
#include <string>

#include "engine/session/array_table.hpp"

namespace gamelan::engine {

/// The plan of a batch, and a layout for each view that it fetches.
std::string describe(const protocol::Batch& batch, const plan::Plan& plan, const ArrayTable& arrays);

}  // namespace gamelan::engine
