// SPDX-License-Identifier: BSD-3-Clause
// Arrays with a name that no engine stores (pending/unstored.hpp): a look leaves them out. Whatever needs one
// later has it stored before anything that is pending, and waits for that: from then on it is an array as any
// other. The engines and the log never hear of its number before.
#include <algorithm>
#include <string>
#include <utility>

#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::View;

namespace {
bool is_large(const protocol::Command& command) {
  return command.creates && bytes_of(command.out) >= least_unstored_bytes;
}
}  // namespace

bool Session::keeps_unread() const {
  const auto& options = sender_.options();
  return std::find(options.begin(), options.end(), std::pair<std::string, std::string>("keep_unread", "1")) !=
         options.end();
}

void Session::set_aside(std::size_t place, const std::function<void()>& send_others) {
  const auto& commands = recorder_.pending().commands;
  for (auto n = place; n < commands.size(); ++n) {
    set_aside_.insert(commands[n].out.base);
    for (const auto& operand : commands[n].in)
      if (const auto* view = std::get_if<View>(&operand)) set_aside_.insert(view->base);
  }
  auto later = sender_.set_aside(place);
  const auto add_again = [&] {
    set_aside_.clear();
    sender_.add_again(std::move(later));
  };
  try {
    send_others();
  } catch (const std::exception&) {
    add_again();
    throw;
  }
  add_again();
}

void Session::record(Recipe recipe) {
  auto lines = std::move(recipe_lines_.extract(recipe.array).mapped());
  std::unordered_map<ArrayId, ArrayId> names;  // of temporaries: theirs died with the batch
  for (std::size_t n = 0; n < recipe.commands.size(); ++n) {
    auto& command = recipe.commands[n];
    for (auto& operand : command.in)
      if (auto* view = std::get_if<View>(&operand))
        if (const auto found = names.find(view->base); found != names.end()) view->base = found->second;
    if (command.out.base != recipe.array) {
      const auto temporary = names[command.out.base] = recorder_.new_id();
      command.out.base = temporary;
      recorder_.free(temporary);
    }
    sender_.add_again(std::move(command), std::move(lines[n]), recipe.is_sound);
  }
}

void Session::store(ArrayId id) {
  short_lived_.note_missed(id);
  set_aside(0, [&] {
    record(unstored_.take(id));
    outstanding_.push_back(send(nullptr, {}));
  });
  settle_all();
}

bool Session::restore(ArrayId id) {
  if (!unstored_.contains(id)) {
    short_lived_.note_read(id);
    return false;
  }
  settle_all();  // what has failed before is told before
  if (outcomes_.has_failure()) outcomes_.tell_failure();
  if (unstored_.contains(id)) store(id);
  if (outcomes_.has_failure()) outcomes_.tell_failure();
  return true;
}

bool Session::restore_for(const protocol::Command& command) {
  bool has_waited = false;
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) has_waited |= restore(view->base);
  if (command.creates) return has_waited;
  has_waited |= restore(command.out.base);
  if (unstored_.made_from(command.out.base).empty()) return has_waited;
  drop_dead_recipes();
  for (const ArrayId id : unstored_.made_from(command.out.base)) has_waited |= restore(id);
  return has_waited;
}

bool Session::restore_all(const std::vector<View>& views) {
  bool has_waited = false;
  for (const View& view : views) {
    has_waited |= restore(view.base);
    require_sound(view.base);
  }
  return has_waited;
}

std::unordered_set<ArrayId> Session::drop_dead_recipes() {
  const auto frees = recorder_.peek_frees();
  const std::unordered_set<ArrayId> dead(frees.begin(), frees.end());
  const auto dropped = unstored_.drop(dead);
  recorder_.forget_frees({dropped.begin(), dropped.end()});  // the engines do not know them
  recorder_.forget_poison(dropped);
  short_lived_.note_freed(dropped);
  foresight_.note_freed(dropped);
  for (const ArrayId id : dropped) recipe_lines_.erase(id);
  return dead;
}

void Session::let_go() {
  if (unstored_.is_empty()) return;
  const auto dead = drop_dead_recipes();
  for (const ArrayId id : unstored_.in_the_way(dead)) restore(id);
}

void Session::store_all() {
  const auto frees = recorder_.peek_frees();
  short_lived_.note_sync({frees.begin(), frees.end()});
  if (unstored_.is_empty()) return;
  drop_dead_recipes();
  for (const ArrayId id : unstored_.all())
    if (unstored_.contains(id)) store(id);
}

void Session::note_unstored(const SentBatch& sent, const protocol::Reply& reply) {
  if (unstored_.is_empty()) return;
  const bool is_ok = reply.outcome == protocol::Outcome::ok;
  const auto ran =
      is_ok ? sent.written.size() : static_cast<std::size_t>(std::max<std::int64_t>(reply.command, 0));
  unstored_.note_reply(sent.number, ran, is_ok, reply.float_errors);
}

std::size_t Session::unstored_arrays() {
  const auto frees = recorder_.peek_frees();
  const auto all = unstored_.all();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](ArrayId id) {
    return std::find(frees.begin(), frees.end(), id) == frees.end();
  }));
}

SentBatch Session::send_for_look(const std::vector<View>& fetches, std::optional<protocol::Batch> rider) {
  const auto& commands = recorder_.pending().commands;
  if (std::none_of(commands.begin(), commands.end(), is_large) || recorder_.has_poisoned() || is_alone_ ||
      is_recovering_ || !is_current() || !sender_.only_warns() || keeps_unread() ||
      unstored_.size() >= Unstored::most)
    return send(nullptr, fetches, std::move(rider));
  const auto frees = recorder_.peek_frees();
  short_lived_.note_freed(frees);
  const std::unordered_set<ArrayId> dead(frees.begin(), frees.end());
  const auto line_of = [&](std::size_t n) { return recorder_.lines()[commands[n].origin]; };
  const auto is_short_lived = [&](std::size_t n) {
    return short_lived_.expects(line_of(n)) && !set_aside_.contains(commands[n].out.base);
  };
  bool is_any = false;
  for (std::size_t n = 0; n < commands.size() && !is_any; ++n)
    is_any = is_large(commands[n]) && is_short_lived(n);
  std::vector<Recipe> recipes;
  if (is_any)
    recipes = find_recipes(recorder_.pending(), dead, fetches,
                           {[this](ArrayId id) { return may_read(id); }, is_short_lived});
  for (std::size_t n = 0; n < commands.size(); ++n)
    if (is_large(commands[n]) && !dead.contains(commands[n].out.base))
      short_lived_.note_sent(commands[n].out.base, line_of(n));
  std::vector<std::pair<std::size_t, ArrayId>> made;  // in passing
  for (Recipe& recipe : recipes) {
    std::vector<CurrentLine> lines;
    recipe.batch = sender_.batches() + 1;
    recipe.is_heard = true;
    for (const std::size_t place : recipe.places) {
      lines.push_back(sender_.line_of(place));
      recipe.is_heard = recipe.is_heard && recorder_.listener_of(place) != FloatListeners::nobody;
    }
    recipe_lines_.insert_or_assign(recipe.array, std::move(lines));
    const ArrayId in_passing = recorder_.new_id();
    recorder_.rename(recipe.array, in_passing);
    recorder_.free(in_passing);
    made.emplace_back(recipe.places.back(), recipe.array);
    unstored_.add(std::move(recipe));
  }
  SentBatch sent = send(nullptr, fetches, std::move(rider));
  for (const auto& [place, array] : made) sent.written[place].id = array;  // for whom that is lost
  return sent;
}

}  // namespace gamelan::kernel
