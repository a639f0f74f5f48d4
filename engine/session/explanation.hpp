// SPDX-License-Identifier: BSD-3-Clause
// What np.explain shows: a plan as text, and the layouts of the arrays that are asked for. The kernel reads
// it as JSON.
#pragma once
#include <string>

#include "engine/session/admission.hpp"
#include "engine/session/array_table.hpp"

namespace gamelan::engine {

/// JSON text: the plan of the batch, what it needs, and a layout for each view that the batch fetches. The
/// first `made` commands are not the client's: it counts without them.
std::string describe(const protocol::Batch& batch, std::size_t made, const plan::Plan& plan,
                     const MemoryForecast& memory, const ArrayTable& arrays);

}  // namespace gamelan::engine
