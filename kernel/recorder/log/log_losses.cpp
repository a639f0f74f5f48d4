// SPDX-License-Identifier: BSD-3-Clause
// Arrays that the log loses: for which it has no room, and what was computed from those. An array that was
// there before is lost from the command on that was dropped (Entry::foreign), as one into which another
// client has written (log_foreign.cpp): what made it before stays.
#include <algorithm>
#include <string>
#include <utility>

#include "kernel/recorder/log/command_log.hpp"
#include "kernel/recorder/log/needed.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::Op;

void CommandLog::forget_lost(const std::vector<ArrayId>& ids) {
  for (const auto id : ids) {
    forget_unlogged(id);
    if (!foreign_.contains(id)) lost_.erase(id);
  }
}

void CommandLog::lose_all(const std::string& why) {
  epoch_ = next_generation();
  cut_all_marks(why);
  generation_ = next_generation();
  for (const auto& view : living()) {
    lose(view.base, why);
    unlogged_[view.base] = {view, entries_.back().number};
    newly_unlogged_.insert(view.base);
  }
  entries_.clear();
  count();
}

void CommandLog::drop_if(const Choice& is_meant, const std::string& why) {
  const auto note = [&](const Command& command, const Batch& batch) {
    if (!is_meant(command, batch)) return false;
    epoch_ = next_generation();
    lose(command.out.base, why + "; " + mend);
    newly_unlogged_.insert(command.out.base);
    return true;
  };
  spread(lost_at_the_beginning(), note);
  for (const auto& entry : entries_)
    for (const auto id : entry.frees) forget_unlogged(id);
  count();
}

void CommandLog::drop_large_payloads() {
  drop_if(
      [](const Command& command, const Batch& batch) { return has_elements(command, batch, large_payload); },
      "its elements came from this program, and the log had no room for them (np.config.log_bytes)");
}

void CommandLog::lose_file(const std::string& path) {
  const auto is_path = [&](const std::string& each) { return each == path || each.starts_with(path + '/'); };
  const auto files = this->files();
  if (std::none_of(files.begin(), files.end(), is_path)) return;
  drop_if([&](const Command& command,
              const Batch& batch) { return reads_file(command.op) && is_path(path_of(command, batch)); },
          "this program has written its file " + path + " since then");
}

void CommandLog::spread(Lost lost, const Choice& is_meant) {
  std::unordered_set<ArrayId> cut;
  auto entries = std::exchange(entries_, {});
  for (auto& entry : entries) {
    for (const auto id : entry.foreign)
      if (const auto found = lost_.find(id); found != lost_.end()) lost.insert(*found);
    if (lost.empty() && !is_meant) {
      entries_.push_back(std::move(entry));
      continue;
    }
    for (auto& part : without_lost(std::move(entry), lost, is_meant)) {
      cut.insert(part.foreign.begin(), part.foreign.end());
      entries_.push_back(std::move(part));
    }
  }
  lost_.insert(lost.begin(), lost.end());
  note_wholes(cut);
}

CommandLog::Lost CommandLog::lost_without_elements() const {
  CommandLog log = of_now();
  log.drop_if(
      [](const Command& command, const Batch& batch) { return has_elements(command, batch, left_out); },
      "it is of elements");
  return std::move(log.lost_);
}

void CommandLog::keep_unlogged(const protocol::View& whole, std::uint64_t number) {
  if (!lost_.contains(whole.base) || foreign_.contains(whole.base)) return;
  unlogged_[whole.base] = {whole, number};
  newly_unlogged_.insert(whole.base);
}

std::vector<CommandLog::Entry> CommandLog::without_lost(Entry entry, Lost& lost, const Choice& is_meant) {
  std::vector<Entry> parts;
  struct Part {
    std::vector<Command> commands;
    std::vector<ArrayId> foreign;
  };
  std::vector<Part> kept(1);
  kept[0].foreign = entry.foreign;
  Batch batch = decode(entry);
  bool is_whole = true;
  for (auto& command : batch.commands) {
    const auto id = command.out.base;
    const bool was_lost = lost.contains(id);
    if (is_meant && is_meant(command, batch)) {
      lost.emplace(id, lost_.at(id));
    } else if (!was_lost && !spreads_loss(command, lost)) {
      kept.back().commands.push_back(std::move(command));
      continue;
    }
    is_whole = false;
    note_change(entry.number, command);
    note_unlogged(entry.number, command);
    if (was_lost || command.creates) continue;
    if (!kept.back().commands.empty()) kept.emplace_back();
    kept.back().foreign.push_back(id);
  }
  if (is_whole) {
    parts.push_back(std::move(entry));
    return parts;
  }
  batch.commands.clear();
  const auto frees = std::exchange(entry.frees, {});
  for (auto& [commands, foreign] : kept) {
    Batch some = batch;
    some.commands = std::move(commands);
    parts.push_back(entry);
    parts.back().foreign = std::move(foreign);
    replace(parts.back(), std::move(some));
  }
  parts.back().frees = frees;
  return parts;
}

void CommandLog::note_wholes(const std::unordered_set<ArrayId>& ids) {
  const auto is_known = [&](ArrayId id) {
    const auto found = unlogged_.find(id);
    return found == unlogged_.end() || found->second.whole;
  };
  if (std::all_of(ids.begin(), ids.end(), is_known)) return;
  for (const auto& entry : entries_)
    for (const auto& command : commands_of(*entry.frames.sent(), entry.ran))
      if (const auto id = command.out.base; command.creates && ids.contains(id) && !is_known(id))
        unlogged_[id].whole = command.out;
}

bool CommandLog::spreads_loss(const Command& command, Lost& lost) {
  const std::string* why = nullptr;
  bool is_new = false;
  for_each_needed(command, [&](ArrayId id) {
    const auto found = lost.find(id);
    if (found == lost.end()) return;
    const auto foreign = foreign_.find(id);
    why = foreign == foreign_.end() ? &found->second : &foreign->second;
    is_new = is_new || newly_unlogged_.contains(id);
  });
  if (why == nullptr) return false;
  lost.emplace(command.out.base, std::string(*why));
  if (is_new) newly_unlogged_.insert(command.out.base);
  return true;
}

CommandLog::Lost CommandLog::lost_at_the_beginning() const {
  Lost lost = lost_;
  for (const auto& entry : entries_)
    for (const auto id : entry.foreign)
      if (!foreign_.contains(id)) lost.erase(id);
  return lost;
}

}  // namespace gamelan::kernel
