// SPDX-License-Identifier: BSD-3-Clause
// Reductions of values that already lie in a contiguous buffer of the loop dtype. The order of operations
// depends on lengths only, so equal pieces give equal bits whoever folds them. `op` is a BINARY row that can
// be folded (add, multiply, maximum, minimum, fmax, fmin, logical_or, logical_and, bitwise_*; the logical
// ones over bool); accumulators have the loop dtype. All functions throw Error{internal} for another op or a
// dtype its row excludes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/message.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

/// How many lanes a run has.
inline constexpr std::int64_t lane_count = 32;

bool can_fold(protocol::Op op, protocol::Dtype dtype);

/// Each of `run_count` runs of `run_length` >= 1 consecutive values -> one value of `out`. Element i goes to
/// lane i % 32, then the lanes are combined by a fixed tree; float16 sums and products are kept in float
/// within a run.
void fold_runs(protocol::Op op, protocol::Dtype dtype, const void* values, std::int64_t run_count,
               std::int64_t run_length, void* out);

/// How runs are read: one after the other, or four side by side, far apart from each other. Four streams
/// come from memory in less time on processors that fetch little ahead. The bits are the same.
enum class Streams : std::uint8_t { one, four };
/// The better of both on this processor, for values that come from memory. For those in cache it is one.
Streams best_streams();

/// fold_runs for one op and dtype, looked up once.
using FoldRuns = void (*)(const void* values, std::int64_t run_count, std::int64_t run_length, void* out);
FoldRuns find_fold_runs(protocol::Op op, protocol::Dtype dtype, Streams streams = best_streams());

/// fold_runs of the products x[i] * y[i], with the same bits; null but for sums of float32 and float64.
using FoldProducts = void (*)(const void* x, const void* y, std::int64_t run_count, std::int64_t run_length,
                              void* out);
/// What of x and y comes from memory. One stream asks for that ahead, and not for what is in cache.
enum class Factor : std::uint8_t { both, left, right };
FoldProducts find_fold_products(protocol::Op op, protocol::Dtype dtype, Streams streams = best_streams(),
                                Factor from_memory = Factor::both);

/// The same of four runs side by side: out[k] from x[k] and y[k].
using FoldFourProducts = void (*)(const void* const* x, const void* const* y, std::int64_t run_length,
                                  void* const* out);
FoldFourProducts find_fold_four_products(protocol::Op op, protocol::Dtype dtype);

/// acc[j] = acc[j] op values[i][j], i ascending.
void fold_rows(protocol::Op op, protocol::Dtype dtype, const void* values, std::int64_t rows,
               std::int64_t row_length, void* acc);
/// The same for one op and dtype, looked up once: acc = begin, then as fold_rows; `begin` may be `acc`. A row
/// begins `pitch` elements behind the one before; rows may be 0.
using FoldRows = void (*)(const void* begin, const void* values, std::int64_t rows, std::int64_t row_length,
                          std::int64_t pitch, void* acc);
FoldRows find_fold_rows(protocol::Op op, protocol::Dtype dtype);
/// acc = the first row, then as fold_rows with the others; rows >= 1.
void fold_rows_fresh(protocol::Op op, protocol::Dtype dtype, const void* values, std::int64_t rows,
                     std::int64_t row_length, void* acc);

/// Folds `count` >= 1 rows of `row_length` values into row 0, in place: neighbours first, then pairs of
/// pairs.
void fold_pairs(protocol::Op op, protocol::Dtype dtype, void* values, std::int64_t count,
                std::int64_t row_length);

/// The fold of no elements; nullopt where the op has no identity (or the row says absent).
std::optional<protocol::Scalar> identity(protocol::Op op, protocol::Dtype dtype);

}  // namespace gamelan::engine::tiles
