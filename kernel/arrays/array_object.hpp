// SPDX-License-Identifier: BSD-3-Clause
// The two Python types behind gamelan.ndarray. They use Python's C interface, because every operator needs
// them. `Array` holds a NumPy array `_a` and a base `_b`. `Base` is the handle of an array on the engines and
// frees it when it dies. The `_a` of a distributed array is a proxy: NumPy's shape, dtype and strides over
// addresses whose memory must never be touched, so that NumPy itself does all slicing (docs/decisions/001).
// All functions need the GIL.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp comes first: Python.h must precede the standard headers)
#include <cstdint>
#include <memory>

#include "kernel/recorder/python_object.hpp"
#include "protocol/message.hpp"

namespace gamelan::kernel {

class Session;
struct ReadAhead;

struct Array;

/// An array on the engines. `version` counts the commands that write it, so that a fetched value can be kept
/// until the next one.
struct Base {
  PyObject_HEAD std::shared_ptr<Session>* session;
  protocol::ArrayId id;
  std::uint64_t version;
  std::int64_t bytes;
  bool may_hold_any_bytes;  // something else than bools was written: as a bool a byte may be neither 0 nor 1
                            // (bool_bytes.hpp)
  bool is_recorded;         // the command that creates it: without one the engines never heard of it
  Array* owner;  // borrowed: the array that was made with it, which views name as their base; null once that
                 // is gone
  PyObject* index_range;  // what gamelan._folds knows of its numbers, for use as an index; null: nothing
  std::shared_ptr<ReadAhead>* read_ahead;  // see elements.hpp; null: no element of it was picked
  bool is_element;                         // picked from another array, whose `read_ahead` this is
};

/// The layout of gamelan.ndarray. Of a distributed array, `value` is the value of a 0-d array, valid while
/// its base has `value_version`. Of a local view, `value` is the array that it was taken of, if that is
/// known.
struct Array {
  PyObject_HEAD PyObject* a;  // numpy.ndarray: data, or a proxy
  Base* b;                    // nullptr for a local array
  PyObject* value;
  std::uint64_t value_version;
  PyObject* weak_references;
};

/// Registers the two types, which array_types.cpp creates.
void set_array_types(PyTypeObject* base, PyTypeObject* array);
/// Sets the Python class of all results.
void set_array_class(PyTypeObject* type);
/// New reference to an empty base; nullptr with an exception set.
PyObject* new_base();
/// Separates a base from the array that was made with it, because that array dies or becomes another one.
void disown(Array* array);

bool is_array(PyObject* object);
inline Array* as_array(PyObject* object) { return reinterpret_cast<Array*>(object); }
/// The reference as the pointer type that NumPy's functions take.
inline PyArrayObject* as_numpy(const Ref& reference) {
  return reinterpret_cast<PyArrayObject*>(reference.get());
}
inline PyArrayObject* data_of(const Array* array) { return reinterpret_cast<PyArrayObject*>(array->a); }

/// True for a NumPy array of a class derived from numpy.ndarray: masked arrays, matrices, a user's own. False
/// for a memmap, which is plain data.
bool has_own_class(PyObject* value);
/// Returns a new gamelan.ndarray over a NumPy array. Any other object, and an array with a class of its own
/// (has_own_class), is returned as it is. Steals no reference.
Ref wrap(PyObject* value, Base* base = nullptr);
/// Returns a new gamelan.ndarray over a NumPy array of any class: an operand that NumPy's functions treat as
/// its class says.
Ref hold(PyObject* value, Base* base = nullptr);

}  // namespace gamelan::kernel
