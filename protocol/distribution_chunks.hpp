// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a distribution, many at a time, with the instructions of one level. What they are is the same as
// one by one (distributions.hpp), bit by bit, at every level. For distributions.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gamelan::protocol {

inline constexpr std::size_t draw_chunk = 64;

/// Draws the numbers of counters first, first + 1, ...: draw_chunk of them. p[k][j] is parameter k of number
/// j. NaN marks a number that is to be drawn alone: it takes more rounds than the others, or its parameters
/// are rare.
using DrawChunk = void (*)(std::uint64_t key, std::uint64_t first, const double (*p)[draw_chunk],
                           double* out);

/// For the distribution of that number at level 0, 1 or 2 (baseline, AVX2, AVX-512); null where numbers are
/// only drawn one by one. The caller has asked the processor.
DrawChunk draw_chunk_of(int distribution, int level);

}  // namespace gamelan::protocol
