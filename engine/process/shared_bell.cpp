// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/shared_bell.hpp"

#include <cstring>

namespace gamelan::engine {

SharedBell::SharedBell(Comm& comm, Board& board, const std::optional<protocol::LaneOffer>& offer)
    : board_(board) {
  protocol::Bytes told;
  if (comm.rank() == 0 && offer) {
    const auto* first = reinterpret_cast<const std::byte*>(&*offer);
    told.assign(first, first + sizeof *offer);
  }
  protocol::LaneOffer heard;
  const protocol::Patience patience(static_cast<int>(comm.near_ranks().size()));
  const auto map = [&](const protocol::Bytes& bytes) {
    if (bytes.size() != sizeof heard || comm.leader() != 0 || !patience.has_a_core()) return false;
    std::memcpy(&heard, bytes.data(), sizeof heard);
    try {
      lanes_ = protocol::map_lanes(heard);
      board.sleep_at(&lanes_->bell);
    } catch (const protocol::Error&) {  // the board's own counters wake us, a little later
    }
    return lanes_ != nullptr;
  };
  if (comm.rank() == 0 && !map(told)) told.clear();  // who posts messages must be able to ring
  told = board.exchange(std::move(told));
  if (comm.rank() != 0) map(told);
}

SharedBell::~SharedBell() { board_.sleep_at(nullptr); }

}  // namespace gamelan::engine
