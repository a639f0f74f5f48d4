// SPDX-License-Identifier: BSD-3-Clause
// The Python types behind the arrays of gamelan. They use Python's C interface, because every operator needs
// them. `ndarray` derives from numpy.ndarray: a small array is a NumPy array. `Array` is one on the
// engines: it holds a NumPy array `_a` and a base `_b`. `Base` is the handle of an array on the engines and
// frees it when it dies. `_a` is a proxy: NumPy's shape, dtype and strides over addresses whose memory must
// never be touched, so that NumPy itself does all slicing (docs/decisions/001, 025). All functions need the
// GIL.
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
struct Parts;

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
  std::uint64_t written;  // how many commands the session had recorded with the last that wrote it
  Parts* parts;           // see brought.hpp; null: none was used
  bool is_shared;         // other clients may write it: nothing that was fetched is kept
  bool is_element;        // picked from another array, whose `read_ahead` this is
};

/// The layout of a distributed array, and of an array with a class of its own (a matrix, a masked array) that
/// is an operand. `value` is the value of a 0-d array, valid while its base has `value_version`.
struct Array {
  PyObject_HEAD PyObject* a;  // numpy.ndarray: a proxy, or the array with a class of its own
  Base* b;                    // nullptr for an array with a class of its own
  PyObject* value;
  std::uint64_t value_version;
  PyObject* weak_references;
};

/// Registers the types, which array_types.cpp creates.
void set_array_types(PyTypeObject* base, PyTypeObject* array, PyTypeObject* local);
/// Sets the Python class of distributed arrays.
void set_array_class(PyTypeObject* type);
/// Sets the Python class of small arrays of the array-API standard: derived from that of small arrays, and as
/// much ours.
void set_standard_class(PyTypeObject* type);
/// New reference to an empty base; nullptr with an exception set.
PyObject* new_base();
/// Separates a base from the array that was made with it, because that array dies or becomes another one.
void disown(Array* array);

/// True for an array of ours, wherever its elements are.
bool is_array(PyObject* object);
/// True for an array on the engines.
bool is_distributed(PyObject* object);
/// True for a small array: a NumPy array whose class is gamelan's, or the array-API standard's of gamelan.
bool is_local(PyObject* object);
/// Of a distributed array (or an operand with a class of its own) only.
inline Array* as_array(PyObject* object) { return reinterpret_cast<Array*>(object); }
/// The NumPy array that stands for an array of ours: a small one itself, the proxy of a distributed one; any
/// other object as it is. Borrowed.
PyObject* numpys(PyObject* object);
/// The reference as the pointer type that NumPy's functions take.
inline PyArrayObject* as_numpy(const Ref& reference) {
  return reinterpret_cast<PyArrayObject*>(reference.get());
}
inline PyArrayObject* data_of(const Array* array) { return reinterpret_cast<PyArrayObject*>(array->a); }

/// True for a NumPy array of a class derived from numpy.ndarray: masked arrays, matrices, a user's own. False
/// for a memmap, which is plain data, and for our small arrays.
bool has_own_class(PyObject* value);
/// Gives a plain NumPy array, which the caller has just got and nobody else knows, the class of small arrays.
/// Any other object is returned as it is. Steals no reference.
Ref adopt(PyObject* value);
/// A small array over the memory of a NumPy array that others know. Any other object, and an array with a
/// class of its own, is returned as it is.
Ref share(PyObject* value);
/// What NumPy has just returned: a new array becomes a small one of ours. One that others hold, too (an
/// element of an array of objects), is returned as it is. `value` must have no reference but the caller's.
Ref adopt_result(PyObject* value);
/// The array at the end of the chain of NumPy's and our arrays of which this one is a view; borrowed.
PyObject* root_of(PyObject* array);
/// gamelan.ndarray; borrowed.
PyObject* local_class();
/// The small array as a plain NumPy array over the same memory.
Ref plain(PyObject* local);
/// A new object over a NumPy array: the proxy of a distributed array with its base; or, without a base, an
/// operand with a class of its own, which NumPy's functions treat as that class says.
Ref hold(PyObject* value, Base* base = nullptr);

}  // namespace gamelan::kernel
