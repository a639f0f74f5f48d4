// SPDX-License-Identifier: BSD-3-Clause
// Folds by name: looks the typed loop up for the instruction-set level in use and calls it.
#include "engine/tiles/loops/fold.hpp"

#include <string>

#include "engine/tiles/loops/folds/fold_tables.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::tiles {

using protocol::Dtype;
using protocol::Op;

namespace {

FoldLoops find(Op op, Dtype dtype) {
  return isa() >= Isa::avx2 ? avx2::fold_loops(op, dtype) : baseline::fold_loops(op, dtype);
}

FoldLoops require(Op op, Dtype dtype) {
  const FoldLoops found = find(op, dtype);
  if (found.runs == nullptr) {
    throw protocol::Error(protocol::ErrorKind::internal, "[" + std::string(protocol::info(op).name) +
                                                             "] does not fold over " +
                                                             std::string(protocol::info(dtype).name));
  }
  return found;
}

}  // namespace

bool can_fold(Op op, Dtype dtype) { return find(op, dtype).runs != nullptr; }

void fold_runs(Op op, Dtype dtype, const void* values, std::int64_t run_count, std::int64_t run_length,
               void* out) {
  find_fold_runs(op, dtype)(values, run_count, run_length, out);
}

Streams best_streams() { return asks_ahead() ? Streams::one : Streams::four; }

FoldRuns find_fold_runs(Op op, Dtype dtype, Streams streams) {
  const FoldLoops found = require(op, dtype);
  return streams == Streams::one ? found.runs_in_turn : found.runs;
}

FoldProducts find_fold_products(Op op, Dtype dtype, Streams streams, Factor from_memory) {
  const FoldLoops found = find(op, dtype);
  if (streams == Streams::four) return found.products;
  if (from_memory == Factor::both) return found.products_in_turn;
  return from_memory == Factor::left ? found.products_with_x_ahead : found.products_with_y_ahead;
}

FoldFourProducts find_fold_four_products(Op op, Dtype dtype) { return find(op, dtype).four_products; }

void fold_rows(Op op, Dtype dtype, const void* values, std::int64_t rows, std::int64_t row_length,
               void* acc) {
  require(op, dtype).rows(acc, values, rows, row_length, row_length, acc);
}

FoldRows find_fold_rows(Op op, Dtype dtype) { return require(op, dtype).rows; }

void fold_rows_fresh(Op op, Dtype dtype, const void* values, std::int64_t rows, std::int64_t row_length,
                     void* acc) {
  const auto row_bytes = static_cast<std::size_t>(row_length) * protocol::size_of(dtype);
  require(op, dtype).rows(values, static_cast<const std::byte*>(values) + row_bytes, rows - 1, row_length,
                          row_length, acc);
}

void fold_pairs(Op op, Dtype dtype, void* values, std::int64_t count, std::int64_t row_length) {
  // Longer rows stay where they are: moved together, rows of 1,414 took 1.4 times as long.
  constexpr std::int64_t short_row = 32;
  const FoldLoops loops = require(op, dtype);
  if (row_length < short_row) return loops.short_pairs(values, count, row_length);
  auto* rows = static_cast<std::byte*>(values);
  const std::int64_t row_bytes = row_length * static_cast<std::int64_t>(protocol::size_of(dtype));
  for (std::int64_t distance = 1; distance < count; distance *= 2) {
    for (std::int64_t row = 0; row + distance < count; row += 2 * distance) {
      std::byte* const acc = rows + row * row_bytes;
      loops.rows(acc, acc + distance * row_bytes, 1, row_length, row_length, acc);
    }
  }
}

std::optional<protocol::Scalar> identity(Op op, Dtype dtype) {
  protocol::Scalar value{.dtype = dtype};
  const auto write = isa() >= Isa::avx2 ? avx2::write_identity : baseline::write_identity;
  if (!write(op, dtype, value.bytes.data())) return std::nullopt;
  return value;
}

}  // namespace gamelan::engine::tiles
