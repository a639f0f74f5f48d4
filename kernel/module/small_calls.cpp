// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/module/small_calls.hpp"
// (numpy_api.hpp first)
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/brought.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/guarded.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/small/plain_view.hpp"
#include "kernel/module/new_sizes.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {
namespace {

constexpr Py_ssize_t most_items = 64;  // of a sequence: a longer one of numbers may be data
constexpr int most_levels = 3;         // of sequences within sequences
constexpr std::size_t most_arguments = 10;

// An array whose class is ours itself: one derived from it may have functions of its own.
bool is_ours(PyObject* object) { return Py_TYPE(object) == reinterpret_cast<PyTypeObject*>(local_class()); }

bool is_sequence(PyObject* object) {
  return PyTuple_CheckExact(object) != 0 || PyList_CheckExact(object) != 0;
}

// Arguments of one call: may NumPy have them?
class Arguments {
 public:
  Arguments(const SmallRule& rule, PyObject* const* arguments, std::size_t count, PyObject* keywords)
      : growth_(static_cast<Growth>(rule.growth)), positional_(count) {
    // What comes after the operands may be an output.
    const std::size_t readable =
        rule.gives_views != 0 ? 0 : std::min(count, static_cast<std::size_t>(rule.operands));
    const std::size_t named = keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
    given_ = {arguments, count + named};
    if (given_.size() > most_arguments) {
      fits_ = false;
      return;
    }
    if (growth_ == Growth::made) {
      const auto made = elements_of_new(static_cast<NewSize>(rule.operands), arguments, count, keywords);
      fits_ = made.has_value();
      elements_ = made.value_or(0);
      return;
    }
    if (growth_ == Growth::broadcast) fits_ = would_be_local({arguments, count});
    if (growth_ == Growth::items)
      fits_ = count == 1 && (is_sequence(arguments[0]) || is_ours(arguments[0])) && is_only_dtype(keywords);
    if (growth_ == Growth::matrices) fits_ = count == 2 && is_small_product(arguments[0], arguments[1]);
    for (std::size_t place = 0; place < given_.size() && fits_; ++place) {
      fits_ = place < readable && is_distributed(given_[place]) ? counts_distributed(given_[place])
                                                                : is_simple(given_[place], 0);
      if (place >= count) fits_ &= is_plain_setting(PyTuple_GET_ITEM(keywords, place - count), given_[place]);
    }
    if (growth_ == Growth::items && named > 0 && is_sequence(arguments[0]))
      fits_ &= !has_ours_;  // as objects they would stay what they are
    if (growth_ == Growth::times) {
      const auto times = count > 1 ? elements_of_shape(arguments[1]) : std::nullopt;
      fits_ = fits_ && times && !__builtin_mul_overflow(elements_, *times, &elements_);
    }
  }

  bool fit() const {
    const bool may_be_numbers = growth_ == Growth::items || growth_ == Growth::made;
    return fits_ && (has_ours_ || may_be_numbers) && elements_ < threshold();
  }
  std::int64_t elements() const { return elements_; }

  // The arguments with plain arrays in the place of ours; null when one is on the engines and stays there.
  PyObject* const* plain_ones() {
    if (has_distributed_ && !(here_ = brought(given_))) return nullptr;
    for (std::size_t place = 0; place < given_.size(); ++place) {
      PyObject* const object = here_ ? (*here_)[place].get() : given_[place];
      if (is_ours(object)) {
        views_[place] = PlainView(object);
        plain_[place] = views_[place].get();
      } else if (has_ours_ && is_sequence(object)) {
        sequences_[place] = plain_of(object);
        plain_[place] = sequences_[place].get();
      } else {
        plain_[place] = object;
      }
    }
    return plain_.data();
  }

  // What the caller gets where NumPy returns what it was given: an output itself; null when it is something
  // else.
  Ref given_as(PyObject* result) const {
    const auto* const end = plain_.begin() + given_.size();
    const auto* const found = std::find(plain_.begin(), end, result);
    if (found == end) return {};
    const auto place = static_cast<std::size_t>(found - plain_.begin());
    return place < positional_ ? share(given_[place]) : Ref::borrow(given_[place]);
  }

 private:
  bool is_simple(PyObject* object, int level) {
    if (is_ours(object) || PyArray_CheckExact(object)) {
      has_ours_ |= is_ours(object);
      return counts(PyArray_SIZE(reinterpret_cast<PyArrayObject*>(object)));
    }
    if (is_sequence(object)) {
      const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
      if (size > most_items || level == most_levels) return false;
      PyObject* const* const items = PySequence_Fast_ITEMS(object);
      return std::all_of(items, items + size, [&](PyObject* item) { return is_simple(item, level + 1); });
    }
    return object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) ||
           PyFloat_CheckExact(object) || PyComplex_CheckExact(object) || PyUnicode_CheckExact(object) ||
           PyArray_IsScalar(object, Generic) || PyArray_DescrCheck(object) || PyType_Check(object);
  }

