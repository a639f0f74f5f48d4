// SPDX-License-Identifier: BSD-3-Clause
// What each client has asked and what it was answered, within limits of clients, replies, bytes and time.
#include "engine/serving/clients.hpp"

#include <algorithm>
#include <utility>

#include "protocol/parts.hpp"

namespace gamelan::engine {
namespace {

constexpr std::size_t max_clients = 256;
constexpr std::size_t max_kept_replies = 128;
constexpr auto longest_look =
    std::chrono::seconds(2);  // a longer time between two looks is one in which we were stopped
constexpr auto sweep_period = std::chrono::seconds(1);
constexpr auto last_words =
    std::chrono::milliseconds(500);  // after its death a client is heard so long: what lay in a buffer

std::size_t bytes_of(const protocol::Frames& frames) {
  std::size_t bytes = 0;
  for (const protocol::Bytes& frame : frames) bytes += frame.size();
  return bytes;
}

}  // namespace

bool Clients::ByBytes::operator()(const Bytes& left, const Bytes& right) const {
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                      [](std::byte a, std::byte b) { return a < b; });
}

Clients::Clients() : Clients(Limits{}) {}

Clients::Clients(Limits limits) : limits_(limits) {}

void Clients::look(Clock::time_point now) {
  watched_ += std::min<Clock::duration>(now - last_look_, longest_look);
  last_look_ = now;
  if (watched_ - swept_ < sweep_period) return;
  swept_ = watched_;
  for (auto& [name, client] : known_)
    while (!client.replies.empty() &&
           watched_ - client.heard >
               std::max(limits_.silence, client.holder != 0 ? client.patience : Clock::duration{}))
      drop_oldest(client);
}

Clients::Bytes Clients::hear(const Bytes& routing_id) {
  const auto name = protocol::parse_routing_id(routing_id);
  if (!name) return routing_id;
  const auto [found, is_new] = known_.try_emplace(name->client);
  Client& client = found->second;
  look();
  client.heard = watched_;
  if (client.may_be_dead && watched_ - client.dead_since > last_words) client.may_be_dead = false;
  // Bytes of an older connection may still be read after the first ones of a newer.
  if (is_new || name->connection >= client.connection) {
    client.connection = name->connection;
    client.routing_id = routing_id;
  }
  if (known_.size() > max_clients) forget_somebody(client);
  return name->client;
}

Clients::Seen Clients::admit(const Bytes& client, std::uint64_t seq) {
  const auto found = known_.find(client);
  if (found == known_.end()) return Seen::fresh;
  Client& known = found->second;
  if (known.waiting.contains(seq)) return Seen::waiting;
  if (known.replies.contains(seq)) return Seen::answered;
  if (seq <= known.settled) return Seen::forgotten;
  known.waiting.insert(seq);
  return Seen::fresh;
}

void Clients::answer(const Bytes& client, std::uint64_t seq, SharedFrames reply) {
  const auto found = known_.find(client);
  if (found == known_.end()) return;
  Client& known = found->second;
  known.waiting.erase(seq);
  if (seq <= known.settled || known.replies.contains(seq)) return;
  const std::size_t bytes = bytes_of(*reply);
  known.reply_bytes += bytes;
  kept_bytes_ += bytes;
  known.replies.emplace(seq, std::move(reply));
  while (known.replies.size() > max_kept_replies) drop_oldest(known);
  make_room(known);
}

void Clients::make_room(const Client& newest) {
  while (kept_bytes_ > limits_.bytes) {
    Client* most = nullptr;  // the client with most bytes: so the fewest clients lose replies
    for (auto& [name, client] : known_) {
      if (client.replies.empty() || (&client == &newest && client.replies.size() == 1)) continue;
      if (!most || client.reply_bytes > most->reply_bytes) most = &client;
    }
    if (!most) return;
    drop_oldest(*most);
  }
}

Clients::SharedFrames Clients::reply(const Bytes& client, std::uint64_t seq) const {
  const auto found = known_.find(client);
  if (found == known_.end()) return nullptr;
  const auto kept = found->second.replies.find(seq);
  return kept == found->second.replies.end() ? nullptr : kept->second;
}

