// SPDX-License-Identifier: BSD-3-Clause
// For engine/tiles/loops only: the loops behind moments.hpp, defined by moment_loops.cpp once per
// instruction-set level.
#pragma once
#include <cstddef>
#include <cstdint>

#include "protocol/dtype.hpp"

namespace gamelan::engine::tiles {

/// The first two are null for what is no real floating-point dtype, all of them where the level is left out.
struct MomentLoops {
  void (*runs)(const void* values, std::int64_t run_count, std::int64_t run_length,
               double* records) = nullptr;
  void (*columns)(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                  double* record) = nullptr;
  /// Merges one record into another.
  void (*merge)(double* to, const double* from, std::int64_t columns) = nullptr;
  void (*squares)(const double* record, std::int64_t columns, double* out) = nullptr;
};

namespace baseline {
MomentLoops moment_loops(protocol::Dtype dtype);
}
namespace avx2 {
MomentLoops moment_loops(protocol::Dtype dtype);
}

}  // namespace gamelan::engine::tiles
