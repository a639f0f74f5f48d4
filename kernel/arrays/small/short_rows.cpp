// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/small/short_rows.hpp"
// (numpy_api.hpp first)
#include <algorithm>
#include <array>
#include <optional>

#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/small/known_numbers.hpp"
#include "kernel/local/rows.hpp"

namespace gamelan::kernel {
namespace {

using protocol::Op;

struct Axis {
  npy_intp extent;
  std::array<npy_intp, 2> steps;  // of the operands, in elements
};

/// The axes of a result, those that can be taken together as one; the operands are read along them.
class Axes {
 public:
  /// False where the result of NumPy would not lie in C order, or there are too many axes.
  bool add(const Axis& axis) {
    for (std::size_t k = 0; k < 2; ++k) {
      if (axis.steps[k] < 0 || (axis.steps[k] > 0 && last_steps_[k] > 0 && axis.steps[k] > last_steps_[k]))
        return false;
      if (axis.steps[k] > 0) last_steps_[k] = axis.steps[k];
    }
    if (count_ > 0 && goes_with(axis)) {
      axes_[count_ - 1] = {axes_[count_ - 1].extent * axis.extent, axis.steps};
      return true;
    }
    if (count_ == axes_.size()) return false;
    axes_[count_++] = axis;
    return true;
  }
  std::size_t count() const { return count_; }
  const Axis& inner() const { return axes_[count_ - 1]; }

  std::array<std::size_t, most_row_axes> extents() const {
    std::array<std::size_t, most_row_axes> all;
    all.fill(1);
    for (std::size_t k = 0; k < count_; ++k) all[at(k)] = static_cast<std::size_t>(axes_[k].extent);
    return all;
  }
  RowOperand operand(PyArrayObject* array, std::size_t which) const {
    RowOperand operand{static_cast<const double*>(PyArray_DATA(array)), {}};
    for (std::size_t k = 0; k < count_; ++k) operand.steps[at(k)] = axes_[k].steps[which];
    return operand;
  }

 private:
  bool goes_with(const Axis& inner) const {
    const Axis& outer = axes_[count_ - 1];
    return outer.steps[0] == inner.steps[0] * inner.extent && outer.steps[1] == inner.steps[1] * inner.extent;
  }
  std::size_t at(std::size_t axis) const { return most_row_axes - count_ + axis; }

  std::array<Axis, most_row_axes> axes_;
  std::array<npy_intp, 2> last_steps_{};
  std::size_t count_ = 0;
};

/// One axis of an operand, counted from the last of the result's.
struct OperandAxis {
  npy_intp extent, stride;
};
OperandAxis axis_of(PyArrayObject* array, int from_last) {
  const int axis = PyArray_NDIM(array) - 1 - from_last;
  return axis < 0 ? OperandAxis{1, 0} : OperandAxis{PyArray_DIM(array, axis), PyArray_STRIDE(array, axis)};
}

/// `extents` becomes the shape of the result. Empty where shapes do not fit, or the rows are long.
std::optional<Axes> axes_of(PyArrayObject* left, PyArrayObject* right, int dims, npy_intp* extents) {
  constexpr auto item = static_cast<npy_intp>(sizeof(double));
  Axes axes;
  for (int k = 0; k < dims; ++k) {
    const auto x = axis_of(left, dims - 1 - k), y = axis_of(right, dims - 1 - k);
    if (x.extent != y.extent && x.extent != 1 && y.extent != 1) return std::nullopt;
    extents[k] = x.extent == 1 ? y.extent : x.extent;
    if (extents[k] == 1) continue;
    if (x.stride % item != 0 || y.stride % item != 0) return std::nullopt;
    const Axis axis{extents[k], {x.extent == 1 ? 0 : x.stride / item, y.extent == 1 ? 0 : y.stride / item}};
    if (!axes.add(axis)) return std::nullopt;
  }
  if (axes.count() < 2) return std::nullopt;
  const auto& [length, steps] = axes.inner();
  const bool are_rows = steps[0] <= 1 && steps[1] <= 1 && steps[0] + steps[1] > 0;
  return are_rows && length <= longest_short_row ? std::optional(axes) : std::nullopt;
}

bool can_take(PyArrayObject* target, int dims, const npy_intp* extents) {
  return target != nullptr && PyArray_ISWRITEABLE(target) && PyArray_IS_C_CONTIGUOUS(target) &&
         PyArray_NDIM(target) == dims && std::equal(extents, extents + dims, PyArray_DIMS(target));
}

}  // namespace

Ref of_short_rows(Op op, std::span<PyObject* const> operands, PyObject* out) {
  const auto what = arithmetic_of(op);
  if (!what || operands.size() != 2) return {};
  PyArrayObject* const left = array_of<NPY_DOUBLE>(operands[0]);
  PyArrayObject* const right = left == nullptr ? nullptr : array_of<NPY_DOUBLE>(operands[1]);
  if (right == nullptr) return {};
  const int dims = std::max(PyArray_NDIM(left), PyArray_NDIM(right));
  std::array<npy_intp, NPY_MAXDIMS> extents;
  const auto axes = axes_of(left, right, dims, extents.data());
  if (!axes) return {};
  const npy_intp elements = PyArray_MultiplyList(extents.data(), dims);
  if (elements < least_of_rows || elements >= threshold()) return {};
  PyArrayObject* const target = out == nullptr ? nullptr : array_of<NPY_DOUBLE>(out);
  if (out != nullptr && !can_take(target, dims, extents.data())) return {};
  // An output may overlap an operand, and stays as it is where NumPy must compute after all.
  Ref result = Ref::checked(PyArray_SimpleNew(dims, extents.data(), NPY_DOUBLE));
  auto* const first = static_cast<double*>(PyArray_DATA(as_numpy(result)));
  if (!compute_rows(*what, axes->extents(), axes->operand(left, 0), axes->operand(right, 1), first))
    return {};
  if (out == nullptr) return result;
  std::copy_n(first, elements, static_cast<double*>(PyArray_DATA(target)));
  return Ref::borrow(out);
}

}  // namespace gamelan::kernel
