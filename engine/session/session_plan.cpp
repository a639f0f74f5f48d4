// SPDX-License-Identifier: BSD-3-Clause
// From a batch to a plan that runs, with the copies elided that can be (elided_copies.hpp).
#include <chrono>

#include "engine/session/session.hpp"

namespace gamelan::engine {

std::vector<ElidedCopies::Copy> Session::find_elided(const protocol::Batch& batch) const {
  if (options_.keeps_unread || options_.disabled.contains("elide_stores")) return {};
  return ElidedCopies::find(batch);
}

void Session::plan_and_run(protocol::Batch& batch, protocol::Reply& reply, std::optional<Refusal>& refusal) {
  const auto start = std::chrono::steady_clock::now();
  auto copies = find_elided(batch);
  const std::size_t frees = batch.frees.size();
  for (const auto& copy : copies) batch.frees.push_back(copy.to.base);
  auto plan = plan_within_memory(batch, refusal);
  batch.frees.resize(frees);
  if (refusal && !copies.empty()) {  // what runs before the fault must leave its arrays behind
    copies.clear();
    refusal.reset();
    plan = plan_within_memory(batch, refusal);
  }
  published_.plan_seconds = published_.plan_seconds +
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto planned =
      refusal ? static_cast<std::size_t>(std::max<std::int64_t>(refusal->command, 0)) : batch.commands.size();
  for (std::size_t c = 0; c < planned; ++c) written_.push_back(batch.commands[c].out.base);
  run(plan, batch, reply);
  // Cut by an interrupt, an array equals its view if the assignment has run. It may have been stored for
  // steps that were cut off: then there is nothing to elide.
  for (auto& copy : copies) {
    const bool is_equal =
        reply.outcome == protocol::Outcome::ok || static_cast<std::int64_t>(copy.command) < reply.command;
    if (is_equal && !arrays_.contains(copy.to.base)) elided_.add(std::move(copy));
  }
}

/// What was to be made first, but was cut off or refused with the rest, stays elided.
void Session::put_back(const std::vector<ElidedCopies::Copy>& made, protocol::Batch& batch) {
  for (const auto& copy : made)
    if (!arrays_.contains(copy.to.base)) elided_.put_back(copy, batch);
}

/// An interrupted batch has happened up to a command. What it has made for later ones already is not of that
/// moment.
void Session::free_future(const protocol::Batch& batch, std::size_t command) {
  std::vector<protocol::ArrayId> future;
  for (std::size_t c = command; c < batch.commands.size(); ++c)
    if (batch.commands[c].creates) future.push_back(batch.commands[c].out.base);
  free(future);
}

}  // namespace gamelan::engine
