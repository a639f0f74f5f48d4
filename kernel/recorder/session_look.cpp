// SPDX-License-Identifier: BSD-3-Clause
// A look at a few elements of pending arrays (pending/partial_look.hpp): a request that changes no array, and
// that no log keeps. Whatever goes wrong with it, all that is pending is sent instead, which says why.
#include <algorithm>
#include <tuple>

#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Bytes;
using protocol::View;

namespace {
constexpr std::size_t many_commands = 32;  // pending ones, before those are dropped whose results have died

std::int64_t bytes_made_by(const std::vector<protocol::Command>& commands) {
  std::int64_t bytes = 0;
  for (const auto& command : commands) bytes += bytes_of(command.out);
  return bytes;
}

/// How many of the `count` commands behind the first `own` ones have met no floating-point error, nor has any
/// of those before them. None, when there may be errors of which nothing was told.
std::size_t sound_behind(std::size_t own, std::size_t count, std::span<const protocol::FloatErrors> errors) {
  if (errors.size() >= protocol::most_float_errors) return 0;
  for (const auto& met : errors)
    if (static_cast<std::size_t>(met.last) >= own)
      count = std::min(count, std::max(static_cast<std::size_t>(met.first), own) - own);
  return count;
}

}  // namespace

bool Session::may_read(ArrayId id) const {
  return recorder_.is_own(id) && recorder_.poison_of(id) == nullptr && !shared_.contains(id) &&
         !unstored_.contains(id);
}

Foresight::Rules Session::foresight_rules() {
  const auto is_computed = [this](ArrayId id) {
    const auto& commands = recorder_.pending().commands;
    return may_read(id) && std::none_of(commands.begin(), commands.end(),
                                        [&](const auto& command) { return command.out.base == id; });
  };
  const auto has_died = [this, dead = std::optional<std::unordered_set<ArrayId>>()](ArrayId id) mutable {
    if (!dead) {
      const auto ids = recorder_.peek_frees();
      dead.emplace(ids.begin(), ids.end());
    }
    return dead->contains(id);
  };
  return {[this] { return recorder_.new_id(); }, is_computed, has_died, sender_.watched(),
          recorder_.limits().work};
}

std::optional<PartialLook> Session::part_of(const std::vector<View>& views) {
  auto look =
      partial_look(recorder_.pending(), views,
                   {[this] { return recorder_.new_id(); }, [this](ArrayId id) { return may_read(id); }});
  if (!look) return std::nullopt;
  const auto is_known = [&](const View& view) {
    return std::find(looked_at_.begin(), looked_at_.end(), view) != looked_at_.end();
  };
  // Who comes back for more of an array gets all of it.
  const auto is_seen = [&](ArrayId id) {
    return std::any_of(looked_at_.begin(), looked_at_.end(),
                       [&](const View& view) { return view.base == id; });
  };
  if (!std::all_of(look->looked_at.begin(), look->looked_at.end(), is_known) &&
      std::any_of(look->looked_at.begin(), look->looked_at.end(),
                  [&](const View& view) { return is_seen(view.base); }))
    return std::nullopt;
  return look;
}

std::optional<protocol::Reply> Session::ask(PartialLook look) {
  const auto made = look.made;
  const auto wanted = look.fetches.size();
  std::optional<protocol::Reply> reply;
  try {
    reply = sender_.ask(std::move(look));
  } catch (const std::exception&) {
    for (const auto id : made) recorder_.free(id);  // it may have been cut before it freed them
    throw;
  }
  if (!reply || reply->outcome != protocol::Outcome::ok || reply->payloads.size() != wanted) {
    for (const auto id : made) recorder_.free(id);
    return std::nullopt;
  }
  for (const auto& payload : reply->payloads) fetched_bytes_ += payload.size();
  return reply;
}

std::optional<std::vector<Bytes>> Session::look(const std::vector<View>& views) {
  // First of all: it counts the turns of loops.
  const auto rules = foresight_rules();
  auto known = foresight_.look(recorder_.pending(), recorder_.recorded_commands(), views, rules);
  if (recorder_.is_empty() || is_alone_ || is_recovering_ || engines_.has_ended() || !sender_.only_warns())
    return std::nullopt;
  if (keeps_unread()) return std::nullopt;
  if (recorder_.pending().commands.size() >= many_commands) {
    const auto dropped = recorder_.drop_dead();
    foresight_.note_freed(dropped);
    std::erase_if(looked_at_, [&](const View& view) {
      return std::find(dropped.begin(), dropped.end(), view.base) != dropped.end();
    });
  }
  auto part = known ? std::nullopt : part_of(views);
  if (part && (known = near_.compute(*part)))
    looked_at_.insert(looked_at_.end(), part->looked_at.begin(), part->looked_at.end());
  if (known) {
    if (!outstanding_.empty()) take_replies(std::chrono::milliseconds(0));  // what has failed is told
    outcomes_.tell();
    return known;
  }
  if (part) return look_at_part(views, *std::move(part));
  if (const auto place = place_of_turn()) return look_behind(*place, rules);
  if (auto turns = foresight_.ahead(rules)) return look_ahead(views, *std::move(turns));
  return std::nullopt;
}

