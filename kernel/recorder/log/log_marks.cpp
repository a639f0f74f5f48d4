// SPDX-License-Identifier: BSD-3-Clause
// Moments to which the program may go back. What made the arrays of a mark stays in the log as long as it
// fits there. Going back repeats only what is not on the engines as it was then.
#include <algorithm>
#include <optional>
#include <variant>

#include "kernel/recorder/log/command_log.hpp"
#include "kernel/recorder/log/needed.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::View;

namespace {

constexpr std::int64_t share_of_marks = 16;  // of the log's limit, what marks alone may keep there

/// A command of the log: entry, and command in it, from 1 on. 0: what others have written before that batch.
using Place = std::pair<std::size_t, std::size_t>;

}  // namespace

std::uint64_t CommandLog::mark(std::vector<ArrayId> wanted, std::uint64_t number) {
  static std::uint64_t last_key = 0;
  Lost lost;
  for (const auto id : wanted)
    if (const auto found = lost_.find(id); found != lost_.end()) lost.insert(*found);
  const char* cut = is_on() ? "" : "no log was kept (np.config.log_bytes)";
  marks_.push_back({++last_key, number, std::move(wanted), cut, {}, std::move(lost)});
  return last_key;
}

void CommandLog::keep_marks(const std::unordered_set<std::uint64_t>& keys) {
  std::vector<Mark> kept;
  for (auto& mark : marks_) {
    if (keys.contains(mark.key))
      kept.push_back(std::move(mark));
    else if (!kept.empty())
      kept.back().changed.merge(mark.changed);
  }
  marks_ = std::move(kept);
}

const CommandLog::Mark* CommandLog::find_mark(std::uint64_t key) const {
  const auto found =
      std::find_if(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.key == key; });
  return found == marks_.end() ? nullptr : &*found;
}

void CommandLog::cut_marks(std::size_t count, const std::string& why) {
  for (std::size_t index = 0; index < std::min(count, marks_.size()); ++index)
    if (marks_[index].cut.empty()) marks_[index].cut = why;
}

void CommandLog::note_change(std::uint64_t number, const protocol::Command& command) {
  if (command.creates) return;
  const auto before =
      std::find_if(marks_.rbegin(), marks_.rend(), [&](const Mark& mark) { return mark.number < number; });
  if (before != marks_.rend()) before->changed.insert(command.out.base);
}

void CommandLog::cut_all_marks(const std::string& why) {
  if (marks_.empty()) return;
  for (const auto& entry : entries_)
    for (const auto& command : commands_of(*entry.frames.sent(), entry.ran))
      note_change(entry.number, command);
  cut_marks(marks_.size(), why);
}

void CommandLog::drop_marks() {
  const auto first = [&] {
    const auto reached =
        std::find_if(marks_.begin(), marks_.end(), [](const Mark& mark) { return mark.cut.empty(); });
    return static_cast<std::size_t>(reached - marks_.begin());
  };
  while (first() < marks_.size() &&
         (bytes_ > most_bytes() || sent_bytes_ - of_now().sent_bytes() > most_bytes() / share_of_marks)) {
    cut_marks(first() + (marks_.size() - first() + 1) / 2,
              "the log of its session had become too long (np.config.log_bytes)");
    prune();
  }
}

CommandLog CommandLog::of_now() const {
  CommandLog now(*this);
  now.marks_.clear();
  now.prune();
  return now;
}

std::unordered_set<ArrayId> CommandLog::changed_since(std::uint64_t key,
                                                      const std::vector<ArrayId>& among) const {
  const std::unordered_set<ArrayId> asked(among.begin(), among.end());
  const Mark* mark = find_mark(key);
  if (mark == nullptr) return asked;
  std::unordered_set<ArrayId> changed;
  const auto note = [&](ArrayId id) {
    if (asked.contains(id)) changed.insert(id);
  };
  for (const Mark* each = mark; each != marks_.data() + marks_.size(); ++each)
    for (const auto id : each->changed) note(id);
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && entry->number > mark->number; ++entry)
    for (const auto& command : commands_of(*entry->frames.sent(), entry->ran))
      if (!command.creates) note(command.out.base);
  return changed;
}

