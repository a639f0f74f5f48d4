// SPDX-License-Identifier: BSD-3-Clause
// What may stand in an expression: an array on the engines, an array here, or one number. Classifies Python
// objects, says which class of values a number belongs to (NumPy 1.x promotes by value), and turns numbers
// into the scalars of commands.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include "protocol/message.hpp"

namespace gamelan::kernel {

struct Operand {
  enum class Kind : std::uint8_t { distributed, local, number, foreign };
  Kind kind = Kind::foreign;
  Ref object;  // distributed: gamelan.ndarray; local: numpy.ndarray of dims > 0; number: Python or 0-d NumPy
  protocol::Dtype dtype{};
  int value_class = 0;  // of a number: numbers of one class promote alike

  const Array* array() const { return as_array(object.get()); }
  PyArrayObject* shape_source() const {
    return kind == Kind::distributed ? data_of(array()) : kind == Kind::local ? as_numpy(object) : nullptr;
  }
  int dims() const { return shape_source() == nullptr ? 0 : PyArray_NDIM(shape_source()); }
};

/// Classifies an object; lists and other sequences become NumPy arrays. `foreign` when another library's
/// operator is to be tried. Throws PythonError (TypeError for a dtype the engines do not know).
Operand classify(PyObject* object);
/// What the class of an object says about ufuncs it is an operand of (NEP 13): nothing, that it is no operand
/// of any
/// (`__array_ufunc__ = None`), or that it decides what they do.
enum class Override : std::uint8_t { none, refuses, decides };
Override override_of(PyObject* object);
/// A number read from a 0-d array on the engines (waits for it).
Operand fetched(const Operand& operand);

/// The number cast to `dtype` as NumPy casts when it must (wrapping, truncating).
protocol::Scalar to_scalar(PyObject* number, protocol::Dtype dtype);
/// True for a number below zero (bool and NaN are not).
bool is_negative(PyObject* number);

/// Of gamelan._local: turns any object into a NumPy array or a gamelan.ndarray, or returns NotImplemented.
extern Hook coerce_hook;

}  // namespace gamelan::kernel
