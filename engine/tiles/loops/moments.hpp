// SPDX-License-Identifier: BSD-3-Clause
// Moments of real numbers: what the sum of squared deviations from the mean is made of, when values are read
// once and in parts. The pivot of a part is its own rounded mean, so the sum of squares loses nothing to a
// large mean, and the sum of deviations keeps what the pivot was rounded by (Chan, Golub and LeVeque, The
// American Statistician 37, 1983). All of it is float64, whatever the values are. The order of operations
// depends on lengths only.
#pragma once
#include <cstddef>
#include <cstdint>

#include "protocol/dtype.hpp"

namespace gamelan::engine::tiles {

/// The parts of a moment, in this order: how many values, a number near their mean (the pivot), the sum of
/// the deviations from the pivot, the sum of their squares. A record holds one part after the other, each for
/// some columns side by side.
inline constexpr std::int64_t moment_parts = 4;

/// Each of `run_count` runs of `run_length` >= 1 consecutive values -> a record of one column. The values lie
/// in cache when they are read for the second time. Throws Error{internal} for a dtype that is no real
/// floating-point one, as moments_of_columns does.
void moments_of_runs(protocol::Dtype dtype, const void* values, std::int64_t run_count,
                     std::int64_t run_length, double* records);
/// `row_count` >= 1 rows of `columns` values, of which `rows` has the addresses -> one record.
void moments_of_columns(protocol::Dtype dtype, const std::byte* const* rows, std::int64_t row_count,
                        std::int64_t columns, double* record);

/// Merges `count` >= 1 records of `columns` columns into the first one, in place: neighbours first, then
/// pairs of pairs.
void merge_moments(double* records, std::int64_t count, std::int64_t columns);

/// The sum of squared deviations from the mean of each column of a record; never below 0. `out` may be the
/// record. It is infinite where squares or sums overflow, NaN where a value is infinite or NaN.
void squared_deviations_of(const double* record, std::int64_t columns, double* out);

}  // namespace gamelan::engine::tiles