CommandLog::Past CommandLog::past(std::uint64_t key, const std::vector<ArrayId>& wanted,
                                  const std::vector<ArrayId>& gone,
                                  const std::function<ArrayId()>& new_id) const {
  Past past;
  std::unordered_map<ArrayId, ArrayId> ids;
  const auto id_of = [&](ArrayId id) {
    const auto [entry, is_new] = ids.try_emplace(id, 0);
    if (is_new) entry->second = new_id();
    return entry->second;
  };
  std::unordered_set<ArrayId> needed(wanted.begin(), wanted.end()), seen = needed;
  for (const auto id : needed) past.made.emplace(id, id_of(id));
  const Mark* mark = find_mark(key);
  std::string why = mark == nullptr ? "the engines that had it were left" : mark->cut;
  std::size_t count = 0;
  std::unordered_map<ArrayId, Place> last_write;
  std::unordered_set<ArrayId> dead(gone.begin(), gone.end());
  if (why.empty()) {
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
      if (entries_[entry].number <= mark->number) count = entry + 1;
      dead.insert(entries_[entry].frees.begin(), entries_[entry].frees.end());
      for (const auto id : entries_[entry].foreign) last_write[id] = {entry, 0};
      const auto batch = decode(entries_[entry]);
      for (std::size_t index = 0; index < batch.commands.size(); ++index)
        last_write[batch.commands[index].out.base] = {entry, index + 1};
    }
    why = "the log does not say how it was made";
  }
  const auto lies_there = [&](ArrayId id, Place place) {
    const auto found = last_write.find(id);
    return found != last_write.end() && found->second < place && !dead.contains(id) && !lost_.contains(id);
  };
  std::unordered_set<ArrayId> before;  // what others have written into later: it was not lost yet
  for (std::size_t number = count; number < entries_.size(); ++number)
    before.insert(entries_[number].foreign.begin(), entries_[number].foreign.end());
  for (std::size_t number = count; number-- > 0;) {
    Entry entry = entries_[number];
    Batch batch = decode(entry);
    std::vector<bool> stays(batch.commands.size());
    entry.frees.clear();
    for (std::size_t index = batch.commands.size(); index-- > 0;) {
      Command& command = batch.commands[index];
      const ArrayId result = command.out.base;
      stays[index] = needed.contains(result) && (!lost_.contains(result) || before.contains(result));
      if (!stays[index]) continue;
      if (command.creates) needed.erase(result);
      command.out.base = id_of(result);
      for (auto& operand : command.in) {
        auto* view = std::get_if<View>(&operand);
        if (view == nullptr || lies_there(view->base, {number, index + 1})) continue;
        const ArrayId read = view->base;
        needed.insert(read);
        view->base = id_of(read);
        if (seen.insert(read).second) entry.frees.push_back(view->base);  // nobody reads it behind this
      }
    }
    before.insert(entry.foreign.begin(), entry.foreign.end());
    std::erase_if(entry.foreign, [&](ArrayId id) { return !needed.contains(id); });
    for (auto& id : entry.foreign) {
      const auto now = lost_.find(id), then = mark->lost.find(id);
      const auto here = id_of(id);
      if (now != lost_.end() || then != mark->lost.end())
        past.log.lose(here, now != lost_.end() ? now->second : then->second);
      id = here;
    }
    if (entry.foreign.empty() && std::find(stays.begin(), stays.end(), true) == stays.end()) continue;
    std::size_t index = 0;
    std::erase_if(batch.commands, [&](const Command&) { return !stays[index++]; });
    batch.frees.clear();
    past.log.replace(entry, std::move(batch));
    past.log.entries_.push_front(std::move(entry));
  }
  past.log.count();
  for (const auto id : needed) {
    const auto now = lost_.find(id);
    const bool was_lost = mark != nullptr && mark->lost.contains(id);
    past.log.lose(id_of(id), now != lost_.end() ? now->second : was_lost ? mark->lost.at(id) : why);
  }
  return past;
}

}  // namespace gamelan::kernel
