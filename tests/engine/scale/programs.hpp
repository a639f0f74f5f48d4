// SPDX-License-Identifier: BSD-3-Clause
// Small programs of every kind of command, as the kernel would record them, over arrays that grow with the
// ranks: every rank has the same share of them, whatever their number. Used by the test and by the table of
// docs/scaling.md.
#pragma once
#include <string>
#include <vector>

#include "tests/engine/batch_writer.hpp"

namespace gamelan::tests {

struct Program {
  std::string name;
  std::string text;  ///< in NumPy's words
  void (*record)(engine::plan::BatchWriter& batch);
  /// Data change hands between two layouts: a rank's part comes from as many others as have a share of it,
  /// which may be all of a row or column of the grid.
  bool is_redistribution = false;
};

/// `per_rank` elements of float64 on each rank, by and large.
inline constexpr std::int64_t per_rank = std::int64_t{1} << 20;

const std::vector<Program>& programs();

}  // namespace gamelan::tests
