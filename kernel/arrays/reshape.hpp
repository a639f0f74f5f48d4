// SPDX-License-Identifier: BSD-3-Clause
// Whether a strided view can take another shape without a copy. When it cannot, NumPy copies, which must
// never happen to a proxy; so this one question is answered here. Pure arithmetic.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gamelan::kernel {

/// Byte strides under which the elements keep their C order in `new_extents`; nullopt when only a copy can
/// have that shape. Both shapes have the same number of elements.
std::optional<std::vector<std::int64_t>> reshaped_strides(std::span<const std::int64_t> extents,
                                                          std::span<const std::int64_t> strides,
                                                          std::span<const std::int64_t> new_extents,
                                                          std::int64_t item_bytes);

}  // namespace gamelan::kernel
