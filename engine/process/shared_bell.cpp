// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/shared_bell.hpp"

#include <cstring>

#include "engine/ranks/lent_memory.hpp"
#include "protocol/lanes/patience.hpp"

namespace gamelan::engine {

SharedBell::SharedBell(Comm& comm, Board& board, const std::optional<protocol::LaneOffer>& offer)
    : board_(board) {
  struct Told {
    protocol::LaneOffer offer;
    bool rings = false;  ///< rank 0, which posts messages, rings the bell
  } told;
  const auto map = [&] {
    try {
      lanes_ = protocol::map_lanes(told.offer);
    } catch (const protocol::Error&) {  // the board's own counters wake us, a little later
    }
    return lanes_ != nullptr;
  };
  protocol::Bytes bytes;
  if (comm.rank() == 0 && offer) {
    told.offer = *offer;
    const protocol::Patience patience(static_cast<int>(comm.near_ranks().size()));
    if (map()) told.rings = patience.has_a_core();
    const auto* first = reinterpret_cast<const std::byte*>(&told);
    if (lanes_) bytes.assign(first, first + sizeof told);
  }
  bytes = board.exchange(std::move(bytes));
  if (comm.rank() != 0 && comm.leader() == 0 && bytes.size() == sizeof told) {
    std::memcpy(&told, bytes.data(), sizeof told);
    map();
  }
  if (lanes_ && told.rings) board.sleep_at(&lanes_->bell);
  if (comm.agree_min(lanes_ != nullptr ? 1 : 0) == 0) return;
  set_lent_memory(reinterpret_cast<const std::byte*>(lanes_.get()));
  lanes_->takes_lent.store(true);
}

SharedBell::~SharedBell() {
  set_lent_memory(nullptr);
  board_.sleep_at(nullptr);
}

}  // namespace gamelan::engine
