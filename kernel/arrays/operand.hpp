// SPDX-License-Identifier: BSD-3-Clause
// The operands of an expression: arrays on the engines, arrays in this process, and single numbers. This file
// classifies Python objects, finds the value class of a number (NumPy 1.x promotes by value; NumPy 2 by
// dtype, except that numbers of Python are weak), and turns numbers into the scalars of commands.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// An operand of an operation, classified. Holds a reference to its object.
struct Operand {
  enum class Kind : std::uint8_t { distributed, local, number, foreign };
  Kind kind = Kind::foreign;
  Ref object;  // distributed: Array; local: numpy.ndarray (small arrays of ours, too) of dims > 0; number:
               // Python or 0-d NumPy
  protocol::Dtype dtype{};
  int value_class = 0;  // of a number: numbers of one class promote alike

  const Array* array() const { return as_array(object.get()); }
  PyArrayObject* shape_source() const {
    return kind == Kind::distributed ? data_of(array()) : kind == Kind::local ? as_numpy(object) : nullptr;
  }
  int dims() const { return shape_source() == nullptr ? 0 : PyArray_NDIM(shape_source()); }
};

/// Classifies an object; lists and other sequences become NumPy arrays. The result is `foreign` when another
/// library's operator must be tried. Throws PythonError (TypeError for a dtype that the engines do not hold).
Operand classify(PyObject* object);
/// What the class of an object says about ufuncs (NEP 13): nothing; that it is never an operand of one
/// (`__array_ufunc__ = None`); or that it computes them itself.
enum class Override : std::uint8_t { none, refuses, decides };
Override override_of(PyObject* object);
/// A number operand, read from a 0-d array on the engines. Waits for it.
Operand fetched(const Operand& operand);

/// The number cast to `dtype`, as NumPy's unsafe cast does it (wrapping, truncating).
protocol::Scalar to_scalar(PyObject* number, protocol::Dtype dtype);
/// The number of an operand that is compared with integers as a float64: an integer of Python that no machine
/// integer of 64 bits holds is an infinity there, so that the comparison is exact.
Ref beside_integers(const Operand& operand);
/// Says whether the imported NumPy treats numbers of Python as weak (gamelan._imported_numpy).
void set_numbers_are_weak(bool value);
bool are_numbers_weak();
/// True for a number below zero (bool and NaN are not).
bool is_negative(PyObject* number);

/// A function of gamelan._creation._coercion: turns any object into a NumPy array or a gamelan.ndarray, or
/// returns NotImplemented.
extern Hook coerce_hook;

}  // namespace gamelan::kernel
