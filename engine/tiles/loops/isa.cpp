// SPDX-License-Identifier: BSD-3-Clause
// Asks the processor which instructions it has. Loops compiled for a level are looked up through isa() only.
#include "engine/tiles/loops/isa.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "protocol/error.hpp"

// Built are the levels from one to another; a build for one machine has only its own (GAMELAN_LEVELS).
#ifndef GAMELAN_LOWEST_ISA
#define GAMELAN_LOWEST_ISA 0
#define GAMELAN_HIGHEST_ISA 2
#endif

namespace gamelan::engine::tiles {
namespace {

constexpr auto lowest_built = static_cast<Isa>(GAMELAN_LOWEST_ISA);
constexpr auto highest_built = static_cast<Isa>(GAMELAN_HIGHEST_ISA);

Isa best_of_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
    return Isa::baseline;
  const bool has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return has_512 ? Isa::avx512 : Isa::avx2;
#else
  return Isa::baseline;
#endif
}

std::atomic<Isa> limit{highest_built};

std::atomic<Isa>& chosen() {
  static std::atomic<Isa> level{best_isa()};
  return level;
}

std::atomic<bool>& how_to_read() {
  // Measured, GB/s of one core: Zen 5 (AVX-512) 46 along one stream that is asked for ahead and 23 along
  // four; Zen 3 (AVX2) 10 and 12.
  static std::atomic<bool> asks_ahead{best_of_processor() == Isa::avx512};
  return asks_ahead;
}

}  // namespace

Isa best_isa() {
  static const Isa best = best_of_processor();
  return std::min(best, limit.load());
}

void limit_isa(Isa most) {
  limit = std::min(most, highest_built);
  chosen() = best_isa();
}

void set_isa(Isa level) {
  if (level > best_isa()) {
    throw protocol::Error(protocol::ErrorKind::internal,
                          "[isa] level not available: got " + std::string(name(level)) +
                              ", this processor runs " + std::string(name(best_isa())));
  }
  if (level < lowest_built) {
    throw protocol::Error(protocol::ErrorKind::os,
                          "[isa] these engines are built for machines with " +
                              std::string(name(lowest_built)) + ", and one of their machines has " +
                              std::string(name(level)) + ": build with -DGAMELAN_LEVELS=all");
  }
  chosen() = level;
}

Isa isa() { return chosen(); }

bool asks_ahead() { return how_to_read(); }
void set_asks_ahead(bool asks) { how_to_read() = asks; }

std::string_view name(Isa level) {
  switch (level) {
    case Isa::baseline:
      return "baseline";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "unknown";
}

}  // namespace gamelan::engine::tiles
