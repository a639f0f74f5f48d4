// SPDX-License-Identifier: BSD-3-Clause
// What np.arrays() shows, as JSON: who holds how many bytes, the largest arrays with the lines that made
// them, and what is published.
#pragma once
#include <string>

#include "engine/session/array_table.hpp"
#include "engine/session/elided_copies.hpp"
#include "engine/session/holders.hpp"

namespace gamelan::engine {

/// JSON text, for `asking`, whose marks are in it: when an array was written is told in the same numbers.
/// Bytes are those of the elements, on all ranks together; an array that is lost, or not stored because it
/// equals a view of another, has none.
std::string describe(const Holders& holders, const ArrayTable& arrays, const ElidedCopies& elided,
                     Holders::Holder asking);

}  // namespace gamelan::engine
