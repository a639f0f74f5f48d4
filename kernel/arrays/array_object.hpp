// SPDX-License-Identifier: BSD-3-Clause
// The two Python types behind gamelan.ndarray, written against the C interface because every operator touches
// them: `Array` holds a NumPy array `_a` and a base `_b`; `Base` names an array on the engines and frees it
// when it dies. A distributed array's `_a` is a proxy: NumPy's shape, dtype and strides over addresses that
// nobody may touch, so that NumPy itself does all slicing (docs/decisions/001). All functions need the GIL.
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

/// An array on the engines. `version` counts the commands that write it, so that a fetched value can be kept.
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

/// gamelan.ndarray's layout. Of a distributed array `value` caches what it was, without axes, when its base
/// had `value_version`; of a local one it is the array that it is a view of, if that is known.
struct Array {
  PyObject_HEAD PyObject* a;  // numpy.ndarray: data, or a proxy
  Base* b;                    // nullptr for a local array
  PyObject* value;
  std::uint64_t value_version;
  PyObject* weak_references;
};

/// The two types, of which array_types.cpp makes Python types.
void set_array_types(PyTypeObject* base, PyTypeObject* array);
/// The Python class that results are instances of.
void set_array_class(PyTypeObject* type);
/// New reference to an empty base; null with an exception set.
PyObject* new_base();
/// Forgets that the array was made with its base: it dies, or becomes another one.
void disown(Array* array);

bool is_array(PyObject* object);
inline Array* as_array(PyObject* object) { return reinterpret_cast<Array*>(object); }
/// A reference to a NumPy array as NumPy's functions take it.
inline PyArrayObject* as_numpy(const Ref& reference) {
  return reinterpret_cast<PyArrayObject*>(reference.get());
}
inline PyArrayObject* data_of(const Array* array) { return reinterpret_cast<PyArrayObject*>(array->a); }

/// True for a NumPy array of a class derived from numpy.ndarray: masked arrays, matrices, a user's own. A
/// memmap is plain data.
bool has_own_class(PyObject* value);
/// Wraps a NumPy array (a new gamelan.ndarray over it); any other object, and an array of a class of its own,
/// is returned as it is. Steals nothing.
Ref wrap(PyObject* value, Base* base = nullptr);
/// A new gamelan.ndarray over a NumPy array of any class: an operand that NumPy's functions treat as its
/// class says.
Ref hold(PyObject* value, Base* base = nullptr);

}  // namespace gamelan::kernel
