// SPDX-License-Identifier: BSD-3-Clause
// How long an interrupt waits. A change of an array that joins an earlier pass overtakes what stands between:
// until that is done, the arrays are those of no moment of the program (prefixes.cpp), and the plan cannot be
// cut. Here such uninterruptible regions of groups are kept, with a rough guess of their time, so that `fuse`
// lets none become too long. Pure.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// Far more than a loop's batch takes (kernel/recorder/session.cpp), so that only large single passes are
/// kept in their order.
constexpr double longest_uninterruptible_s = 1;

/// Roughly what the node takes on one rank, in a pass of others.
double seconds_of(const Context& context, const Node& node);

class UninterruptibleRegions {
 public:
  explicit UninterruptibleRegions(const Context& context) : context_(context) {}

  /// The node joins the group, or opens one at the end.
  void add(std::size_t group, const Node& node);
  /// True when it may join as far as interrupts are concerned.
  bool admits(std::size_t group, const Node& node) const;

 private:
  struct Part {
    std::size_t first;   ///< group with which the region begins
    double seconds = 0;  ///< of the group
    bool is_seen = false;
  };
  /// It changes an array under the eyes of the user, who sees what a later group does, too.
  bool overtakes(std::size_t group, const Node& node) const;

  const Context& context_;
  std::vector<Part> parts_;
};

}  // namespace gamelan::engine::plan
