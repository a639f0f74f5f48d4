// SPDX-License-Identifier: BSD-3-Clause
// What a plan depends on besides the batch and the existing arrays: how many ranks there are, what is
// switched off, and the standpoint of this rank. Set by the session.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace gamelan::engine::plan {

struct PassTimes;  // passes.hpp

/// What may be switched off. Results do not change by it, which tests check.
enum class Switch : std::uint8_t {
  relayout,
  simplify,
  strength_reduction,
  elide_copies,
  split_assembled,
  unroll_short_axes,
  recompute,
  fuse,
  interior,
  contract,
  version,
  chain_rows,
  tile_time,
  put_by_owner
};
/// The name of a switch, as users write it, and what it does.
struct SwitchInfo {
  Switch which;
  const char* name;
  const char* meaning;
};
/// All switches, in the order of the enum.
std::span<const SwitchInfo> switches();

/// Whose messages are computed beside the plan, and with which ranks that rank shares memory. The plan itself
/// is the same for all.
struct Standpoint {
  int rank = 0;
  std::function<bool(int)> is_near;
};

/// Which passes over the same arrays are tiled in time (passes/tile_time.cpp): none, those over arrays larger
/// than a cache, or, for tests, also small ones.
enum class Tiling : std::uint8_t { off, on, always };

struct Options {
  int ranks = 1;
  Tiling tiling = Tiling::on;
  std::set<std::string> disabled;  ///< names of switches; the session has some of its own
  bool keeps_unread = false;  ///< results that nobody reads are computed and stored all the same, for timing
  std::optional<Standpoint> standpoint;  ///< of this rank, on several nodes: steps then say what they read
  PassTimes* times = nullptr;            ///< where the passes add the time that they took; may be null
  bool has(Switch which) const {
    return !disabled.contains(switches()[static_cast<std::size_t>(which)].name);
  }
};

}  // namespace gamelan::engine::plan
