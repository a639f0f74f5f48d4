// SPDX-License-Identifier: BSD-3-Clause
// The listener's part in leases: whose arrays a client's are, and the end of a client that is silent for too
// long.
#include <cstdio>
#include <utility>

#include "engine/serving/listener.hpp"

namespace gamelan::engine {
namespace {

/// A time as people say it: "90 s", "10 min", "24 h".
std::string time_text(double seconds) {
  const auto [unit, name] = seconds < 120     ? std::pair(1.0, " s")
                            : seconds < 7'200 ? std::pair(60.0, " min")
                                              : std::pair(3'600.0, " h");
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", seconds / unit);
  return std::string(text) + name;
}

}  // namespace

void Listener::note_holder(const protocol::Bytes& client, const protocol::Holding& told) {
  if (told.ask == protocol::Holding::Ask::introduce) clients_.set_holder(client, told.holder);
  if (told.ask == protocol::Holding::Ask::leave) clients_.set_holder(client, 0);
}

void Listener::end_leases() {
  while (inbox_.has_room()) {
    const auto expired = clients_.take_expired();
    if (!expired) return;
    const std::string time = time_text(lease_s_);
    inbox_.end_client(expired->client,
                      "the engines have freed the arrays of this client: nothing was heard of it for " +
                          time + " (--lease)");
    protocol::Request leave = protocol::Holding{0,
                                                protocol::Holding::Ask::leave,
                                                expired->holder,
                                                0,
                                                "",
                                                "nothing was heard of it for " + time + " (--lease)"};
    protocol::Bytes packed = protocol::pack(protocol::encode(leave));
    inbox_.admit({{}, std::nullopt, std::move(packed), std::move(leave)});
    lanes_.ring();
  }
}

}  // namespace gamelan::engine
