// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/log/command_log.hpp"

#include <algorithm>
#include <iterator>
#include <memory_resource>

#include "kernel/recorder/log/needed.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::Op;
using protocol::View;

namespace {

constexpr const char* foreign_write =
    "another client has written into it, or into a published array that it was computed from, which this "
    "program's log does not have";
std::int64_t limit = std::int64_t{1} << 28;
double due_seconds = 0;

bool is_empty(const CommandLog::Entry& entry) {
  return entry.ran == 0 && entry.frees.empty() && entry.foreign.empty();
}

/// Their results say what was stored elsewhere.
bool stores(Op op) { return op == Op::write_file || op == Op::write_pieces || op == Op::tend_pieces; }

}  // namespace

Batch CommandLog::decode(const Entry& entry) {
  auto batch = std::get<Batch>(protocol::decode_request(*entry.frames.sent()));
  batch.commands.resize(std::min(batch.commands.size(), entry.ran));
  batch.fetches.clear();
  batch.watched = 0;
  return batch;
}

void CommandLog::set_limit(std::int64_t bytes) { limit = bytes; }
std::int64_t CommandLog::most_bytes() { return limit; }
bool CommandLog::is_on() { return limit > 0; }

std::uint64_t CommandLog::next_generation() {
  static std::uint64_t last = 0;
  return ++last;
}

void CommandLog::set_due(double seconds) { due_seconds = seconds; }
bool CommandLog::makes_checkpoints() { return due_seconds > 0; }
bool CommandLog::is_due(bool counts_unlogged) const {
  const bool is_long = seconds_ - stored_seconds_ > due_seconds || 2 * (bytes_ - stored_bytes_) > limit;
  const bool has_lost = counts_unlogged && has_newly_unlogged();
  return storing_ == 0 && (is_asked_ || (due_seconds > 0 && (is_long || has_lost)));
}

void CommandLog::add(Entry entry, bool is_in_order) {
  if (storing_ != 0) freed_meanwhile_.insert(freed_meanwhile_.end(), entry.frees.begin(), entry.frees.end());
  const auto after = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& other) {
                       return other.number <= entry.number;
                     }).base();
  const bool is_last = after == entries_.end();
  const auto frees = lost_.empty() ? std::vector<ArrayId>() : entry.frees;
  std::vector<Entry> parts;
  if (is_last && !lost_.empty())
    parts = without_lost(std::move(entry), lost_);
  else
    parts.push_back(std::move(entry));
  std::erase_if(parts, is_empty);
  std::unordered_set<ArrayId> cut;
  for (const auto& part : parts) {
    cut.insert(part.foreign.begin(), part.foreign.end());
    bytes_ += part.bytes();
    sent_bytes_ += part.frames.sent_bytes();
    commands_ += part.ran;
    seconds_ += part.seconds;
  }
  // No command of the log needs a lost array: its id can be forgotten when it dies, unless one may still
  // come.
  const auto forget_freed = [&] {
    if (is_in_order) return forget_lost(frees);
    for (const auto id : frees) forget_unlogged(id);
  };
  if (parts.empty()) return forget_freed();
  entries_.insert(after, std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
  if (!is_last) {
    generation_ = next_generation();
    if (!lost_.empty()) {  // some of these are lost behind it only
      spread(lost_at_the_beginning());
      count();
    }
  }
  forget_freed();
  note_wholes(cut);
  if (is_in_order && (sent_bytes_ > prune_above_ || bytes_ > limit)) keep_within_limit();
}

void CommandLog::skip(const std::vector<ArrayId>& written, const std::vector<ArrayId>& frees) {
  constexpr const char* why = "the log of its session was off (np.config.log_bytes)";
  epoch_ = next_generation();
  if (!entries_.empty()) lose_all(why);
  cut_all_marks(why);
  if (!marks_.empty()) marks_.back().changed.insert(written.begin(), written.end());
  if (!written.empty()) generation_ = next_generation();
  for (const auto id : written) {
    lose(id, why);
    forget_unlogged(id);
  }
  forget_lost(frees);
}

void CommandLog::clear() {
  epoch_ = next_generation();
  generation_ = next_generation();
  entries_.clear();
  marks_.clear();
  lost_.clear();
  foreign_.clear();
  shared_.clear();
  told_.clear();
  unlogged_.clear();
  newly_unlogged_.clear();
  count();
}

