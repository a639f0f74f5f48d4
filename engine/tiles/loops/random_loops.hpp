// SPDX-License-Identifier: BSD-3-Clause
// Loops of the rows that draw random numbers: the words of protocol/philox.hpp for many counters at once,
// then the row's arithmetic on each. The same functions compute it as for a single number. For
// elementwise_loops.cpp.
#pragma once
#include "engine/tiles/loops/scalar.hpp"
#include "protocol/philox_lanes.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

using protocol::Op;

using protocol::philox::GAMELAN_ISA::random_chunk;
using protocol::philox::GAMELAN_ISA::random_words;

template <Op op>
inline constexpr bool is_random =
    op == Op::random_uniform || op == Op::random_normal || op == Op::random_integers;

/// The element of a random row, from its words.
template <Op op, class T>
T drawn(protocol::philox::Words words, T a, T b) {
  if constexpr (op == Op::random_uniform)
    return static_cast<T>(a + (b - a) * uniform<T>(words));
  else
    return bounded<T>(words, a, b);
}

template <Op op, class T>
void random_loop(T a, T b, std::uint64_t key, std::uint64_t first, std::uint64_t step, T* result,
                 std::size_t n) {
  std::uint64_t one[random_chunk], two[random_chunk];
  for (std::size_t done = 0; done < n; done += random_chunk) {
    random_words(key, first + done * step, step, one, two);
    const std::size_t count = n - done < random_chunk ? n - done : random_chunk;
    if constexpr (op == Op::random_normal) {
      double normals[random_chunk];  // a loop of its own, of which compilers make vectors
      for (std::size_t j = 0; j < random_chunk; ++j)
        normals[j] = protocol::philox::normal_double({one[j], two[j]});
      for (std::size_t j = 0; j < count; ++j)
        result[done + j] = static_cast<T>(a + b * static_cast<T>(normals[j]));
    } else {
      for (std::size_t j = 0; j < count; ++j) result[done + j] = drawn<op, T>({one[j], two[j]}, a, b);
    }
  }
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
