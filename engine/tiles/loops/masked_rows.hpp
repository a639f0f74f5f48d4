// SPDX-License-Identifier: BSD-3-Clause
// Sums of the rows that a mask names. What is added for the other rows is 0.0, which changes no sum but that
// of negative zeros; so they are not read. The loop is defined by masked_rows_loop.cpp once per
// instruction-set level, with the same bits at each.
#pragma once
#include <cstddef>
#include <cstdint>

#include "protocol/dtype.hpp"

namespace gamelan::engine::tiles {

/// Rows of adjacent elements, and a truth value for each row. Pitches are bytes from row to row.
struct MaskedRows {
  const std::byte* mask;
  std::int64_t mask_pitch;
  const std::byte* rows;
  std::int64_t row_pitch, row_length, count;  ///< count >= 1
};

/// Writes what fold_rows_fresh (fold.hpp) gives for the sum of the rows, where those whose truth value is
/// false are zeros.
using AddMaskedRows = void (*)(const MaskedRows& rows, void* sums);
/// Null but for float32 and float64.
AddMaskedRows find_add_masked_rows(protocol::Dtype dtype);

/// Rows of adjacent elements, and several masks of adjacent truth values.
inline constexpr std::size_t most_row_groups = 16;
struct GroupedRows {
  const std::byte* const* masks;
  std::size_t groups;  ///< 1 to most_row_groups
  const std::byte* rows;
  std::int64_t row_pitch, row_length, count;  ///< count >= 1
};
inline constexpr std::int64_t longest_grouped_row = 16;  ///< elements

/// The same for all masks, which reads each row once. False, and the sums are worth nothing, where two masks
/// name the same row. `sums`: by mask.
using AddGroupedRows = bool (*)(const GroupedRows& rows, void* const* sums);
AddGroupedRows find_add_grouped_rows(protocol::Dtype dtype);  ///< null for the same dtypes

/// Calls `function.operator()<length>()` for a length for which both loops are unrolled; with 0 for others.
template <class Function>
auto with_row_length(std::int64_t length, const Function& function) {
  switch (length) {
    case 1:
      return function.template operator()<1>();
    case 2:
      return function.template operator()<2>();
    case 3:
      return function.template operator()<3>();
    case 4:
      return function.template operator()<4>();
    case 8:
      return function.template operator()<8>();
    default:
      return function.template operator()<0>();
  }
}

#define GAMELAN_DECLARE_LEVEL(level)                           \
  namespace level {                                            \
  AddMaskedRows find_add_masked_rows(protocol::Dtype dtype);   \
  AddGroupedRows find_add_grouped_rows(protocol::Dtype dtype); \
  }
GAMELAN_DECLARE_LEVEL(baseline)
GAMELAN_DECLARE_LEVEL(avx2)
#undef GAMELAN_DECLARE_LEVEL

}  // namespace gamelan::engine::tiles
