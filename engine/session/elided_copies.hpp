// SPDX-License-Identifier: BSD-3-Clause
// Arrays that need not be stored yet, because they equal a view of another. In
//     work = f(grid); grid[1:-1] = work; if work_is_done(...): ...
// `work` still has a name when the turn ends, and would be stored beside the grid; the next turn gives the
// name away unread. The copy is elided here: the session tells the planner that the array dies
// with its batch, and makes it a copy of the view in a later batch, before anything could tell the
// difference. Pure: looks at batches only, alike on every rank.
#pragma once
#include <map>

#include "protocol/message.hpp"

namespace gamelan::engine {

class ElidedCopies {
 public:
  struct Copy {
    protocol::View to, from;  ///< `to`: the whole array
    protocol::Origin origin;  ///< where the user made it
    std::size_t command = 0;  ///< of the batch that found it: the assignment after which both are equal
    bool owns_base = false;   ///< the client has freed the array under the view, which lives on for this
  };

  /// Readies a batch for elided copies: those that it only frees are forgotten, and those that it
  /// looks at, or whose view it changes, are made first. Returns these, one for each command that was put in
  /// front.
  std::vector<Copy> settle(protocol::Batch& batch);
  /// Undoes that for an array whose command has not run after all: the view has not changed either. What the
  /// batch would free, and what has only been kept for the array, is put right in batch.frees.
  void put_back(Copy copy, protocol::Batch& batch);
  /// What the batch creates, keeps, and leaves equal to a view of an array that was there before it.
  static std::vector<Copy> find(const protocol::Batch& batch);
  void add(Copy copy) { copies_.insert_or_assign(copy.to.base, std::move(copy)); }
  void forget(protocol::ArrayId id) { copies_.erase(id); }
  bool contains(protocol::ArrayId id) const { return copies_.contains(id); }

 private:
  void release_base(const Copy& copy, protocol::Batch& batch) const;

  std::map<protocol::ArrayId, Copy> copies_;  // in an order that all ranks share
};

}  // namespace gamelan::engine
