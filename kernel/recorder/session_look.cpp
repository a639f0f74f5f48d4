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

std::optional<PartialLook> Session::part_of(const std::vector<View>& views) {
  const auto is_published = [this](ArrayId id) {
    return std::any_of(published_.begin(), published_.end(),
                       [&](const auto& each) { return each.second.array == id; });
  };
  const auto may_read = [&](ArrayId id) {
    return recorder_.is_own(id) && recorder_.poison_of(id) == nullptr && !is_published(id);
  };
  auto look = partial_look(recorder_.pending(), views, {[this] { return recorder_.new_id(); }, may_read});
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

std::optional<std::vector<Bytes>> Session::look(const std::vector<View>& views) {
  if (recorder_.is_empty() || is_alone_ || is_recovering_ || engines_.has_ended() || !sender_.only_warns())
    return std::nullopt;
  auto part = part_of(views);
  if (!part) return std::nullopt;
  if (recorder_.pending().commands.size() >= many_commands) recorder_.drop_dead();
  if (!outstanding_.empty()) {  // they come first; meanwhile other threads may have recorded something
    settle_all();
    outcomes_.tell();
    part = part_of(views);
    if (!part) return std::nullopt;
  }
  const auto made = part->made;
  looked_at_.insert(looked_at_.end(), part->looked_at.begin(), part->looked_at.end());
  std::optional<protocol::Reply> reply;
  try {
    reply = sender_.ask(*std::move(part));
  } catch (const std::exception&) {
    for (const auto id : made) recorder_.free(id);  // it may have been cut before it freed them
    throw;
  }
  if (!reply || reply->outcome != protocol::Outcome::ok || reply->payloads.size() != views.size()) {
    for (const auto id : made) recorder_.free(id);
    return std::nullopt;
  }
  for (const auto& payload : reply->payloads) fetched_bytes_ += payload.size();
  return std::move(reply->payloads);
}

}  // namespace gamelan::kernel
