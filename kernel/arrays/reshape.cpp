// SPDX-License-Identifier: BSD-3-Clause
// Axes are taken from both shapes until their products agree. The old axes of such a group must step through
// memory as one axis would. The new axes of the group then divide that axis.
#include "kernel/arrays/reshape.hpp"

#include <algorithm>

namespace gamelan::kernel {

std::optional<std::vector<std::int64_t>> reshaped_strides(std::span<const std::int64_t> extents,
                                                          std::span<const std::int64_t> strides,
                                                          std::span<const std::int64_t> new_extents,
                                                          std::int64_t item_bytes) {
  std::vector<std::int64_t> result(new_extents.size(), item_bytes);
  if (std::ranges::find(extents, 0) != extents.end()) {  // no element: any stride will do, these are NumPy's
    for (std::size_t axis = result.size(); axis-- > 1;)
      result[axis - 1] = result[axis] * std::max<std::int64_t>(new_extents[axis], 1);
    return result;
  }

  struct Axis {
    std::int64_t extent, stride;
  };
  std::vector<Axis> old_axes;  // without axes of one element, which never step
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] != 1) old_axes.push_back({extents[axis], strides[axis]});
  }
  std::size_t old_first = 0, new_first = 0;
  while (old_first < old_axes.size()) {
    std::size_t old_last = old_first, new_last = new_first;
    std::int64_t old_count = old_axes[old_last++].extent, new_count = new_extents[new_last++];
    while (old_count != new_count) {
      if (new_count < old_count) {
        new_count *= new_extents[new_last++];
      } else {
        // The group grows: this axis must continue where the one before it ends.
        if (old_axes[old_last - 1].stride != old_axes[old_last].stride * old_axes[old_last].extent)
          return std::nullopt;
        old_count *= old_axes[old_last++].extent;
      }
    }
    std::int64_t stride = old_axes[old_last - 1].stride;
    for (std::size_t axis = new_last; axis-- > new_first;) {
      result[axis] = stride;
      stride *= new_extents[axis];
    }
    old_first = old_last;
    new_first = new_last;
  }
  return result;  // the remaining new axes have one element each
}

}  // namespace gamelan::kernel
