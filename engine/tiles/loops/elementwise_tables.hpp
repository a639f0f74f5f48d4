// SPDX-License-Identifier: BSD-3-Clause
// For engine/tiles/loops only: what elementwise_loops.cpp, pair_loops.cpp and cast.cpp define, once per
// instruction-set level and group of dtypes. The groups exist only so that the compiler can work on several
// files at once. At avx512 there are only the loops that gain from it.
#pragma once
#include "engine/tiles/loops/loop_types.hpp"
#include "protocol/dtype.hpp"

namespace gamelan::engine::tiles {

#define GAMELAN_DECLARE_LEVEL(level)                                                  \
  namespace level {                                                                   \
  Loop loops_of_small_integers(protocol::Op op, protocol::Dtype loop, Single single); \
  Loop loops_of_large_integers(protocol::Op op, protocol::Dtype loop, Single single); \
  Loop loops_of_reals(protocol::Op op, protocol::Dtype loop, Single single);          \
  Loop loops_of_complexes(protocol::Op op, protocol::Dtype loop, Single single);      \
  Loop find_pair(const Pair& pair, protocol::Dtype dtype, unsigned singles);          \
  Cast cast_loop(protocol::Dtype from, protocol::Dtype to);                           \
  }
GAMELAN_DECLARE_LEVEL(baseline)
GAMELAN_DECLARE_LEVEL(avx2)
#undef GAMELAN_DECLARE_LEVEL

namespace avx512 {
Loop loops_of_large_integers(protocol::Op op, protocol::Dtype loop, Single single);
Loop loops_of_reals(protocol::Op op, protocol::Dtype loop, Single single);
Loop find_pair(const Pair& pair, protocol::Dtype dtype, unsigned singles);
}  // namespace avx512

}  // namespace gamelan::engine::tiles
