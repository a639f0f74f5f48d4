// SPDX-License-Identifier: BSD-3-Clause
// Small parts of large arrays that a program uses again and again (columns of a table, a vector of means) are
// brought here: from the third use on NumPy computes with a copy. A use on the engines costs the way there
// and back sooner or later, a copy costs it once (docs/decisions/033). Of a loop over parts, those that will
// follow come together (sweep.hpp). Nothing is brought while engines compute, or while much is recorded,
// because it would have to be waited for.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <optional>
#include <span>
#include <vector>

namespace gamelan::kernel {

struct Parts;  // of one array on the engines

/// To be called for operations that write none of their operands and give no view of them. When every
/// distributed operand is small and one of them is in frequent use: the operands, with a read-only NumPy
/// array in the place of each distributed one; those that are not here yet are fetched, in one round trip.
/// Else nothing. Counts a use of each. Does nothing within functions of the package, which may rely on where
/// their arrays are: that is in more than `depth` calls (call_number.hpp). The caller makes sure that the
/// result is small, too. Throws PythonError, as a fetch does.
std::optional<std::vector<Ref>> brought(std::span<PyObject* const> operands, int depth = 0);

/// Forgets what is kept of an array that dies.
void forget(Parts* parts) noexcept;

}  // namespace gamelan::kernel
