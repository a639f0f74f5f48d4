// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/cyclic.hpp"

namespace gamelan::engine::distribution {

std::int64_t Cyclic::share(std::int64_t extent, std::int64_t block, int part, int parts) {
  const auto blocks = extent / block, turns = blocks / parts, rest = blocks % parts;
  const auto whole = (turns + (part < rest ? 1 : 0)) * block;
  return part == rest ? whole + extent % block : whole;
}

Cyclic cyclic(std::int64_t rows, std::int64_t columns, std::int64_t block, int ranks) {
  int side = 1;
  while ((side + 1) * (side + 1) <= ranks) ++side;
  return {rows, columns, block, side, ranks / side};
}

}  // namespace gamelan::engine::distribution
