// SPDX-License-Identifier: BSD-3-Clause
// Python's slots for the operators of small arrays, filled with the operators themselves. Those that Python
// makes for a method written in Python look it up by its name in every call.
#pragma once
#include "kernel/arrays/numpy_api.hpp"

namespace gamelan::kernel {

/// Fills the slots of the class of small arrays with its operators (operators.hpp), once it has all of them.
/// Who assigns another operator to the class later gets Python's own slot again; derived classes have those
/// anyway. Throws PythonError.
void fill_operator_slots();

}  // namespace gamelan::kernel