void Clients::release(const Bytes& client, std::uint64_t heard) {
  const auto found = known_.find(client);
  if (found == known_.end()) return;
  Client& known = found->second;
  while (!known.replies.empty() && known.replies.begin()->first <= heard) drop_oldest(known);
  known.settled = std::max(known.settled, heard);
}

Clients::Bytes Clients::routing_id(const Bytes& client) const {
  const auto found = known_.find(client);
  return found == known_.end() ? client : found->second.routing_id;
}

void Clients::set_holder(const Bytes& client, std::uint64_t holder, std::string who) {
  for (auto& [name, other] : known_)
    if (holder != 0 && other.holder == holder) other.holder = 0;
  if (const auto found = known_.find(client); found != known_.end()) {
    found->second.holder = holder;
    found->second.who = std::move(who);
    found->second.has_left = false;
  }
}

void Clients::set_patience(const Bytes& client, Clock::duration patience) {
  if (const auto found = known_.find(client); found != known_.end()) found->second.patience = patience;
}

Clients::Clock::duration Clients::patience() const {
  Clock::duration longest{};
  for (const auto& [name, client] : known_)
    if (client.holder != 0 && !client.may_be_dead) longest = std::max(longest, client.patience);
  return longest;
}

void Clients::note_closed(Clock::duration recent) {
  for (auto& [name, client] : known_) {
    if (watched_ - client.heard >= recent) continue;
    client.may_be_dead = true;
    client.dead_since = watched_;
  }
}

std::vector<std::string> Clients::living_besides(const Bytes& asker) const {
  std::vector<std::string> living;
  for (const auto& [name, client] : known_) {
    if (name == asker || client.holder == 0 || client.has_left) continue;
    const auto silence = watched_ - client.heard;
    if (silence < surely_silent || (!client.may_be_dead && silence < client.patience))
      living.push_back(client.who);
  }
  return living;
}

void Clients::leave_later(const Bytes& client) {
  if (const auto found = known_.find(client); found != known_.end()) found->second.has_left = true;
}

std::optional<Clients::Clock::duration> Clients::silence_of(std::uint64_t holder) const {
  for (const auto& [name, client] : known_)
    if (holder != 0 && client.holder == holder) return watched_ - client.heard;
  return std::nullopt;
}

std::uint64_t Clients::owner_after(std::uint64_t holder) const {
  for (auto heir = heirs_.find(holder); heir != heirs_.end(); heir = heirs_.find(holder))
    holder = heir->second;
  return holder;
}

Clients::Bytes Clients::take_holder(std::uint64_t holder, std::uint64_t heir) {
  const auto owner = owner_after(holder);
  if (owner == 0 || owner == heir) return {};
  heirs_.erase(heir);  // no circle
  heirs_[owner] = heir;
  for (auto& [name, client] : known_)
    if (client.holder == owner) {
      client.holder = 0;
      return name;
    }
  return {};
}

std::optional<Clients::Expired> Clients::take_expired() {
  const bool has_leases = limits_.lease > Clock::duration::zero();
  for (auto& [name, client] : known_) {
    if (client.holder == 0) continue;
    if (!client.has_left && (!has_leases || watched_ - client.heard <= limits_.lease)) continue;
    return Expired{name, std::exchange(client.holder, 0), std::exchange(client.has_left, false)};
  }
  return std::nullopt;
}

std::size_t Clients::kept_replies() const {
  std::size_t count = 0;
  for (const auto& [name, client] : known_) count += client.replies.size();
  return count;
}

void Clients::drop_oldest(Client& client) {
  const auto oldest = client.replies.begin();
  client.settled = std::max(client.settled, oldest->first);
  const std::size_t bytes = bytes_of(*oldest->second);
  client.reply_bytes -= bytes;
  kept_bytes_ -= bytes;
  client.replies.erase(oldest);
}

void Clients::forget_somebody(const Client& newest) {
  auto longest = known_.end();
  for (auto each = known_.begin(); each != known_.end(); ++each) {
    if (&each->second != &newest && each->second.waiting.empty() && each->second.holder == 0 &&
        (longest == known_.end() || each->second.heard < longest->second.heard))
      longest = each;
  }
  if (longest == known_.end()) return;
  kept_bytes_ -= longest->second.reply_bytes;
  known_.erase(longest);
}

}  // namespace gamelan::engine
