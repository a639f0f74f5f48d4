// SPDX-License-Identifier: BSD-3-Clause
// For engine/tiles/loops only: the folds of one op and dtype, defined by fold_loops.cpp once per
// instruction-set level.
#pragma once
#include <cstdint>

#include "protocol/message.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

/// The loops behind fold_runs, fold_rows, fold_pairs, fold_products and fold_four_products (fold.hpp); null
/// where there is none.
struct FoldLoops {
  using Products = void(const void* x, const void* y, std::int64_t run_count, std::int64_t run_length,
                        void* out);
  void (*runs)(const void* values, std::int64_t run_count, std::int64_t run_length, void* out) = nullptr;
  /// The same, a run after the other: the lanes of one run stay in registers.
  void (*runs_in_turn)(const void* values, std::int64_t run_count, std::int64_t run_length,
                       void* out) = nullptr;
  /// acc[j] = start[j], then op values[i * pitch + j], i ascending; `start` may be `acc`.
  void (*rows)(const void* start, const void* values, std::int64_t rows, std::int64_t row_length,
               std::int64_t pitch, void* acc) = nullptr;
  /// fold_pairs of short rows: those that are left move together.
  void (*short_pairs)(void* values, std::int64_t count, std::int64_t row_length) = nullptr;
  Products* products = nullptr;
  /// The same, a run after the other. What comes from memory is asked for ahead: x and y, x, or y.
  Products *products_in_turn = nullptr, *products_with_x_ahead = nullptr, *products_with_y_ahead = nullptr;
  void (*four_products)(const void* const* x, const void* const* y, std::int64_t run_length,
                        void* const* out) = nullptr;
};

#define GAMELAN_DECLARE_LEVEL(level)                                     \
  namespace level {                                                      \
  FoldLoops fold_loops(protocol::Op op, protocol::Dtype dtype);          \
  bool write_identity(protocol::Op op, protocol::Dtype dtype, void* to); \
  }
GAMELAN_DECLARE_LEVEL(baseline)
GAMELAN_DECLARE_LEVEL(avx2)
#undef GAMELAN_DECLARE_LEVEL

}  // namespace gamelan::engine::tiles
