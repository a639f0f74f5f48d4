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

bool reads(const protocol::Batch& batch, ArrayId id) {
  return std::any_of(batch.commands.begin(), batch.commands.end(), [id](const protocol::Command& command) {
    return std::any_of(command.in.begin(), command.in.end(), [id](const protocol::Operand& operand) {
      const auto* view = std::get_if<View>(&operand);
      return view != nullptr && view->base == id;
    });
  });
}
}  // namespace

bool Session::keeps_unread() const {
  const auto& options = sender_.options();
  return std::find(options.begin(), options.end(), std::pair<std::string, std::string>("keep_unread", "1")) !=
         options.end();
}

bool Session::restore(ArrayId id) {
  const auto is_cancelled = [this](const SentBatch& sent) {
    return sent.is_abandoned || sent.epoch != outcomes_.epoch();
  };
  // Their replies say whether it was stored.
  while (unstored_.is_recorded(id) && std::any_of(outstanding_.begin(), outstanding_.end(), is_cancelled))
    settle_oldest();
  if (!unstored_.contains(id)) {
    short_lived_.note_read(id);
    return false;
  }
  short_lived_.note_missed(id);
  if (unstored_.at(id).is_stale) forget_there(id);
  Recipe& recipe = unstored_.at(id);
  recipe.is_recorded = true;
  std::unordered_map<ArrayId, ArrayId> names;  // of temporaries, which every time have others
  const auto& lines = recipe_lines_.at(id);
  for (std::size_t n = 0; n < recipe.commands.size(); ++n) {
    auto command = recipe.commands[n];
    for (auto& operand : command.in)
      if (auto* view = std::get_if<View>(&operand))
        if (const auto found = names.find(view->base); found != names.end()) view->base = found->second;
    if (command.out.base != id) {
      const auto temporary = names[command.out.base] = recorder_.new_id();
      command.out.base = temporary;
      recorder_.free(temporary);
    }
    const auto& [line, code, globals, is_numpys_own] = lines[n];
    sender_.add_again(std::move(command),
                      {line, Ref::borrow(code.get()), Ref::borrow(globals.get()), is_numpys_own},
                      recipe.is_sound);
  }
  return true;
}

/// A batch that should have made the array has failed. Engines forget that, to make it again, behind a batch
/// that frees it.
void Session::forget_there(ArrayId id) {
  unstored_.at(id).is_recorded = true;  // what is freed here is not the program's array
  dying_.insert(id);
  recorder_.free(id);
  try {
    outstanding_.push_back(send(nullptr, {}));
  } catch (const std::exception&) {
    dying_.erase(id);
    recorder_.forget_frees({id});
    unstored_.at(id).is_recorded = false;
    throw;
  }
  dying_.erase(id);
  unstored_.at(id).is_stale = unstored_.at(id).is_recorded = false;
}

void Session::abandon(const FailurePtr& cause) {
  const auto again = unstored_.note_abandoned(recorder_.pending().commands);
  sender_.abandon(cause);
  recorder_.forget_poison(again);
}

std::size_t Session::unstored_arrays() {
  const auto frees = recorder_.peek_frees();
  const auto all = unstored_.all();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](ArrayId id) {
    return std::find(frees.begin(), frees.end(), id) == frees.end();
  }));
}

bool Session::restore_for(const protocol::Command& command) {
  bool is_changed = false;
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) is_changed |= restore(view->base);
  if (command.creates) return is_changed;
  is_changed |= restore(command.out.base);
  if (unstored_.made_from(command.out.base).empty()) return is_changed;
  drop_dead_recipes();
  for (const ArrayId id : unstored_.made_from(command.out.base)) is_changed |= restore(id);
  return is_changed;
}

std::unordered_set<ArrayId> Session::drop_dead_recipes() {
  const auto frees = recorder_.peek_frees();
  std::unordered_set<ArrayId> dead(frees.begin(), frees.end());
  for (const ArrayId id : dying_) dead.erase(id);
  const auto dropped = unstored_.drop(dead);
  recorder_.forget_frees({dropped.begin(), dropped.end()});  // the engines do not know them
  short_lived_.note_freed(dropped);
  foresight_.note_freed(dropped);
  return dead;
}

