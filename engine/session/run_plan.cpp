// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/run_plan.hpp"

#include <unordered_map>

namespace gamelan::engine {

using protocol::ArrayId;

std::size_t run_plan(const plan::NamedPlan& named, const protocol::Batch& batch, steps::Executor& executor,
                     ArrayTable& arrays, const RunObserver& observer) {
  const auto& plan = *named.plan;
  std::vector<distribution::StoragePtr> storages(plan.slots.size());
  std::vector<ArrayId> owner(plan.slots.size());
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
    owner[slot] = named.array_of(static_cast<int>(slot));
    if (plan.slots[slot].is_input) storages[slot] = arrays.at(owner[slot]).storage;
  }
  std::unordered_map<ArrayId, int> bound;
  const auto bind = [&](int slot, ArrayId array) {
    owner[static_cast<std::size_t>(slot)] = named.name_of(array);
    bound[named.name_of(array)] = slot;
  };
  const std::span<const distribution::Exchange> exchanges =
      named.schedule ? named.schedule->steps : std::span<const distribution::Exchange>();
  const auto done = executor.run(plan, exchanges, storages, batch, {bind, observer.fail, observer.count});
  // Inputs that were replaced or freed during the plan have no storage any more; the new versions take their
  // place.
  for (const auto& [id, slot] : bound) {
    auto& storage = storages[static_cast<std::size_t>(slot)];
    arrays.forget(id);
    if (storage) arrays.set(id, {plan.slots[static_cast<std::size_t>(slot)].info, storage});
  }
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
    const auto id = owner[slot];
    if (!storages[slot]) {  // released by its last use
      if (plan.slots[slot].is_input && !bound.contains(id)) arrays.forget(id);
      continue;
    }
    const bool is_current = arrays.contains(id) && arrays.at(id).storage == storages[slot];
    if (!is_current || id >> 63) {  // an older version or a temporary whose release was cut off
      executor.release(storages[slot]);
      if (is_current) arrays.forget(id);
    }
  }
  return done;
}

std::vector<ArrayId> arrays_written_from(const plan::NamedPlan& named, std::size_t first) {
  std::vector<ArrayId> written;
  const auto& steps = named.plan->steps;
  for (std::size_t s = first; s < steps.size(); ++s) {
    for (const auto& use : plan::uses_of(steps[s]))
      if (use.is_written) written.push_back(named.array_of(use.slot));
    for (const int slot : steps[s].binds) written.push_back(named.array_of(slot));
    for (const auto& [slot, to] : steps[s].hands_over) written.push_back(named.name_of(to));
  }
  return written;
}

}  // namespace gamelan::engine
