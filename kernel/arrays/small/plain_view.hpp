// SPDX-License-Identifier: BSD-3-Clause
// What NumPy gets for a small array of ours while it computes: a plain NumPy array over the same memory,
// because of a derived class it would ask several times what to do. To make an array takes as long as to add
// ten numbers, so the objects are kept and used again.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace gamelan::kernel {

/// The small array as a plain NumPy array (as `plain` makes it), for one call of NumPy's. Whoever keeps a
/// reference to it beyond the call has an array as any other: then the object is not used again. Needs the
/// GIL.
class PlainView {
 public:
  PlainView() = default;
  /// Throws PythonError. The small array must outlive this object.
  explicit PlainView(PyObject* local);
  PlainView(PlainView&& other) noexcept : view_(other.view_) { other.view_ = nullptr; }
  PlainView& operator=(PlainView&& other) noexcept {
    PyObject* const mine = view_;
    view_ = other.view_;
    other.view_ = mine;
    return *this;
  }
  ~PlainView() {
    if (view_ != nullptr) give_back(view_);
  }
  /// Borrowed; null for an object that was made without an array.
  PyObject* get() const { return view_; }
  explicit operator bool() const { return view_ != nullptr; }

 private:
  static void give_back(PyObject* view) noexcept;

  PyObject* view_ = nullptr;
};

/// An object as NumPy's functions get it: a small array as its plain view, an array with a class of its own
/// as that array, any other object as it is.
class NumpysArgument {
 public:
  NumpysArgument() = default;
  explicit NumpysArgument(PyObject* object) {
    if (is_local(object))
      view_ = PlainView(object);
    else
      object_ = numpys(object);
  }
  /// Borrowed.
  PyObject* get() const { return view_ ? view_.get() : object_; }

 private:
  PlainView view_;
  PyObject* object_ = nullptr;
};

/// The arguments of one call of NumPy's.
class NumpysArguments {
 public:
  explicit NumpysArguments(std::span<PyObject* const> objects) {
    if (objects.size() > few_.size()) {
      more_.resize(objects.size());
      more_objects_.resize(objects.size());
    }
    NumpysArgument* const arguments = more_.empty() ? few_.data() : more_.data();
    objects_ = more_.empty() ? few_objects_.data() : more_objects_.data();
    for (std::size_t place = 0; place < objects.size(); ++place) {
      arguments[place] = NumpysArgument(objects[place]);
      objects_[place] = arguments[place].get();
    }
  }
  NumpysArguments(const NumpysArguments&) = delete;
  NumpysArguments& operator=(const NumpysArguments&) = delete;
  /// Borrowed.
  PyObject* const* data() const { return objects_; }

 private:
  static constexpr std::size_t usual = 6;
  std::array<NumpysArgument, usual> few_;
  std::array<PyObject*, usual> few_objects_;
  std::vector<NumpysArgument> more_;
  std::vector<PyObject*> more_objects_;
  PyObject** objects_;
};

}  // namespace gamelan::kernel
