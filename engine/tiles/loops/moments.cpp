// SPDX-License-Identifier: BSD-3-Clause
// Moments: looks the typed loop up for the instruction-set level in use and calls it.
#include "engine/tiles/loops/moments.hpp"

#include <string>

#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/loops/moment_tables.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::tiles {

using protocol::Dtype;

namespace {

MomentLoops require(Dtype dtype) {
  const MomentLoops found = isa() >= Isa::avx2 ? avx2::moment_loops(dtype) : baseline::moment_loops(dtype);
  if (found.runs == nullptr)
    throw protocol::Error(protocol::ErrorKind::internal,
                          "no moments of " + std::string(protocol::info(dtype).name));
  return found;
}

}  // namespace

void moments_of_runs(Dtype dtype, const void* values, std::int64_t run_count, std::int64_t run_length,
                     double* records) {
  require(dtype).runs(values, run_count, run_length, records);
}

void moments_of_columns(Dtype dtype, const std::byte* const* rows, std::int64_t row_count,
                        std::int64_t columns, double* record) {
  require(dtype).columns(rows, row_count, columns, record);
}

void merge_moments(double* records, std::int64_t count, std::int64_t columns) {
  const auto merge = require(Dtype::float64).merge;
  const auto record = moment_parts * columns;
  for (std::int64_t distance = 1; distance < count; distance *= 2)
    for (std::int64_t first = 0; first + distance < count; first += 2 * distance)
      merge(records + first * record, records + (first + distance) * record, columns);
}

void squared_deviations_of(const double* record, std::int64_t columns, double* out) {
  require(Dtype::float64).squares(record, columns, out);
}

}  // namespace gamelan::engine::tiles
