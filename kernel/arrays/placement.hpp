// SPDX-License-Identifier: BSD-3-Clause
// Where an operation is computed: here, by NumPy, when operands and result are small, else on the engines.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <cstdint>
#include <span>

namespace gamelan::kernel {

/// True when a quick look shows that no operand is on the engines and no result would be: then NumPy
/// computes.
bool is_plainly_local(std::span<PyObject* const> inputs);
/// True when no operand and no result is large, wherever the operands are.
bool would_be_local(std::span<PyObject* const> inputs);
/// True when neither of two arrays, wherever they are, nor their product of matrices or vectors is large.
bool is_small_product(PyObject* left, PyObject* right);
/// True for an array or a scalar of a dtype that the engines do not hold: texts, dates, records, objects,
/// long doubles.
bool is_beyond_engines(PyObject* input);
/// Sets the number of elements from which a result lives on the engines.
void set_threshold(std::int64_t elements);
std::int64_t threshold();
/// How many operations NumPy has computed here, for np.stats().
std::uint64_t host_ops();
void count_host_op();

}  // namespace gamelan::kernel
