// SPDX-License-Identifier: BSD-3-Clause
// Can a strided view take another shape without a copy? NumPy answers by copying when it cannot, which a
// proxy must not let it do; so this one question is answered here. Pure arithmetic.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gamelan::kernel {

/// Byte strides under which the elements keep their C order in `new_extents`, or nullopt when only a copy has
/// that shape. Both shapes hold the same number of elements.
std::optional<std::vector<std::int64_t>> reshaped_strides(std::span<const std::int64_t> extents,
                                                          std::span<const std::int64_t> strides,
                                                          std::span<const std::int64_t> new_extents,
                                                          std::int64_t item_bytes);

}  // namespace gamelan::kernel
