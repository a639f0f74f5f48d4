// SPDX-License-Identifier: BSD-3-Clause
// What ranks without common memory send each other before a step: from who reads what over which iterations,
// and who owns it, follow the messages of one rank, both those that it sends and those that it receives.
// Every rank finds its own without asking another and without a loop over ranks that it has nothing to do
// with. Pure.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "engine/distribution/pieces.hpp"

namespace gamelan::engine::distribution {

/// An operand and who reads it. Rank r reads the iterations that follow from its part of `readers`, axis by
/// axis.
struct RemoteRead {
  struct Axis {
    int reader = -1;  ///< axis of `readers`; -1: every iteration
    std::int64_t scale =
        1;  ///< index i of the reader's axis stands for the iterations [i * scale, (i + 1) * scale)
    std::int64_t shift = 0;  ///< what is taken off them
    std::int64_t whole = 1;  ///< a reader takes all of every run of so many iterations that it touches
  };
  int slot = -1;
  Placement placement;  ///< of the operand
  Layout readers;
  std::vector<Axis> axes;  ///< per iteration axis

  /// The iterations that a rank reads; nothing when there are none. (A box of no axes is one iteration.)
  std::optional<Box> box_of(int rank) const;
};
/// Every iteration belongs to who has it in `readers`.
RemoteRead aligned_read(int slot, const Placement& placement, const Layout& readers);

/// A box of a base array, every step-th index per axis, within the block of one rank.
struct Region {
  struct Range {
    std::int64_t first = 0, count = 0, step = 1;
    bool operator==(const Range&) const = default;
  };
  int slot = -1;
  const Layout* base = nullptr;  ///< of the remote read that it comes from
  std::size_t item_bytes = 0;
  std::vector<Range> ranges;

  std::int64_t bytes() const;  ///< packed, rounded up so that the next one is aligned
  /// At most so many bytes of memory, whole pages, are touched where it is laid down at its place in
  /// `owner`'s block.
  std::int64_t page_bytes_at(int owner) const;
};
struct Message {
  int partner = 0;
  std::vector<Region> regions;  ///< the same, in the same order, at both ends
  std::int64_t bytes() const;
};
struct Exchange {
  std::vector<Message> sends, receives;  ///< by rising partner
  bool is_empty() const { return sends.empty() && receives.empty(); }
  /// An upper bound of what the exchange costs this rank in memory: packed both ways, and laid down.
  std::int64_t memory_bytes() const;
};

/// The messages of `rank`, one of `ranks`, for these remote reads; ranks that `is_near` need none. The remote
/// reads must outlive the result.
Exchange exchange_of(std::span<const RemoteRead> remote_reads, int rank, int ranks,
                     const std::function<bool(int)>& is_near);

/// Calls visit(offset in bytes, elements, bytes from one to the next) for each run of a region within
/// `owner`'s block.
void for_each_run(const Region& region, int owner,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit);

}  // namespace gamelan::engine::distribution
