// SPDX-License-Identifier: BSD-3-Clause
// Arrays that need not be stored yet, because they equal a view of another. In
//     work = f(grid); grid[1:-1] = work; if work_is_done(...): ...
// `work` still has a name when the turn ends, and would be stored beside the grid. The next turn drops the
// name without reading the array. So the copy is elided: the session tells the planner that the array is
// freed with its batch. A later batch makes the copy of the view before it does anything that would show the
// difference. Pure: it reads batches only, and does the same on every rank.
#pragma once
#include <map>

#include "protocol/message.hpp"

namespace gamelan::engine {

class ElidedCopies {
 public:
  struct Copy {
    protocol::View to, from;  ///< `to`: the whole array
    protocol::Origin origin;  ///< the line that made the array
    std::size_t command = 0;  ///< the assignment after which both are equal, in its own batch
    bool owns_base = false;   ///< the client has freed the array under the view; it is kept for this copy
  };

  /// Prepares a batch. Elided copies that it only frees are forgotten. Those that it reads, or whose view it
  /// changes, are put in front as commands. Returns the latter, one for each command in front.
  std::vector<Copy> settle(protocol::Batch& batch);
  /// Undoes that for a copy whose command has not run: the view has not changed either, so the copy stays
  /// elided. Corrects batch.frees: the array that this batch would free, and the one that was kept only for
  /// the copy.
  void put_back(Copy copy, protocol::Batch& batch);
  /// Finds new elided copies: arrays that the batch creates, keeps, and leaves equal to a view of an array
  /// that existed before it.
  static std::vector<Copy> find(const protocol::Batch& batch);
  void add(Copy copy) { copies_.insert_or_assign(copy.to.base, std::move(copy)); }
  void forget(protocol::ArrayId id) { copies_.erase(id); }
  /// Forgets the copies of views of an array that is lost, and returns them.
  std::vector<protocol::ArrayId> forget_views_of(protocol::ArrayId base);
  bool contains(protocol::ArrayId id) const { return copies_.contains(id); }

 private:
  void release_base(const Copy& copy, protocol::Batch& batch) const;

  std::map<protocol::ArrayId, Copy> copies_;  // ordered, so that all ranks go through it alike
};

}  // namespace gamelan::engine
