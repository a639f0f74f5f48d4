// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic behind the planner's questions about views: which bytes they touch, whether two share any,
// and which box of the base they are.
#include "protocol/view.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>

#include "protocol/error.hpp"

namespace gamelan::protocol {
namespace {

bool is_empty(const View& view) {
  return std::find(view.extents.begin(), view.extents.end(), 0) != view.extents.end();
}

std::int64_t item_bytes(const View& view) { return static_cast<std::int64_t>(size_of(view.dtype)); }

std::int64_t floor_div(std::int64_t value, std::int64_t positive) {
  return value / positive - (value % positive < 0 ? 1 : 0);
}
std::int64_t ceil_div(std::int64_t value, std::int64_t positive) { return -floor_div(-value, positive); }

/// stride * t for every integer t in [low, high]: one unknown of the overlap equation.
struct Term {
  std::int64_t stride, low, high;
};

/// The distance between an element of `left` and one of `right` is (left.offset - right.offset) + the sum of
/// these terms. Axes of equal stride are one unknown, which keeps slices of one array at one term per base
/// axis.
class Terms {
 public:
  void add(const View& view, int sign) {
    for (std::size_t axis = 0; axis < view.extents.size(); ++axis) {
      if (view.extents[axis] < 2 || view.strides[axis] == 0) continue;
      const std::int64_t reach = view.extents[axis] - 1;
      const bool is_rising = (view.strides[axis] > 0) == (sign > 0);
      Term& term = term_of(std::abs(view.strides[axis]));
      (is_rising ? term.high : term.low) += is_rising ? reach : -reach;
    }
  }
  /// From the largest stride to the smallest.
  std::span<const Term> sorted() {
    std::sort(terms_.begin(), terms_.begin() + count_,
              [](const Term& a, const Term& b) { return a.stride > b.stride; });
    return {terms_.data(), static_cast<std::size_t>(count_)};
  }

