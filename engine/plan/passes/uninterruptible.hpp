// SPDX-License-Identifier: BSD-3-Clause
// How long an interrupt waits. When a change of an array joins an earlier pass, it overtakes the passes in
// between. Until these are done, the arrays are those of no moment of the program (prefixes.cpp), and the
// plan cannot be cut. This file keeps such uninterruptible regions of groups with a rough guess of their
// time, so that `fuse` lets none become too long. Pure.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// Much longer than a loop's batch takes (kernel/recorder/session.cpp), so that only large single passes keep
/// their order because of it.
constexpr double longest_uninterruptible_s = 1;

/// A rough guess of the seconds that the node takes on one rank, in a pass with others.
double seconds_of(const Context& context, const Node& node);

class UninterruptibleRegions {
 public:
  explicit UninterruptibleRegions(const Context& context) : context_(context) {}

  /// The node joins the group, or opens a new one at the end.
  void add(std::size_t group, const Node& node);
  /// True when the node may join the group without making an uninterruptible region too long.
  bool admits(std::size_t group, const Node& node) const;

 private:
  struct Part {
    std::size_t first;   ///< group with which the region begins
    double seconds = 0;  ///< of the group
    bool is_seen = false;
  };
  /// True when the node changes an array that the user can see, and so do later groups.
  bool overtakes(std::size_t group, const Node& node) const;

  const Context& context_;
  std::vector<Part> parts_;
};

}  // namespace gamelan::engine::plan
