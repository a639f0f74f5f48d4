// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/admission.hpp"

#include <algorithm>

#include "engine/distribution/bytes_text.hpp"
#include "engine/distribution/pages.hpp"

namespace gamelan::engine {

using protocol::ArrayId;
using protocol::Batch;

namespace {

/// The command to be named when `array` does not fit in step `s`: the one that makes the array, or the first
/// of the step.
std::int64_t guilty_command(const plan::Plan& plan, const Batch& batch, std::size_t s, ArrayId array) {
  const auto& commands = plan.steps[s].commands;
  for (const int command : commands) {
    const auto& made = batch.commands[static_cast<std::size_t>(command)];
    if (made.creates && made.out.base == array) return command;
  }
  if (!commands.empty()) return *std::min_element(commands.begin(), commands.end());
  // A step that the planner has added belongs to no command: take a later one. In a batch of fetches there
  // may be none.
  for (; s < plan.steps.size(); ++s)
    if (plan.steps[s].command >= 0) return plan.steps[s].command;
  return static_cast<std::int64_t>(batch.commands.size());
}

/// A command in words for the user. Its line is said beside that, as the program calls it.
std::string in_words(const protocol::Batch& batch, std::int64_t command) {
  if (command < 0 || command >= static_cast<std::int64_t>(batch.commands.size())) return "what is to be read";
  const auto& guilty = batch.commands[static_cast<std::size_t>(command)];
  return std::string(protocol::info(guilty.op).name);
}

}  // namespace

/// Runs the plan's allocations and releases on a copy of the allocator, in the executor's order.
/// `accept(trial)` is called after each allocation. Returns the first slot, with its step, for which there is
/// no room or which is not accepted; nullopt when all fit.
template <class Accept>
std::optional<std::pair<std::size_t, int>> Admission::replay(const plan::NamedPlan& named,
                                                             distribution::Allocator& trial,
                                                             Accept accept) const {
  const auto& plan = *named.plan;
  std::vector<distribution::Allocator::Block> blocks(plan.slots.size());
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    for (const int slot : plan.steps[s].allocates) {
      const auto block = trial.allocate(plan::block_bytes(plan.slots[static_cast<std::size_t>(slot)]));
      if (!block || !accept(trial)) return std::pair{s, slot};
      blocks[static_cast<std::size_t>(slot)] = *block;
    }
    for (const int slot : plan.steps[s].releases) {
      const bool is_input = plan.slots[static_cast<std::size_t>(slot)].is_input;
      trial.release(is_input ? arrays_.at(named.array_of(slot)).storage->block
                             : blocks[static_cast<std::size_t>(slot)]);
    }
  }
  return std::nullopt;
}

std::optional<Refusal> Admission::admit(const plan::NamedPlan& named, const Batch& batch) {
  auto trial = heap_.allocator();
  if (const auto full = replay(named, trial, [](auto&) { return true; })) {
    return refusal_of(named, batch, full->first, full->second);
  }
  if (heap_.commit(trial.take_uncommitted())) return admit_messages(named, batch);
  heap_.trim();  // pages of freed blocks; no rank computes now, so none is read
  trial = heap_.allocator();
  const auto stuck =
      replay(named, trial, [this](auto& so_far) { return heap_.commit(so_far.take_uncommitted()); });
  if (!stuck) return admit_messages(named, batch);
  const std::string full =
      heap_.has_huge_pages()
          ? "the memory of the machine is full"
          : "the file system behind the engines' shared memory is full (" + heap_.backing_file() + ")";
  return Refusal{guilty_command(*named.plan, batch, stuck->first, named.array_of(stuck->second)),
                 protocol::Error(protocol::ErrorKind::memory,
                                 "[memory] " + full + ": free some of it, or start engines with less heap")};
}

MemoryForecast Admission::forecast(const plan::NamedPlan& named, const Batch& batch,
                                   const std::vector<ArrayId>& freed) const {
  auto trial = heap_.allocator();
  for (const auto id : freed)
    if (const auto* array = arrays_.find(id)) trial.release(array->storage->block);
  MemoryForecast forecast{trial.in_use(), trial.capacity(), trial.in_use(), std::nullopt, 0, 0};
  const auto full = replay(named, trial, [&](const auto& so_far) {
    forecast.peak = std::max(forecast.peak, so_far.in_use());
    return true;
  });
  if (full) {
    forecast.refusal = refusal_of(named, batch, full->first, full->second, freed);
    forecast.wanted = plan::block_bytes(named.plan->slots[static_cast<std::size_t>(full->second)]);
    forecast.room = trial.capacity() - std::min(trial.capacity(), trial.in_use());
  }
  return forecast;
}

