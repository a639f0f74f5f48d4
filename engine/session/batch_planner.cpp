// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/batch_planner.hpp"

#include <algorithm>

#include "engine/plan/calls.hpp"

namespace gamelan::engine {

using protocol::ArrayId;
using protocol::Batch;

namespace {

/// The part of the batch before the call to which `command` belongs, for planning; payloads stay where they
/// are. All frees stay, so that what later commands would have read is freed with the batch.
Batch prefix_of(const Batch& batch, std::int64_t command) {
  const auto end = plan::first_of_call(batch, static_cast<std::size_t>(std::max<std::int64_t>(command, 0)));
  Batch prefix;
  prefix.commands.assign(batch.commands.begin(), batch.commands.begin() + static_cast<std::ptrdiff_t>(end));
  prefix.frees = batch.frees;
  prefix.origins = batch.origins;
  prefix.watched = batch.watched;
  return prefix;
}

/// Options without the passes that take memory to be quicker.
plan::Options with_least_memory(plan::Options options) {
  options.disabled.insert("relayout");  // its error would name the wrong command
  options.disabled.insert("tile_time");
  return options;
}

}  // namespace

BatchPlanner::BatchPlanner(Comm& comm, distribution::Heap& heap, const ArrayTable& arrays)
    : arrays_(arrays), admission_(comm, heap, arrays) {
  options_.ranks = comm.size();
  options_.times = &pass_times_;
  if (!comm.is_one_node())
    options_.standpoint = plan::Standpoint{comm.rank(), [&comm](int rank) { return comm.is_near(rank); }};
}

void BatchPlanner::reset_counters() {
  plans_.reset_counters();
  pass_times_.reset();
}

std::optional<Refusal> BatchPlanner::find_fault(const Batch& batch) const {
  Checker checker(
      [this](ArrayId id) -> std::optional<std::int64_t> {
        if (const auto* cause = arrays_.cause_of_loss(id)) throw *cause;
        const auto* array = arrays_.find(id);
        if (array == nullptr) return std::nullopt;
        return array->bytes();
      },
      [this](ArrayId id) { return arrays_.contains(id) || arrays_.cause_of_loss(id) != nullptr; });
  return checker.find_fault(batch);
}

plan::Plan BatchPlanner::make_unadmitted(const Batch& batch) const {
  if (const auto refusal = find_fault(batch)) throw refusal->error;
  return plan::make_plan(batch, arrays_.catalog(), options_);
}

std::pair<plan::Plan, MemoryForecast> BatchPlanner::forecast(const Batch& batch,
                                                             const std::vector<ArrayId>& freed) const {
  const auto needs_of = [&](const plan::Plan& plan) {
    plan::NamedPlan named;
    named.plan = std::make_shared<const plan::Plan>(plan);
    return admission_.forecast(named, batch, freed);
  };
  auto plan = make_unadmitted(batch);
  auto memory = needs_of(plan);
  if (memory.refusal) {  // as make() does
    plan = plan::make_plan(batch, arrays_.catalog(), with_least_memory(options_));
    memory = needs_of(plan);
  }
  return {std::move(plan), std::move(memory)};
}

plan::NamedPlan BatchPlanner::make(const Batch& batch, std::optional<Refusal>& refusal) {
  auto plan = plans_.find(batch, arrays_.catalog(), options_);
  const auto is_poisoned = [&](const protocol::Command& command) {
    return arrays_.cause_of_loss(command.out.base) != nullptr;
  };
  if (plan && arrays_.has_lost() && std::any_of(batch.commands.begin(), batch.commands.end(), is_poisoned))
    plan.reset();
  if (!plan && !(refusal = find_fault(batch))) plan = plans_.make(batch, arrays_.catalog(), options_);
  if (plan && !admission_.admit(*plan, batch)) return *plan;

  // The batch runs as the program would: up to the first command at fault, and nothing after it.
  Batch prefix = batch;
  if (refusal) prefix = prefix_of(batch, refusal->command);
  const auto options = with_least_memory(options_);
  for (;;) {
    const auto shortened = plan::make_named_plan(prefix, arrays_.catalog(), options);
    auto too_much = admission_.admit(shortened, prefix);
    if (!too_much) return shortened;
    refusal = std::move(too_much);
    prefix = prefix_of(batch, refusal->command);
  }
}

}  // namespace gamelan::engine
