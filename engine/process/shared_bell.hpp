// SPDX-License-Identifier: BSD-3-Clause
// All ranks of rank 0's machine map the memory of the lanes. So a client's request wakes them at once:
// without this, rank 0 would wake, and then wake the others, and a batch would wait twice for the system to
// wake a process. And each reads its own part of what clients lend (protocol/check.hpp).
#pragma once
#include <optional>

#include "engine/nodes/board.hpp"
#include "engine/ranks/comm.hpp"
#include "protocol/lanes/lane_memory.hpp"

namespace gamelan::engine {

class SharedBell {
 public:
  /// Collective. `offer`: of rank 0, which has made the lanes; ignored elsewhere. Ranks that cannot map them,
  /// and those of other nodes, sleep at the board as before; so do all where there are more ranks than cores,
  /// because those that wake early would stand in rank 0's way. Clients may lend when all ranks of the job
  /// have mapped them.
  SharedBell(Comm& comm, Board& board, const std::optional<protocol::LaneOffer>& offer);
  ~SharedBell();
  SharedBell(const SharedBell&) = delete;
  SharedBell& operator=(const SharedBell&) = delete;

 private:
  Board& board_;
  protocol::LaneMemory lanes_;
};

}  // namespace gamelan::engine