Refusal Admission::refusal_of(const plan::NamedPlan& named, const Batch& batch, std::size_t step, int slot,
                              const std::vector<ArrayId>& freed) const {
  const auto guilty = guilty_command(*named.plan, batch, step, named.array_of(slot));
  return {guilty, too_big(batch, guilty, plan::block_bytes(named.plan->slots[static_cast<std::size_t>(slot)]),
                          freed)};
}

/// Makes sure of room for what comes from other nodes, on every rank: address space for the ghost buffers,
/// which is reserved when the plan is new, and memory. The ranks agree on it when the plan is new, and on
/// every run when any of them needs much.
std::optional<Refusal> Admission::admit_messages(const plan::NamedPlan& named, const Batch& batch) {
  constexpr std::int64_t little = std::int64_t{8} << 20;
  if (!named.schedule) return std::nullopt;
  auto& schedule = *named.schedule;
  const bool is_known = schedule.most_bytes_anywhere >= 0;
  if (is_known && schedule.most_bytes_anywhere <= little) return std::nullopt;
  const auto steps = std::ssize(schedule.steps);
  if (!is_known) {
    const auto most = std::max_element(schedule.memory_bytes.begin(), schedule.memory_bytes.end());
    schedule.most_bytes_anywhere = comm_.agree_max(most == schedule.memory_bytes.end() ? 0 : *most);
  }
  std::optional<protocol::Error> cause;
  std::int64_t stuck = 0;
  try {
    for (; stuck < steps; ++stuck) {
      const auto bytes = schedule.memory_bytes[static_cast<std::size_t>(stuck)];
      for (const auto& message : schedule.steps[static_cast<std::size_t>(stuck)].receives)
        heap_.ghost_address(message.partner, 0);
      if (distribution::has_room(static_cast<std::size_t>(bytes), comm_.ranks_on_node())) continue;
      throw protocol::Error(
          protocol::ErrorKind::memory,
          "[memory] its messages to and from other nodes need up to " + std::to_string(bytes >> 20) + " MiB");
    }
  } catch (const protocol::Error& error) {
    cause = protocol::Error(
        error.kind(),
        std::string(error.what()) + ", for which rank " + std::to_string(comm_.rank()) +
            " has no room: work on smaller parts, or start engines with less heap on more nodes");
  }
  const auto first_stuck = comm_.agree_min(stuck);
  if (first_stuck == steps) return std::nullopt;
  heap_.trim();  // pages that were committed for the step
  try {
    comm_.throw_together(stuck == first_stuck ? cause : std::nullopt);
  } catch (const protocol::Error& error) {
    return Refusal{guilty_command(*named.plan, batch, static_cast<std::size_t>(first_stuck), 0), error};
  }
  return std::nullopt;  // not reached: the stuck rank has a cause
}

protocol::Error Admission::too_big(const Batch& batch, std::int64_t command, std::size_t bytes,
                                   const std::vector<ArrayId>& freed) const {
  using distribution::bytes_text;
  auto allocator = heap_.allocator();
  for (const auto id : freed)
    if (const auto* array = arrays_.find(id)) allocator.release(array->storage->block);
  const auto ranks = static_cast<std::uint64_t>(comm_.size());
  std::string text = "[memory] " + in_words(batch, command) + " needs " + bytes_text(bytes) + " on each of " +
                     std::to_string(ranks) + " ranks; the engines hold " +
                     bytes_text(allocator.in_use() * ranks) + " of " +
                     bytes_text(allocator.capacity() * ranks);
  std::vector<std::pair<std::int64_t, ArrayId>> largest;
  for (const auto& [id, array] : arrays_.all())
    if (std::find(freed.begin(), freed.end(), id) == freed.end()) largest.emplace_back(-array.bytes(), id);
  std::sort(largest.begin(), largest.end());
  if (!largest.empty()) text += "; largest arrays:";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, largest.size()); ++i)
    text += " " + bytes_text(static_cast<std::uint64_t>(-largest[i].first)) + " (" +
            distribution::describe(arrays_.at(largest[i].second).info.layout) + ")";
  text += ". Delete arrays, or start engines with more memory";
  return protocol::Error(protocol::ErrorKind::memory, text, command);
}

}  // namespace gamelan::engine
