// SPDX-License-Identifier: BSD-3-Clause
// Which versions of arrays share a block when several passes run as one step. Without that, each sweep of a
// loop would write memory of its own, and nothing would stay in cache. For tile_time.cpp.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// What becomes of the slots of passes that are joined: slots that are no longer needed give their block to
/// later ones of the same form. The plan's other steps see the slots that they know.
class SharedSlots {
 public:
  /// nullopt when the passes cannot be joined: what a pass leaves as it was in a new version (its carry) is
  /// written by another. All steps are fused loops or first halves of reductions.
  static std::optional<SharedSlots> of(const Plan& plan, std::span<const Step> steps);

  int renamed(int slot) const;
  /// The pass over the slots that are left. Of its carries only those stay that fill a new block; these may
  /// be copied before all passes.
  FusedLoop renamed(FusedLoop loop) const;
  FoldBlocks renamed(FoldBlocks fold) const;
  const std::vector<int>& allocates() const { return allocates_; }
  const std::vector<int>& releases() const { return releases_; }
  const std::vector<int>& binds() const { return binds_; }
  /// Bytes of a rank that the joined passes need beyond what the single ones need at most; may be negative.
  std::int64_t more_bytes() const { return more_bytes_; }

 private:
  friend class SlotSharing;    // shared_slots.cpp: makes them
  std::map<int, int> names_;   ///< by slot: the one that is left
  std::map<int, int> firsts_;  ///< by slot that is left: the one that was first in its block
  std::vector<int> allocates_, releases_, binds_;
  std::int64_t more_bytes_ = 0;
};

}  // namespace gamelan::engine::plan
