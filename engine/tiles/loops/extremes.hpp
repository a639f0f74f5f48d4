// SPDX-License-Identifier: BSD-3-Clause
// Where a line of elements has its extreme, for argmax and argmin. An element is better when it is greater
// (smaller), or when it is the first NaN. The loops are defined by extremes_loop.cpp once per instruction-set
// level.
#pragma once
#include <cstddef>
#include <cstdint>

#include "protocol/dtype.hpp"

namespace gamelan::engine::tiles {

/// `best` has the dtype of the elements, but float for float16.
struct ExtremeLoops {
  /// The index of the first of `count` neighbours that is `best` (that is NaN, if it is); `count` if none is.
  std::int64_t (*first_place)(const std::byte* values, std::int64_t count, const void* best) = nullptr;
  /// Lines side by side: elements `first` to first + length - 1 of `lines` of them, the elements of one index
  /// `step` bytes apart and those of one line `along`. best[j] and place[j] are line j's of those before.
  void (*better_of_lines)(const std::byte* values, std::ptrdiff_t along, std::ptrdiff_t step,
                          std::int64_t first, std::int64_t length, std::int64_t lines, void* best,
                          std::int64_t* place) = nullptr;
};
/// Not for complex dtypes.
ExtremeLoops extreme_loops(protocol::Dtype dtype, bool is_max);

#define GAMELAN_DECLARE_LEVEL(level)                              \
  namespace level {                                               \
  ExtremeLoops extreme_loops(protocol::Dtype dtype, bool is_max); \
  }
GAMELAN_DECLARE_LEVEL(baseline)
GAMELAN_DECLARE_LEVEL(avx2)
#undef GAMELAN_DECLARE_LEVEL

}  // namespace gamelan::engine::tiles
