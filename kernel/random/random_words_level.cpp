// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction-set level, whose name is GAMELAN_ISA.
#include "protocol/philox.hpp"
#include "protocol/philox_lanes.hpp"

namespace gamelan::kernel::GAMELAN_ISA {

void random_words(std::uint64_t key, std::uint64_t first, std::uint64_t* one, std::uint64_t* two) {
  protocol::philox::GAMELAN_ISA::random_words(key, first, 1, one, two);
}

void random_normals(std::uint64_t key, std::uint64_t first, double* normals) {
  using protocol::philox::GAMELAN_ISA::random_chunk;
  std::uint64_t one[random_chunk], two[random_chunk];
  random_words(key, first, one, two);
  for (std::size_t j = 0; j < random_chunk; ++j)
    normals[j] = protocol::philox::normal_double({one[j], two[j]});
}

}  // namespace gamelan::kernel::GAMELAN_ISA