std::optional<std::vector<Bytes>> Session::look_at_part(const std::vector<View>& views, PartialLook part) {
  if (!outstanding_.empty()) {  // they come first; meanwhile other threads may have recorded something
    settle_all();
    outcomes_.tell();
    auto now = part_of(views);
    if (!now) return std::nullopt;
    part = *std::move(now);
  }
  looked_at_.insert(looked_at_.end(), part.looked_at.begin(), part.looked_at.end());
  const auto near = near_.wanted(part);
  const auto epoch = near_.epoch();
  part.fetches.insert(part.fetches.end(), near.begin(), near.end());
  auto reply = ask(std::move(part));
  if (!reply) return std::nullopt;
  auto& payloads = reply->payloads;
  const auto extra = payloads.end() - static_cast<std::ptrdiff_t>(near.size());
  if (epoch == near_.epoch())
    near_.keep(near, {std::move_iterator(extra), std::move_iterator(payloads.end())});
  payloads.erase(extra, payloads.end());
  return std::move(payloads);
}

std::optional<std::size_t> Session::place_of_turn() const {
  const auto turn = foresight_.first_turn();
  const auto& commands = recorder_.pending().commands;
  const auto& calls = recorder_.pending_calls();
  if (turn.empty() || turn.size() >= commands.size() || recorder_.has_poisoned()) return std::nullopt;
  const auto place = commands.size() - turn.size();
  const bool is_there = commands[place].out.base == turn.front().out.base;  // nothing of it was dropped
  if (!is_there || (calls[place] != 0 && calls[place] == calls[place - 1])) return std::nullopt;
  const auto is_of_file = [](const protocol::Command& command) { return protocol::is_of_file(command.op); };
  if (std::any_of(commands.begin(), commands.end(), is_of_file)) return std::nullopt;  // log/sums.hpp
  return place;
}

bool Session::settle_before_look() {
  if (outstanding_.empty()) return true;
  const auto now = [&] {
    return std::tuple(sender_.batches(), outcomes_.epoch(), recorder_.recorded_commands(),
                      recorder_.pending().commands.size());
  };
  const auto before = now();
  settle_all();
  outcomes_.tell();
  return before == now();
}

std::optional<std::vector<Bytes>> Session::look_behind(std::size_t place, const Foresight::Rules& rules) {
  if (!settle_before_look()) return std::nullopt;
  foresight_.begin_behind_others([this](ArrayId id) { return may_read(id); });
  auto turns = foresight_.ahead(rules);
  if (!turns) return std::nullopt;
  auto look = std::exchange(turns->look, {});
  if (garbage_.may_not_fit_beside(bytes_made_by(look.commands))) return std::nullopt;
  const auto riding = look.commands.size();
  SentBatch sent;
  auto rider = sender_.batch_of(std::move(look));
  set_aside(place, [&] { sent = send_for_look({}, std::move(rider)); });
  const auto own = sent.written.size();
  auto reply = settle(std::move(sent));
  outcomes_.tell();
  if (reply.outcome != protocol::Outcome::ok) return std::nullopt;
  for (const auto& payload : reply.payloads) fetched_bytes_ += payload.size();
  return foresight_.keep(*turns, std::move(reply.payloads), sound_behind(own, riding, reply.float_errors));
}

void Session::settle_rider(SentBatch& sent, protocol::Reply& reply) {
  const auto own = static_cast<std::int64_t>(sent.written.size());
  if (reply.outcome == protocol::Outcome::ok) return;
  for (const auto id : sent.made_by_rider) recorder_.free(id);
  reply.payloads.clear();
  if (reply.command < own) return;
  for (const auto id : std::exchange(sent.freed, {}))
    if (recorder_.is_own(id)) recorder_.free(id);
  reply.outcome = protocol::Outcome::ok;
}

std::optional<std::vector<Bytes>> Session::look_ahead(const std::vector<View>& views,
                                                      Foresight::Ahead turns) {
  // The lines of these commands are those of what is pending.
  if (!settle_before_look()) return std::nullopt;
  for (const auto& view : views) require_sound(view.base);
  const auto asked = turns.look.commands.size();
  auto reply = ask(std::exchange(turns.look, {})).value_or(protocol::Reply{});
  return foresight_.keep(turns, std::move(reply.payloads), sound_behind(0, asked, reply.float_errors));
}

}  // namespace gamelan::kernel
