// SPDX-License-Identifier: BSD-3-Clause
// The listener's part in leases: whose arrays a client's are, and the end of a client that is silent for too
// long.
#include <algorithm>
#include <chrono>
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

constexpr std::chrono::seconds longest_patience{366 * 86'400};

}  // namespace

std::optional<protocol::Reply> Listener::admit_holding(const protocol::Bytes& client,
                                                       const protocol::Holding& told, Incoming incoming) {
  using Ask = protocol::Holding::Ask;
  if (told.ask == Ask::introduce) {
    clients_.set_holder(client, told.holder, told.about);
    clients_.set_patience(client, std::min(longest_patience, std::chrono::seconds(told.array)));
  }
  bool has_ended = false;
  if (told.ask == Ask::inherit) {
    const auto owner = clients_.owner_after(told.array);
    const auto silence = clients_.silence_of(owner);
    has_ended = owner == told.array && told.about == "ended";  // the heir has looked for its process
    if (owner != told.holder && !has_ended && silence && *silence < Clients::surely_silent)
      return protocol::failed_reply(told.seq, protocol::ErrorKind::timeout,
                                    "the program that has these arrays is there: it was heard a moment ago");
  }
  auto refusal = inbox_.admit(std::move(incoming));
  if (told.ask == Ask::leave && refusal) clients_.leave_later(client);
  if (refusal) return refusal;
  if (told.ask == Ask::leave) clients_.set_holder(client, 0);
  if (told.ask == Ask::inherit)
    if (const auto earlier = clients_.take_holder(told.array, told.holder);
        !earlier.empty() && earlier != client) {
      if (has_ended) cancel(earlier, {});  // its heir would wait for what nobody wants any more
      inbox_.end_client(earlier,
                        "another kernel of this notebook has taken over its arrays (%session restore)");
    }
  return std::nullopt;
}

void Listener::end_leases() {
  while (inbox_.has_room()) {
    const auto expired = clients_.take_expired();
    if (!expired) return;
    const std::string time = time_text(lease_s_);
    const auto about = expired->has_left ? "" : "nothing was heard of it for " + time + " (--lease)";
    inbox_.end_client(expired->client,
                      "the engines have freed the arrays of this client: nothing was heard of it for " +
                          time + " (--lease)");
    protocol::Request leave =
        protocol::Holding{0, protocol::Holding::Ask::leave, expired->holder, 0, "", about};
    protocol::Bytes packed = protocol::pack(protocol::encode(leave));
    inbox_.admit({{}, std::nullopt, std::move(packed), std::move(leave)});
    lanes_.ring();
  }
}

}  // namespace gamelan::engine
