// SPDX-License-Identifier: BSD-3-Clause
// A view as NumPy has it: byte offset, extents and byte strides over the virtual C-order bytes of a base
// array, however that base is distributed. NumPy does the slicing in the kernel (docs/decisions/001). This
// file answers the planner's questions about the result. Pure arithmetic: no memory is touched.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/dtype.hpp"

namespace gamelan::protocol {

using ArrayId = std::uint64_t;  ///< chosen by the kernel, never used again within a session; 0 = none
using Shape = std::vector<std::int64_t>;
inline constexpr std::size_t max_dims = 32;

/// A view of a base array. Elements of the base are in virtual C order, wherever they really lie.
struct View {
  ArrayId base = 0;
  Dtype dtype = Dtype::float64;
  std::int64_t offset = 0;  ///< bytes from the start of the base
  Shape extents;
  Shape strides;  ///< bytes; 0 on a broadcast axis, negative for a reversed one
  bool operator==(const View&) const = default;
};

/// Product of extents; 1 for 0-d.
std::int64_t element_count(std::span<const std::int64_t> extents);
/// Byte strides of a C-order array.
Shape contiguous_strides(std::span<const std::int64_t> extents, std::size_t item_bytes);
/// The view of a whole base array.
View whole(ArrayId base, Dtype dtype, const Shape& extents);
/// True when the elements are those of consecutive memory in C order (axes of extent 1 do not matter).
bool is_contiguous(const View& view);
/// First byte and one past the last byte touched; {offset, offset} when empty.
struct ByteRange {
  std::int64_t first, last;
};
ByteRange byte_range(const View& view);
/// True when two non-empty views of one base may share a byte. When in doubt, true. Exact for axis-wise views
/// of equal strides, such as slices of one array.
bool may_overlap(const View& left, const View& right);
/// True when both name the same elements in the same order (ignoring strides of extent-1 axes).
bool same_elements(const View& left, const View& right);
/// Throws Error{protocol} unless extents >= 0, at most 32 dimensions, no arithmetic overflow and every
/// element lies inside [0, base_bytes). A view that is `writable` must not name one element twice along an
/// axis (stride 0).
void validate(const View& view, std::int64_t base_bytes, bool is_writable);

/// True for a few elements of a large array of so many: the notebook and the planner compute these alone
/// where they are looked at, and nobody warns of floating-point errors of the others (docs/decisions/051).
constexpr bool are_few(std::int64_t elements, std::int64_t all) {
  constexpr std::int64_t least_elements = 1 << 18, least_ratio = 64;
  return all >= least_elements && elements <= all / least_ratio;
}

/// One axis of a view expressed on the axes of its base: index i names base index start + step * i on
/// `base_axis`; base_axis == -1 for an axis that does not move through the base (broadcast or newaxis).
struct AxisMap {
  int base_axis = -1;
  std::int64_t start = 0, step = 0;
};
/// The view as a box of its base: axes[k] for every axis of the view, and fixed[b] for every axis b of the
/// base: its one index if no view axis moves along it, else the start of the view axis that does.
struct AxisWise {
  std::vector<AxisMap> axes;
  Shape fixed;
};
/// The axis-wise form of a view over a base of `base_extents` with elements of `base_dtype`. It exists when
/// every view axis moves along at most one base axis, no base axis has two of them, and the element size is
/// the same. Otherwise nullopt.
std::optional<AxisWise> axis_wise(const View& view, const Shape& base_extents, Dtype base_dtype);

}  // namespace gamelan::protocol
