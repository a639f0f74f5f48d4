// SPDX-License-Identifier: BSD-3-Clause
// What a plan depends on besides the batch and the arrays there are: how many ranks there are, what is
// switched off, and where a rank stands. Set by the session.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace gamelan::engine::plan {

struct PassTimes;  // passes.hpp

/// What may be switched off. Results do not change by it, and a test says so.
enum class Switch : std::uint8_t {
  relayout,
  simplify,
  strength_reduction,
  elide_copies,
  fuse,
  interior,
  contract,
  version
};
struct SwitchInfo {
  Switch which;
  const char* name;
  const char* meaning;
};
/// All of them, in the order of the enum.
std::span<const SwitchInfo> switches();

/// Which rank looks at a plan, and with whom it shares memory.
struct Standpoint {
  int rank = 0;
  std::function<bool(int)> is_near;
};

struct Options {
  int ranks = 1;
  std::set<std::string> disabled;  ///< names of switches; the session has some of its own
  bool keeps_unread =
      false;  ///< results that nobody reads are computed and stored all the same: somebody is timing
  std::optional<Standpoint>
      standpoint;              ///< of this rank, when there are several nodes: steps then say what they read
  PassTimes* times = nullptr;  ///< where the passes add how long they took, if anywhere
  bool has(Switch which) const {
    return !disabled.contains(switches()[static_cast<std::size_t>(which)].name);
  }
};

}  // namespace gamelan::engine::plan
