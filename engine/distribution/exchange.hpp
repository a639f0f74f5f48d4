// SPDX-License-Identifier: BSD-3-Clause
// Which messages ranks without common memory exchange before a step. From who reads what over which
// iterations, and who owns it, follow the messages that one rank sends and receives. Every rank finds its own
// messages without asking another, and without a loop over ranks with which it exchanges nothing. Pure.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "engine/distribution/pieces.hpp"

namespace gamelan::engine::distribution {

/// An operand and the ranks that read it. The iterations that rank r reads follow from its part of `readers`,
/// axis by axis.
struct RemoteRead {
  struct Axis {
    int reader = -1;  ///< axis of `readers`; -1: every iteration
    std::int64_t scale =
        1;  ///< index i of the reader's axis stands for the iterations [i * scale, (i + 1) * scale)
    std::int64_t shift = 0;  ///< subtracted from those iterations
    std::int64_t whole = 1;  ///< a reader takes every run of so many iterations as a whole when it touches it
  };
  int slot = -1;
  Placement placement;  ///< of the operand
  Layout readers;
  std::vector<Axis> axes;  ///< per iteration axis

  /// The iterations that a rank reads; nullopt when there are none. (A box of no axes is one iteration.)
  std::optional<Box> box_of(int rank) const;
};
/// A remote read in which the rank that owns an iteration in `readers` reads it.
RemoteRead aligned_read(int slot, const Placement& placement, const Layout& readers);

/// A box of a base array, with every step-th index per axis, within the block of one rank.
struct Region {
  struct Range {
    std::int64_t first = 0, count = 0, step = 1;
    bool operator==(const Range&) const = default;
  };
  int slot = -1;
  const Layout* base = nullptr;  ///< of the remote read that it comes from
  std::size_t item_bytes = 0;
  std::vector<Range> ranges;

  std::int64_t bytes() const;  ///< packed, and rounded up so that the next region is aligned
  /// An upper bound of the memory, in whole pages, that is touched when the region is unpacked at its place
  /// in the ghost buffer of `owner`'s block.
  std::int64_t page_bytes_at(int owner) const;
};
/// All that this rank sends to, or receives from, one partner in a step.
struct Message {
  int partner = 0;
  std::vector<Region> regions;  ///< the same in the same order for sender and receiver
  std::int64_t bytes() const;
};
/// The messages of one rank in one step.
struct Exchange {
  std::vector<Message> sends, receives;  ///< sorted by partner
  bool is_empty() const { return sends.empty() && receives.empty(); }
  /// An upper bound of the memory that this rank needs for the exchange: packed in both directions, and
  /// unpacked.
  std::int64_t memory_bytes() const;
};

/// The messages of `rank`, one of `ranks`, for these remote reads. Ranks that `is_near` need no message. The
/// remote reads must outlive the result.
Exchange exchange_of(std::span<const RemoteRead> remote_reads, int rank, int ranks,
                     const std::function<bool(int)>& is_near);

/// Calls visit(offset in bytes, elements, bytes from one element to the next) for each run of a region within
/// `owner`'s block.
void for_each_run(const Region& region, int owner,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit);

}  // namespace gamelan::engine::distribution
