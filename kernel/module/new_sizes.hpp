// SPDX-License-Identifier: BSD-3-Clause
// How many elements a function makes that makes an array of numbers alone: zeros(shape), arange(stop).
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gamelan::kernel {

/// Which arguments say it: the first, a shape; one or two extents; begin, end and step; the third, or `num`.
enum class NewSize : int { shape, extents, range, count };

/// The number of elements of a shape: a whole number, or a list or tuple of them; nothing for anything else.
std::optional<std::int64_t> elements_of_shape(PyObject* shape);

/// The number of elements; nothing for arguments that are no plain numbers of Python's and settings. The
/// arguments are those of a vectorcall.
std::optional<std::int64_t> elements_of_new(NewSize size, PyObject* const* arguments, std::size_t count,
                                            PyObject* keywords);

}  // namespace gamelan::kernel
