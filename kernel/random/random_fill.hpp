// SPDX-License-Identifier: BSD-3-Clause
// The engines' random numbers, drawn in this process for small arrays. The same key and offset give the same
// bits as the ops random_uniform, random_normal and random_integers, so a number does not depend on where its
// array lives.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <span>

#include "protocol/ops.hpp"

namespace gamelan::kernel {

/// Fills a C-contiguous NumPy array; element i is draw `offset + i`. a and b: the op's scalar parameters (for
/// random_integers integers: int64, or uint64 bit patterns for unsigned arrays).
void random_fill(PyArrayObject* array, protocol::Op op, std::uint64_t key, std::uint64_t offset, PyObject* a,
                 PyObject* b);

/// Fills a C-contiguous float64 array with numbers of a distribution, as op `draw` does. Parameters are
/// float64 arrays of one element, or contiguous and with as many elements as `array`.
void draw_fill(PyArrayObject* array, int distribution, std::uint64_t key, std::uint64_t offset,
               std::span<PyArrayObject* const> parameters);

}  // namespace gamelan::kernel