void Session::tend_unstored() {
  if (unstored_.is_empty()) return;
  const auto dead = drop_dead_recipes();
  for (const ArrayId id : unstored_.in_the_way(dead)) restore(id);
  std::erase_if(recipe_lines_, [this](const auto& entry) { return !unstored_.knows(entry.first); });
}

void Session::restore_all() {
  tend_unstored();
  const auto frees = recorder_.peek_frees();
  short_lived_.note_sync({frees.begin(), frees.end()});
  for (const ArrayId id : unstored_.all()) restore(id);
}

std::vector<ArrayId> Session::note_unstored(const SentBatch& sent, const protocol::Reply& reply) {
  const bool is_ok = reply.outcome == protocol::Outcome::ok;
  const auto ran =
      is_ok ? sent.written.size() : static_cast<std::size_t>(std::max<std::int64_t>(reply.command, 0));
  const auto place_of = [&](ArrayId id) {
    const auto found = std::find_if(sent.written.begin(), sent.written.end(),
                                    [id](const auto& each) { return each.is_created && each.id == id; });
    return found == sent.written.end() ? Unstored::none
                                       : static_cast<std::size_t>(found - sent.written.begin());
  };
  return unstored_.note_outcome({sent.number, is_ok, ran, reply.float_errors}, place_of);
}

void Session::put_back(const std::vector<ArrayId>& again) {
  for (const ArrayId id : again)
    if (reads(recorder_.pending(), id))
      unstored_.drop({id});  // commands that read it were recorded: they fail with it
    else
      recorder_.forget_poison({id});
}

SentBatch Session::send_for_look(const std::vector<View>& fetches) {
  const auto& commands = recorder_.pending().commands;
  if (std::none_of(commands.begin(), commands.end(), is_large) || recorder_.has_poisoned() || is_alone_ ||
      is_recovering_ || !is_current() || !sender_.only_warns() || keeps_unread() ||
      unstored_.size() >= Unstored::most)
    return send(nullptr, fetches);
  const auto frees = recorder_.peek_frees();
  short_lived_.note_freed(frees);
  const std::unordered_set<ArrayId> dead(frees.begin(), frees.end());
  const auto line_of = [&](std::size_t n) { return recorder_.lines()[commands[n].origin]; };
  auto recipes =
      find_recipes(recorder_.pending(), dead, fetches,
                   {[this](ArrayId id) { return may_read(id); },
                    [&](std::size_t n) {
                      return short_lived_.expects(line_of(n)) && !of_turn_.contains(commands[n].out.base);
                    }});
  for (std::size_t n = 0; n < commands.size(); ++n)
    if (is_large(commands[n]) && !dead.contains(commands[n].out.base))
      short_lived_.note_sent(commands[n].out.base, line_of(n));
  std::vector<std::pair<std::size_t, ArrayId>> made;  // in passing
  for (Recipe& recipe : recipes) {
    auto& lines = recipe_lines_[recipe.array];
    lines.clear();
    recipe.batch = sender_.batches() + 1;
    recipe.is_heard = true;
    for (const std::size_t place : recipe.places) {
      lines.push_back(sender_.line_of(place));
      recipe.is_heard = recipe.is_heard && recorder_.listener_of(place) != FloatListeners::nobody;
    }
    const ArrayId in_passing = recorder_.new_id();
    recorder_.rename(recipe.array, in_passing);
    recorder_.free(in_passing);
    made.emplace_back(recipe.places.back(), recipe.array);
    unstored_.add(std::move(recipe));
  }
  SentBatch sent = send(nullptr, fetches);
  for (const auto& [place, array] : made) sent.written[place].id = array;  // for whom that is lost
  return sent;
}

}  // namespace gamelan::kernel