 private:
  Term& term_of(std::int64_t stride) {
    for (int at = 0; at < count_; ++at) {
      if (terms_[static_cast<std::size_t>(at)].stride == stride) return terms_[static_cast<std::size_t>(at)];
    }
    Term& fresh = terms_[static_cast<std::size_t>(count_++)];
    fresh = {stride, 0, 0};
    return fresh;
  }
  std::array<Term, 2 * max_dims> terms_{};
  int count_ = 0;
};

/// How many partial sums are followed before the answer is "perhaps". Slices of one array need three: after
/// the terms of an axis, all values that can still be reached lie within two strides of the next axis.
constexpr std::size_t max_states = 64;

/// May the terms sum to a value in [low, low + width]? Decided from the largest stride down, following every
/// partial sum that the smaller strides can still complete.
bool may_reach(std::span<const Term> terms, std::int64_t low, std::int64_t width) {
  std::array<std::int64_t, max_states> states{},
      next{};  // what the remaining terms must reach, as lower ends
  std::size_t state_count = 1;
  states[0] = low;
  for (std::size_t at = 0; at < terms.size(); ++at) {
    std::int64_t rest_low = 0, rest_high = 0, divisor = 0;
    for (const Term& term : terms.subspan(at + 1)) {
      rest_low += term.stride * term.low;
      rest_high += term.stride * term.high;
      divisor = std::gcd(divisor, term.stride);
    }
    const Term& term = terms[at];
    const std::int64_t common = std::gcd(divisor, term.stride);
    std::size_t next_count = 0;
    for (std::size_t state = 0; state < state_count; ++state) {
      const std::int64_t wanted = states[state];
      if (floor_div(wanted + width, common) < ceil_div(wanted, common))
        continue;  // no multiple of all strides
      const std::int64_t first = std::max(term.low, ceil_div(wanted - rest_high, term.stride));
      const std::int64_t last = std::min(term.high, floor_div(wanted + width - rest_low, term.stride));
      for (std::int64_t factor = first; factor <= last; ++factor) {
        const std::int64_t left_over = wanted - factor * term.stride;
        if (std::find(next.begin(), next.begin() + next_count, left_over) != next.begin() + next_count)
          continue;
        if (next_count == max_states) return true;
        next[next_count++] = left_over;
      }
    }
    std::swap(states, next);
    state_count = next_count;
  }
  return std::any_of(states.begin(), states.begin() + state_count,
                     [&](std::int64_t wanted) { return wanted <= 0 && 0 <= wanted + width; });
}

[[noreturn]] void reject(const std::string& what) { throw Error(ErrorKind::protocol, "[view] " + what); }

}  // namespace

std::int64_t element_count(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Shape contiguous_strides(std::span<const std::int64_t> extents, std::size_t item_bytes) {
  Shape strides(extents.size());
  auto stride = static_cast<std::int64_t>(item_bytes);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(extents[axis], 1);  // an axis of extent 0 does not make the strides 0
  }
  return strides;
}

View whole(ArrayId base, Dtype dtype, const Shape& extents) {
  return {base, dtype, 0, extents, contiguous_strides(extents, size_of(dtype))};
}

bool is_contiguous(const View& view) {
  if (is_empty(view)) return true;
  std::int64_t expected = item_bytes(view);
  for (std::size_t axis = view.extents.size(); axis-- > 0;) {
    if (view.extents[axis] == 1) continue;
    if (view.strides[axis] != expected) return false;
    expected *= view.extents[axis];
  }
  return true;
}

ByteRange byte_range(const View& view) {
  if (is_empty(view)) return {view.offset, view.offset};
  ByteRange range{view.offset, view.offset + item_bytes(view)};
  for (std::size_t axis = 0; axis < view.extents.size(); ++axis) {
    const std::int64_t reach = (view.extents[axis] - 1) * view.strides[axis];
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

bool may_overlap(const View& left, const View& right) {
  if (left.base != right.base || is_empty(left) || is_empty(right)) return false;
  const ByteRange left_range = byte_range(left);
  const ByteRange right_range = byte_range(right);
  if (left_range.last <= right_range.first || right_range.last <= left_range.first) return false;
  // Elements at x (left) and y (right) share a byte when -item(left) < x - y < item(right).
  Terms terms;
  terms.add(left, +1);
  terms.add(right, -1);
  const std::int64_t low = right.offset - left.offset - item_bytes(left) + 1;
  return may_reach(terms.sorted(), low, item_bytes(left) + item_bytes(right) - 2);
}

bool same_elements(const View& left, const View& right) {
  if (left.base != right.base || left.dtype != right.dtype || left.extents != right.extents) return false;
  if (is_empty(left)) return true;
  if (left.offset != right.offset) return false;
  for (std::size_t axis = 0; axis < left.extents.size(); ++axis) {
    if (left.extents[axis] != 1 && left.strides[axis] != right.strides[axis]) return false;
  }
  return true;
}

void validate(const View& view, std::int64_t base_bytes, bool is_writable) {
  const std::size_t dims = view.extents.size();
  if (dims > max_dims) reject("too many dimensions: got " + std::to_string(dims) + ", expected at most 32");
  if (view.strides.size() != dims) {
    reject("extents and strides differ in number: got " + std::to_string(dims) + " and " +
           std::to_string(view.strides.size()));
  }
  std::int64_t bytes = item_bytes(view);
  for (const std::int64_t extent : view.extents) {
    if (extent < 0) reject("negative extent: got " + std::to_string(extent));
    // As in NumPy, the product of the other extents must not overflow, even when one axis is empty.
    if (extent > 0 && __builtin_mul_overflow(bytes, extent, &bytes)) reject("more bytes than 2**63");
  }
  // A view without elements cannot reach outside: the offset of a[:, 1] with shape (0, 3) is beyond the
  // base's 0 bytes.
  if (is_empty(view)) return;
  std::int64_t first = view.offset, last = 0;
  bool has_overflow = __builtin_add_overflow(view.offset, item_bytes(view), &last);
  for (std::size_t axis = 0; axis < dims; ++axis) {
    if (view.extents[axis] == 1) continue;
    const std::int64_t stride = view.strides[axis];
    if (is_writable && -item_bytes(view) < stride && stride < item_bytes(view)) {
      reject("written elements share memory along axis " + std::to_string(axis) + ": got stride " +
             std::to_string(stride));
    }
    std::int64_t reach = 0;
    has_overflow = has_overflow || __builtin_mul_overflow(view.extents[axis] - 1, stride, &reach);
    std::int64_t& end = reach < 0 ? first : last;
    has_overflow = has_overflow || __builtin_add_overflow(end, reach, &end);
  }
  if (has_overflow) reject("addresses beyond 2**63");
  if (first < 0 || last > base_bytes) {
    reject("outside its base: got bytes " + std::to_string(first) + " to " + std::to_string(last) + " of " +
           std::to_string(base_bytes));
  }
}

std::optional<AxisWise> axis_wise(const View& view, const Shape& base_extents, Dtype base_dtype) {
  const std::int64_t item = item_bytes(view);
  if (item != static_cast<std::int64_t>(size_of(base_dtype))) return std::nullopt;
  AxisWise form;
  form.axes.resize(view.extents.size());
  form.fixed.assign(base_extents.size(), 0);
  if (is_empty(view)) return form;  // there is no element to place: every form is right
  if (view.offset % item != 0) return std::nullopt;

  // Element [0, ..., 0] of the view lies in the base, so its index there is unique, whatever the signs of the
  // strides.
  std::int64_t linear = view.offset / item;
  for (std::size_t axis = base_extents.size(); axis-- > 0;) {
    if (base_extents[axis] < 1) return std::nullopt;  // a view with elements of a base that has none
    form.fixed[axis] = linear % base_extents[axis];
    linear /= base_extents[axis];
  }
  if (linear != 0 || view.offset < 0) return std::nullopt;

  const Shape base_strides = contiguous_strides(base_extents, static_cast<std::size_t>(item));
  std::uint64_t moved_along = 0;  // bit b: a view axis moves along base axis b
  for (std::size_t axis = 0; axis < view.extents.size(); ++axis) {
    const std::int64_t stride = view.strides[axis];
    if (view.extents[axis] == 1 || stride == 0) continue;
    // At most one base axis can hold two or more indices that are `stride` apart: a longer axis's stride is
    // at least the whole length of a shorter one.
    for (std::size_t base_axis = 0; base_axis < base_extents.size(); ++base_axis) {
      if (stride % base_strides[base_axis] != 0) continue;
      const std::int64_t step = stride / base_strides[base_axis];
      const std::int64_t start = form.fixed[base_axis];
      const std::int64_t room = step > 0 ? base_extents[base_axis] - 1 - start : start;
      if (view.extents[axis] - 1 > room / std::abs(step)) continue;
      if ((moved_along >> base_axis & 1U) != 0) return std::nullopt;
      moved_along |= std::uint64_t{1} << base_axis;
      form.axes[axis] = {static_cast<int>(base_axis), start, step};
      break;
    }
    if (form.axes[axis].base_axis < 0) return std::nullopt;
  }
  return form;
}

}  // namespace gamelan::protocol
