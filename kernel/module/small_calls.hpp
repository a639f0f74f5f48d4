// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions with small arrays only go to NumPy's function at once: the Python function that decides
// where an array lives would cost ten times a call on ten elements. Which functions may, and how large their
// results get, is said in gamelan._small._small_calls.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include <cstddef>

#include "kernel/recorder/call_type.hpp"

namespace gamelan::kernel {

// `items`: as large as the first argument, or all arrays in it where it is a list or tuple; only a dtype may
// come with it. `times`: as large as the first argument times the numbers in the second. `made`: as the
// numbers among the arguments say (new_sizes.hpp).
enum class Growth : int { largest, sum, product, matrices, broadcast, items, times, made };

/// Calls NumPy's function if all arguments are small arrays, numbers, or plain settings, and so is the
/// result. Returns a new reference; null without an exception when it is not for NumPy, null with one when
/// NumPy raised. The last arguments are those of a vectorcall.
PyObject* call_with_small(const SmallRule& rule, PyObject* const* arguments, std::size_t flagged_count,
                          PyObject* keywords) noexcept;

}  // namespace gamelan::kernel
