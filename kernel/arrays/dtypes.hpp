// SPDX-License-Identifier: BSD-3-Clause
// Converts between NumPy's dtypes and the engines'.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include <optional>

#include "protocol/dtype.hpp"

namespace gamelan::kernel {

/// The engines' dtype of a NumPy dtype in native byte order; nullopt for anything else.
std::optional<protocol::Dtype> dtype_of(PyArray_Descr* descr);
/// NumPy's number of a dtype.
int type_number(protocol::Dtype dtype);
/// Raises TypeError, with the dtype's name, for a dtype that the engines do not hold.
[[noreturn]] void refuse_dtype(PyArray_Descr* descr);

}  // namespace gamelan::kernel
