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
#include <optional>
#include <stdexcept>

#include "protocol/view.hpp"

namespace gamelan::kernel {

class Session;
struct ReadAhead;

/// Thrown when a Python exception is set; caught at the boundary (pybind11's error_already_set is costlier).
struct PythonError : std::exception {};

/// Owns one reference.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* stolen) : object_(stolen) {}
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = object_;
    object_ = other.release();
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  /// Takes a new reference from the interpreter; throws PythonError when it is null.
  static Ref checked(PyObject* stolen) {
    if (stolen == nullptr) throw PythonError();
    return Ref(stolen);
  }
  static Ref borrow(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  PyObject* get() const { return object_; }
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(object_); }
  PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

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
  PyObject* index_range;  // what gamelan._bounds knows of its numbers, for use as an index; null: nothing
  std::shared_ptr<ReadAhead>* read_ahead;  // see elements.hpp; null: no element of it was picked
  bool is_element;                         // picked from another array, whose `read_ahead` this is
};

/// gamelan.ndarray's layout. `value` caches what a 0-d array was when its base had `value_version`.
struct Array {
  PyObject_HEAD PyObject* a;  // numpy.ndarray: data, or a proxy
  Base* b;                    // nullptr for a local array
  PyObject* value;
  std::uint64_t value_version;
  PyObject* weak_references;
};

/// Creates the types and adds them to `module`; reserves the addresses of the proxies. Throws PythonError.
void add_types(PyObject* module);
/// Forgets that the array was made with its base: it dies, or becomes another one.
void disown(Array* array);
/// The Python class that results are instances of.
void set_array_class(PyTypeObject* type);
/// Set by gamelan._index._subscripts: a[key] and a[key] = value where an array is distributed.
void set_index_hooks(PyObject* get, PyObject* set);
/// Set by gamelan._array_elements: a NumPy array with the elements of a distributed one, if
/// config.gather_limit allows it.
void set_gather_hook(PyObject* gather);

bool is_array(PyObject* object);
inline Array* as_array(PyObject* object) { return reinterpret_cast<Array*>(object); }
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
/// A new array of that shape on the engines of `session`: base and proxy; the caller records what creates it.
Ref new_distributed(const std::shared_ptr<Session>& session, protocol::Dtype dtype, int dims,
                    const npy_intp* extents);
/// A view of `array` with another shape of the same size; null when only a copy has that shape.
Ref reshape_view(Array* array, int dims, const npy_intp* extents);
/// What the proxy of a distributed array names.
protocol::View view_of(const Array* array);

/// The Gamelan dtype of a NumPy dtype in native byte order; nullopt for anything else.
std::optional<protocol::Dtype> dtype_of(PyArray_Descr* descr);
int type_number(protocol::Dtype dtype);

}  // namespace gamelan::kernel
