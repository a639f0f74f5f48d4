// SPDX-License-Identifier: BSD-3-Clause
// Takes neighbouring columns out of a table, all of them in one pass over its rows (`x, y = points.T`). The
// loop is defined by split_columns_loop.cpp once per instruction-set level.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gamelan::engine::tiles {

inline constexpr std::size_t most_split_columns = 8;

/// Element j of row i, i * pitch + j * item bytes behind `rows`, becomes element i of to[j].
using SplitColumns = void (*)(const std::byte* rows, std::ptrdiff_t pitch, std::int64_t count,
                              std::byte* const* to);
/// For columns whose number the compiler knows, 2 to most_split_columns, of elements of 4 or 8 bytes; else
/// null.
SplitColumns find_split_columns(std::int64_t item_bytes, std::size_t columns);

#define GAMELAN_DECLARE_LEVEL(level)                                             \
  namespace level {                                                              \
  SplitColumns find_split_columns(std::int64_t item_bytes, std::size_t columns); \
  }
GAMELAN_DECLARE_LEVEL(baseline)
GAMELAN_DECLARE_LEVEL(avx2)
#undef GAMELAN_DECLARE_LEVEL

}  // namespace gamelan::engine::tiles
