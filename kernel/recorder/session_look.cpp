// SPDX-License-Identifier: BSD-3-Clause
// A look at a few elements of pending arrays (pending/partial_look.hpp): a request that changes no array, and
// that no log keeps. Whatever goes wrong with it, all that is pending is sent instead, which says why.
#include <algorithm>

#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Bytes;
using protocol::View;

namespace {
constexpr std::size_t many_commands = 32;  // pending ones, before those are dropped whose results have died
}

bool Session::may_read(ArrayId id) const {
  return recorder_.is_own(id) && recorder_.poison_of(id) == nullptr &&
         std::none_of(published_.begin(), published_.end(),
                      [&](const auto& each) { return each.second.array == id; });
}

Foresight::Rules Session::foresight_rules() {
  const auto is_computed = [this](ArrayId id) {
    const auto& commands = recorder_.pending().commands;
    return may_read(id) && std::none_of(commands.begin(), commands.end(),
                                        [&](const auto& command) { return command.out.base == id; });
  };
  const auto has_died = [this](ArrayId id) {
    const auto ids = recorder_.peek_frees();
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  return {[this] { return recorder_.new_id(); }, is_computed, has_died, sender_.watched()};
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
  const auto rules = foresight_rules();
  const bool may_ask =
      !recorder_.is_empty() && !is_alone_ && !is_recovering_ && !engines_.has_ended() && sender_.only_warns();
  auto known = foresight_.look(recorder_.pending(), recorder_.recorded_commands(), views, rules);
  if (!may_ask) return std::nullopt;
  if (recorder_.pending().commands.size() >= many_commands) foresight_.note_freed(recorder_.drop_dead());
  if (known) return known;
  auto part = part_of(views);
  auto turns = part ? std::nullopt : foresight_.ahead(rules);
  if (!part && !turns) return std::nullopt;
  if (!outstanding_.empty()) {  // they come first; meanwhile other threads may have recorded something
    const auto sent = sender_.batches();
    settle_all();
    outcomes_.tell();
    part = part_of(views);
    if (sent != sender_.batches()) turns.reset();
    if (!part && !turns) return std::nullopt;
  }
  if (part) {
    looked_at_.insert(looked_at_.end(), part->looked_at.begin(), part->looked_at.end());
    auto reply = ask(*std::move(part));
    return reply ? std::optional(std::move(reply->payloads)) : std::nullopt;
  }
  turns->watched = rules.watched;
  auto sound = turns->commands.size();
  auto reply = ask(*std::move(turns)).value_or(protocol::Reply{});
  for (const auto& met : reply.float_errors) sound = std::min(sound, static_cast<std::size_t>(met.first));
  return foresight_.keep(std::move(reply.payloads), sound, rules.watched);
}

}  // namespace gamelan::kernel