void CommandLog::keep_within_limit() {
  const auto before = sent_bytes_;
  if (before <= prune_above_) pack();
  if (before > prune_above_ || bytes_ > limit) prune();
  drop_marks();
  if (bytes_ > limit) {
    drop_large_payloads();
    prune();
  }
  if (bytes_ > limit)
    lose_all("the log of its session had become too long (np.config.log_bytes); " + std::string(mend));
  // Where little was forgotten, little will be: a loop that changes an array in place needs every turn.
  prune_above_ = std::max(least_to_prune, (4 * sent_bytes_ > 3 * before ? 4 : 2) * sent_bytes_);
}

void CommandLog::replace(Entry& entry, Batch batch) {
  generation_ = next_generation();
  const auto before = entry.ran;
  drop_unused_payloads(batch);
  entry.ran = batch.commands.size();
  entry.seconds *= before == 0 ? 0 : static_cast<double>(entry.ran) / static_cast<double>(before);
  entry.frames =
      std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request(std::move(batch))));
}

void CommandLog::count() {
  commands_ = 0;
  seconds_ = 0;
  bytes_ = sent_bytes_ = 0;
  for (const auto& entry : entries_) {
    commands_ += entry.ran;
    seconds_ += entry.seconds;
    bytes_ += entry.bytes();
    sent_bytes_ += entry.frames.sent_bytes();
  }
}

void CommandLog::pack() {
  std::vector<KeptFrames*> frames;
  for (auto& entry : entries_) frames.push_back(&entry.frames);
  KeptFrames::pack(frames);
  count();
}

void CommandLog::prune() {
  // Backwards: a command is needed when its array lives still, when a later command that is needed reads it,
  // or when it lived at a mark behind it.
  std::pmr::monotonic_buffer_resource memory;  // thousands of small pieces, which go together
  using Ids = std::pmr::unordered_set<ArrayId>;
  Ids dead(&memory), needed(&memory), kept(&memory), freed(&memory);
  Ids before(&memory);  // what Entry::foreign names later
  auto mark = marks_.rbegin();
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    for (; mark != marks_.rend() && mark->number >= entry->number; ++mark)
      if (mark->cut.empty()) needed.insert(mark->wanted.begin(), mark->wanted.end());
    dead.insert(entry->frees.begin(), entry->frees.end());
    freed.insert(entry->frees.begin(), entry->frees.end());
    const auto commands = commands_of(*entry->frames.sent(), entry->ran);
    std::vector<bool> stays(commands.size());
    for (std::size_t index = commands.size(); index-- > 0;) {
      const Command& command = commands[index];
      const ArrayId id = command.out.base;
      const bool is_lost = lost_.contains(id) && !before.contains(id);
      stays[index] = (!dead.contains(id) || needed.contains(id)) && !is_lost;
      if (!stays[index]) {
        if (is_lost) {
          note_change(entry->number, command);
          note_unlogged(entry->number, command);
        }
        continue;
      }
      if (command.creates) {
        needed.erase(id);
        kept.insert(id);
      }
      for_each_needed(command, [&](ArrayId operand) { needed.insert(operand); });
    }
    for (const auto id : entry->foreign) {
      before.insert(id);
      if (!lost_.contains(id)) continue;
      dead.insert(id);  // it is needed only as it was before
      needed.erase(id);
    }
    if (std::find(stays.begin(), stays.end(), false) == stays.end()) continue;
    Batch batch;
    if (std::find(stays.begin(), stays.end(), true) != stays.end()) batch = decode(*entry);
    std::size_t index = 0;
    std::erase_if(batch.commands, [&](const Command&) { return !stays[index++]; });
    replace(*entry, std::move(batch));
  }
  for (const auto id : freed) forget_unlogged(id);
  const auto is_gone = [&](ArrayId id) { return !kept.contains(id); };
  for (auto& entry : entries_) {
    std::erase_if(entry.frees, is_gone);
    std::erase_if(entry.foreign, is_gone);
  }
  if (std::erase_if(entries_, is_empty) > 0) generation_ = next_generation();
  pack();
}

std::vector<ArrayId> CommandLog::made() const {
  std::vector<ArrayId> ids;
  for (const auto& entry : entries_)
    for (const auto& command : commands_of(*entry.frames.sent(), entry.ran))
      if (command.creates) ids.push_back(command.out.base);
  return ids;
}

std::vector<std::string> CommandLog::files() const {
  std::vector<std::string> paths;
  for (const auto& entry : entries_)
    for (const auto& file : entry.files) paths.push_back(file.path);
  return paths;
}

