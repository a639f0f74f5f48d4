// SPDX-License-Identifier: BSD-3-Clause
// The log that begins with files: arrays are read from a checkpoint, and what came later is repeated.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "kernel/recorder/log/command_log.hpp"
#include "kernel/recorder/log/sums.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Command;
using protocol::Op;

namespace {

/// The files of a batch that are as they were when it ran.
std::unordered_set<std::string> same_files(const CommandLog::Entry& entry, const Batch& batch) {
  std::unordered_map<std::string, FileStamp> now;
  for (auto& stamp : stamps_of(batch)) now.emplace(stamp.path, stamp);
  std::unordered_set<std::string> same;
  for (const auto& stamp : entry.files)
    if (const auto found = now.find(stamp.path); found != now.end() && found->second == stamp)
      same.insert(stamp.path);
  return same;
}

}  // namespace

void CommandLog::begin_storing(std::uint64_t key) {
  freed_meanwhile_.clear();
  storing_ = key;
}

void CommandLog::end_storing(std::uint64_t key) {
  if (key != storing_) return;
  storing_ = 0;
  freed_meanwhile_.clear();
}

void CommandLog::note_unlogged(std::uint64_t number, const Command& command) {
  auto& [whole, last] = unlogged_[command.out.base];
  if (command.creates) whole = command.out;
  last = std::max(last, number);
}

void CommandLog::forget_unlogged(protocol::ArrayId id) {
  unlogged_.erase(id);
  newly_unlogged_.erase(id);
}

void CommandLog::find_unlogged(const std::vector<Stored>& arrays, std::uint64_t number) {
  for (const auto& stored : arrays) {
    const auto id = stored.whole.base;
    const auto found = unlogged_.find(id);
    if (found == unlogged_.end() || found->second.last > number || foreign_.contains(id)) continue;
    unlogged_.erase(found);
    lost_.erase(id);
  }
}

std::vector<protocol::View> CommandLog::unlogged() const {
  std::vector<protocol::View> arrays;
  for (const auto& [id, each] : unlogged_)
    if (each.whole && lost_.contains(id) && !foreign_.contains(id)) arrays.push_back(*each.whole);
  std::sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
  return arrays;
}

void CommandLog::begin_with(std::vector<Stored> arrays, std::uint64_t number, double seconds,
                            std::uint64_t storing) {
  find_unlogged(arrays, number);
  std::erase_if(newly_unlogged_,
                [&](protocol::ArrayId id) {  // what was lost behind the checkpoint waits for the next
                  const auto found = unlogged_.find(id);
                  return found == unlogged_.end() || found->second.last <= number;
                });
  Batch batch;
  for (auto& stored : arrays) {
    Command command;
    command.loop = stored.whole.dtype;
    command.creates = true;
    command.payload = static_cast<std::int32_t>(batch.payloads.size());
    if (stored.path.empty()) {
      command.op = Op::constant;
      batch.payloads.push_back(std::move(stored.bytes));
    } else {
      command.op = stored.is_in_pieces() ? Op::read_pieces : Op::read_file;
      if (!stored.is_in_pieces()) {
        command.ints = {stored.offset, 0};
        command.ints.insert(command.ints.end(), stored.whole.strides.begin(), stored.whole.strides.end());
      }
      const auto* first = reinterpret_cast<const std::byte*>(stored.path.data());
      batch.payloads.emplace_back(first, first + stored.path.size());
      note_sum(batch.payloads.back(), {stored.sum, true});
    }
    command.out = std::move(stored.whole);
    batch.commands.push_back(std::move(command));
  }
  cut_all_marks("a checkpoint has been made since then (np.config.protect)");
  generation_ = next_generation();
  epoch_ = next_generation();
  std::erase_if(entries_, [&](const Entry& entry) { return entry.number <= number; });
  count();
  stored_seconds_ = 0;
  stored_bytes_ = 0;
  begun_with_ = storing;
  auto freed = std::exchange(freed_meanwhile_, {});
  end_storing(storing);
  if (batch.commands.empty()) return;
  Entry entry{number, {}, batch.commands.size(), seconds, {}, stamps_of(batch)};
  entry.frames =
      std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request(std::move(batch))));
  stored_seconds_ = seconds;
  stored_bytes_ = entry.bytes();
  add(std::move(entry));
  if (freed.empty()) return;
  // What was freed while the files were written: the log may have forgotten that, with what had made it.
  const auto last = entries_.empty() ? number : entries_.back().number;
  Entry frees{last, {}, 0, 0, std::move(freed), {}};
  frees.frames = std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request(Batch{})));
  add(std::move(frees));
  prune();
}

std::int64_t CommandLog::Entry::bytes() const {
  std::size_t beside = sizeof *this + (frees.size() + foreign.size()) * sizeof(protocol::ArrayId);
  for (const auto& file : files) beside += sizeof file + file.path.size();
  return frames.bytes() + static_cast<std::int64_t>(beside);
}

std::vector<CommandLog::Stored> CommandLog::unchanged() const {
  std::unordered_map<protocol::ArrayId, Stored> found;
  for (const auto& entry : entries_) {
    const Batch batch = decode(entry);
    const auto same = entry.files.empty() ? std::unordered_set<std::string>() : same_files(entry, batch);
    for (const auto& command : batch.commands) {
      found.erase(command.out.base);
      if (command.op != Op::read_file) continue;
      const auto path = path_of(command, batch);
      const auto sum = sum_of(batch.payloads[static_cast<std::size_t>(command.payload)]);
      if (!sum || !sum->is_of_checkpoint || !same.contains(path)) continue;
      Stored stored;
      stored.whole = command.out;
      stored.path = path;
      stored.offset = command.ints[0];
      stored.sum = sum->sum;
      found.emplace(command.out.base, std::move(stored));
    }
  }
  std::vector<Stored> all;
  for (auto& [id, stored] : found)
    if (!shared_.contains(id)) all.push_back(std::move(stored));
  return all;
}

std::vector<CommandLog::Expected> CommandLog::take_sums(Batch& batch) {
  std::vector<Expected> sums;
  for (std::size_t index = 0; index < batch.commands.size(); ++index) {
    const Command& command = batch.commands[index];
    if (command.op != Op::read_file && command.op != Op::read_pieces) continue;
    auto& path = batch.payloads[static_cast<std::size_t>(command.payload)];
    const auto sum = sum_of(path);
    if (!sum) continue;
    const auto name = path_of(command, batch);
    path.resize(name.size());
    sums.push_back({index, command.out, sum->sum,
                    sum->is_of_checkpoint
                        ? "its file in the checkpoint is damaged: it is not what was written"
                        : "its file " + name + " has changed: other elements were read from it"});
  }
  return sums;
}

}  // namespace gamelan::kernel