  static bool is_only_dtype(PyObject* keywords) {
    return keywords == nullptr ||
           (PyTuple_GET_SIZE(keywords) == 1 &&
            PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "dtype") == 0);
  }

  // Universal functions take their outputs in a tuple, and give them back from it; a shape says how large a
  // result is, whatever the arguments are.
  static bool is_plain_setting(PyObject* name, PyObject* value) {
    return PyUnicode_CompareWithASCIIString(name, "shape") != 0 &&
           (PyTuple_CheckExact(value) == 0 || PyUnicode_CompareWithASCIIString(name, "out") != 0);
  }

  bool counts_distributed(PyObject* object) {
    has_ours_ = has_distributed_ = true;
    return counts(PyArray_SIZE(data_of(as_array(object))));
  }

  bool counts(std::int64_t elements) {
    switch (growth_) {
      case Growth::made:  // which takes no arrays
      case Growth::times:
      case Growth::matrices:  // asked before
      case Growth::broadcast:
      case Growth::largest:
        elements_ = std::max(elements_, elements);
        return true;
      case Growth::sum:
      case Growth::items:
        return !__builtin_add_overflow(elements_, elements, &elements_);
      case Growth::product:
        elements_ = std::max<std::int64_t>(elements_, 1);
        return !__builtin_mul_overflow(elements_, std::max<std::int64_t>(elements, 1), &elements_);
    }
    return false;
  }

  static Ref plain_of(PyObject* object) {
    if (is_ours(object)) return plain(object);
    if (!is_sequence(object)) return Ref::borrow(object);
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    const bool is_tuple = PyTuple_CheckExact(object) != 0;
    Ref result = Ref::checked(is_tuple ? PyTuple_New(size) : PyList_New(size));
    for (Py_ssize_t index = 0; index < size; ++index) {
      PyObject* const item = plain_of(PySequence_Fast_GET_ITEM(object, index)).release();
      if (is_tuple)
        PyTuple_SET_ITEM(result.get(), index, item);
      else
        PyList_SET_ITEM(result.get(), index, item);
    }
    return result;
  }

  Growth growth_;
  std::span<PyObject* const> given_;
  std::optional<std::vector<Ref>> here_;
  std::array<PlainView, most_arguments> views_;
  std::array<Ref, most_arguments> sequences_;
  std::array<PyObject*, most_arguments> plain_{};
  std::int64_t elements_ = 0;
  std::size_t positional_;
  bool fits_ = true, has_ours_ = false, has_distributed_ = false;
};

// What the caller gets for an array of NumPy's: of one that others hold, too, a view.
Ref ours_of(PyObject* value) {
  if (!PyArray_CheckExact(value)) return Ref::borrow(value);
  return Py_REFCNT(value) == 1 ? wrap_result(value) : share(value);
}

// Of a tuple or a list, the items; also of a tuple with names, as of NumPy 2's decompositions.
Ref ours_of_all(Ref result) {
  if (PyTuple_Check(result.get()) && PyTuple_CheckExact(result.get()) == 0) {
    const Ref plain_tuple = Ref::checked(PySequence_List(result.get()));
    auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(result.get()));
    result = Ref();
    const Ref items = ours_of_all(Ref::borrow(plain_tuple.get()));
    return Ref::checked(PyObject_CallMethod(type, "_make", "O", items.get()));
  }
  const bool is_tuple = PyTuple_CheckExact(result.get()) != 0;
  if (!is_tuple && PyList_CheckExact(result.get()) == 0) return ours_of(result.get());
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(result.get());
  Ref wrapped = Ref::checked(is_tuple ? PyTuple_New(size) : PyList_New(size));
  for (Py_ssize_t index = 0; index < size; ++index) {
    PyObject* const item = ours_of(PySequence_Fast_GET_ITEM(result.get(), index)).release();
    if (is_tuple)
      PyTuple_SET_ITEM(wrapped.get(), index, item);
    else
      PyList_SET_ITEM(wrapped.get(), index, item);
  }
  return wrapped;
}

// The error is the user's: its traceback ends at the line that calls, without NumPy's own frames.
void end_at_the_caller() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr && PyExceptionInstance_Check(value)) PyException_SetTraceback(value, Py_None);
  Py_XDECREF(traceback);
  PyErr_Restore(type, value, nullptr);
}

// What it records on the engines is one call of the user's.
PyObject* call_dear(PyObject* dear, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const UserCall lives;
  return PyObject_Vectorcall(dear, arguments, count, keywords);
}

}  // namespace

PyObject* call_with_small(const SmallRule& rule, PyObject* const* arguments, std::size_t flagged_count,
                          PyObject* keywords) noexcept {
  return guarded([&]() -> PyObject* {
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
    Arguments given(rule, arguments, count, keywords);
    if (!given.fit()) return nullptr;
    PyObject* const* const theirs = given.plain_ones();
    if (theirs == nullptr) return nullptr;
    count_host_op();
    const bool is_dear = rule.dear != nullptr && given.elements() >= rule.dear_from;
    Ref result(is_dear ? call_dear(rule.dear, theirs, count, keywords)
                       : PyObject_Vectorcall(rule.numpys, theirs, count, keywords));
    if (!result) {
      end_at_the_caller();
      return nullptr;
    }
    if (Ref same = given.given_as(result.get())) return same.release();
    return ours_of_all(std::move(result)).release();
  });
}

}  // namespace gamelan::kernel