std::vector<View> CommandLog::living() {
  auto arrays = not_freed();
  std::erase_if(arrays, [&](const View& view) { return lost_.contains(view.base); });
  return arrays;
}

std::vector<View> CommandLog::not_freed() {
  prune();
  std::unordered_set<ArrayId> dead;
  for (const auto& entry : entries_) dead.insert(entry.frees.begin(), entry.frees.end());
  std::vector<View> arrays;
  for (const auto& entry : entries_)
    for (auto& command : commands_of(*entry.frames.sent(), entry.ran))
      if (command.creates && !dead.contains(command.out.base)) arrays.push_back(std::move(command.out));
  return arrays;
}

void CommandLog::renumber(const std::function<ArrayId(ArrayId)>& id_of) {
  for (auto& entry : entries_) {
    Batch batch = decode(entry);
    for (auto& command : batch.commands) {
      command.out.base = id_of(command.out.base);
      for (auto& operand : command.in)
        if (auto* view = std::get_if<View>(&operand)) view->base = id_of(view->base);
    }
    batch.frees.clear();
    for (auto& id : entry.frees) id = id_of(id);
    for (auto& id : entry.foreign) id = id_of(id);
    replace(entry, std::move(batch));
  }
  Lost lost;
  for (auto& [id, why] : lost_) lost.emplace(id_of(id), std::move(why));
  lost_ = std::move(lost);
  std::unordered_set<ArrayId> shared;
  for (const auto id : shared_) shared.insert(id_of(id));
  shared_ = std::move(shared);
}

void CommandLog::append(CommandLog other, std::uint64_t number) {
  epoch_ = next_generation();
  if (!other.lost_.empty()) generation_ = next_generation();
  std::vector<ArrayId> nowhere;  // not even on the engines
  for (const auto& each : other.lost_) nowhere.push_back(each.first);
  lost_.merge(other.lost_at_the_beginning());
  shared_.merge(other.shared_);
  for (auto& entry : other.entries_) {
    entry.number = number;
    add(std::move(entry));
  }
  lost_.merge(other.lost_);  // the others, which its entries name
  for (const auto id : nowhere) forget_unlogged(id);
}

void CommandLog::keep_only(const std::unordered_set<ArrayId>& wanted) {
  if (entries_.empty()) return;
  std::vector<ArrayId> unwanted;
  for (const auto& view : not_freed())
    if (!wanted.contains(view.base)) unwanted.push_back(view.base);
  if (entries_.empty()) return;
  auto& frees = entries_.back().frees;
  frees.insert(frees.end(), unwanted.begin(), unwanted.end());
  prune();
}

bool CommandLog::needs_freed(const Batch& commands, std::size_t number) const {
  const auto& frees = entries_[number].frees;
  const std::unordered_set<ArrayId> freed(frees.begin(), frees.end());
  bool is_needed = false;
  for (const auto& command : commands.commands)
    for_each_needed(command, [&](ArrayId id) { is_needed = is_needed || freed.contains(id); });
  return is_needed;
}

Batch CommandLog::repeatable(std::size_t number, std::vector<std::size_t>& places, const Failed& failed) {
  const std::size_t first = places.empty() ? 0 : places.back() + 1;
  places.clear();
  const Entry& entry = entries_[number];
  Batch batch = decode(entry);
  if (first == 0)
    for (const auto id : entry.foreign) {
      const auto why = later_.find(id);
      lose(id, why != later_.end() ? why->second : foreign_write);
    }
  const auto has_changed = [&](const Command& command) {
    return reads_file(command.op) && !is_same_file(command, batch, entry.files);
  };
  std::vector<Command> kept;
  for (std::size_t place = first; place < batch.commands.size(); ++place) {
    Command& command = batch.commands[place];
    if (stores(command.op)) {
      lose(command.out.base, "it was the note of a file that was written");
      continue;
    }
    if (const auto found = failed.find({number, place}); found != failed.end())
      lose(command.out.base, found->second);
    if (has_changed(command)) lose(command.out.base, why_not_read(path_of(command, batch)));
    if (lost_.contains(command.out.base) || spreads_loss(command, lost_)) continue;
    places.push_back(place);
    kept.push_back(std::move(command));
  }
  batch.commands = std::move(kept);
  drop_unused_payloads(batch);
  batch.frees.clear();
  return batch;
}

}  // namespace gamelan::kernel
