// SPDX-License-Identifier: BSD-3-Clause
// Arrays that the log loses: for which it has no room, and what was computed from those. An array into which
// another client has written (log_foreign.cpp) is lost from there on: what made it before stays.
#include <string>

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

template <typename Choice>
void CommandLog::drop_if(Choice is_meant, const std::string& why) {
  Lost lost = lost_at_the_beginning();
  for (auto& entry : entries_) {
    Batch batch = decode(entry);
    const auto is_dropped = [&](const Command& command) { return is_meant(command, batch); };
    if (std::none_of(batch.commands.begin(), batch.commands.end(), is_dropped)) continue;
    epoch_ = next_generation();
    for (const auto& command : batch.commands)
      if (is_dropped(command)) {
        const auto id = command.out.base;
        lose(id, why + "; " + mend);
        lost.emplace(id, lost_.at(id));
        note_unlogged(entry.number, command);
        newly_unlogged_.insert(id);
      }
    std::erase_if(batch.commands, is_dropped);
    replace(entry, std::move(batch));
  }
  spread(std::move(lost));
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

void CommandLog::spread(Lost lost) {
  for (auto& entry : entries_) {
    for (const auto id : entry.foreign)
      if (const auto found = lost_.find(id); found != lost_.end()) lost.insert(*found);
    if (!lost.empty()) drop_lost(entry, lost);
  }
  lost_.insert(lost.begin(), lost.end());
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

void CommandLog::drop_lost(Entry& entry, Lost& lost) {
  if (entry.ran == 0) return;
  Batch batch = decode(entry);
  const auto before = batch.commands.size();
  std::erase_if(batch.commands, [&](const Command& command) {
    const bool is_dropped = lost.contains(command.out.base) || spreads_loss(command, lost);
    if (is_dropped) {
      note_change(entry.number, command);
      note_unlogged(entry.number, command);
    }
    return is_dropped;
  });
  if (batch.commands.size() != before) replace(entry, std::move(batch));
}

bool CommandLog::spreads_loss(const Command& command, Lost& lost) const {
  const std::string* why = nullptr;
  for_each_needed(command, [&](ArrayId id) {
    const auto found = lost.find(id);
    if (found == lost.end()) return;
    const auto foreign = foreign_.find(id);
    why = foreign == foreign_.end() ? &found->second : &foreign->second;
  });
  if (why == nullptr) return false;
  lost.emplace(command.out.base, std::string(*why));
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
