// SPDX-License-Identifier: BSD-3-Clause
// Arrays with a name that no engine stores (pending/unstored.hpp): a look leaves them out, and whatever needs
// one later records what makes it. The engines and the log never hear of their numbers before that.
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

void Session::restore(ArrayId id) {
  short_lived_.note_read(id);
  if (!unstored_.contains(id)) return;
  Recipe recipe = unstored_.take(id);
  auto lines = std::move(recipe_lines_.extract(id).mapped());
  for (std::size_t n = 0; n < recipe.commands.size(); ++n)
    sender_.add_again(std::move(recipe.commands[n]), std::move(lines[n]), recipe.is_sound);
  for (const ArrayId temporary : recipe.temporaries) recorder_.free(temporary);
}

std::size_t Session::unstored_arrays() {
  const auto frees = recorder_.peek_frees();
  const auto all = unstored_.all();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](ArrayId id) {
    return std::find(frees.begin(), frees.end(), id) == frees.end();
  }));
}

void Session::restore_for(const protocol::Command& command) {
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) restore(view->base);
  if (command.creates) return;
  restore(command.out.base);
  for (const ArrayId id : unstored_.made_from(command.out.base)) restore(id);
}

void Session::tend_unstored() {
  if (unstored_.is_empty()) return;
  const auto frees = recorder_.peek_frees();
  const std::unordered_set<ArrayId> dead(frees.begin(), frees.end());
  const auto dropped = unstored_.drop(dead);
  recorder_.forget_frees({dropped.begin(), dropped.end()});  // the engines do not know them
  short_lived_.note_freed(dropped);
  foresight_.note_freed(dropped);
  for (const ArrayId id : unstored_.in_the_way(dead)) restore(id);
  std::erase_if(recipe_lines_, [this](const auto& entry) { return !unstored_.contains(entry.first); });
}

void Session::restore_all() {
  tend_unstored();
  for (const ArrayId id : unstored_.all()) restore(id);
}

SentBatch Session::send_for_look(const std::vector<View>& fetches) {
  const auto& commands = recorder_.pending().commands;
  if (std::none_of(commands.begin(), commands.end(), is_large) || recorder_.has_poisoned() || is_alone_ ||
      is_recovering_ || !is_current() || !sender_.only_warns() || keeps_unread())
    return send(nullptr, fetches);
  const auto frees = recorder_.peek_frees();
  short_lived_.note_freed(frees);
  const std::unordered_set<ArrayId> dead(frees.begin(), frees.end());
  const auto line_of = [&](std::size_t n) { return recorder_.lines()[commands[n].origin]; };
  auto recipes =
      find_recipes(recorder_.pending(), dead, fetches,
                   {[this] { return recorder_.new_id(); }, [this](ArrayId id) { return may_read(id); },
                    [&](std::size_t n) {
                      return short_lived_.expects(line_of(n)) && !of_turn_.contains(commands[n].out.base);
                    }});
  for (std::size_t n = 0; n < commands.size(); ++n)
    if (is_large(commands[n]) && !dead.contains(commands[n].out.base))
      short_lived_.note_sent(commands[n].out.base, line_of(n));
  for (Recipe& recipe : recipes) {
    auto& lines = recipe_lines_[recipe.array];
    recipe.batch = sender_.batches() + 1;
    recipe.is_heard = true;
    for (const std::size_t place : recipe.places) {
      lines.push_back(sender_.line_of(place));
      recipe.is_heard = recipe.is_heard && recorder_.listener_of(place) != FloatListeners::nobody;
    }
    const ArrayId in_passing = recorder_.new_id();
    recorder_.rename(recipe.array, in_passing);
    recorder_.free(in_passing);
    unstored_.add(std::move(recipe));
  }
  return send(nullptr, fetches);
}

}  // namespace gamelan::kernel
