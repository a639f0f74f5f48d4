// SPDX-License-Identifier: BSD-3-Clause
// Admission: before a plan runs, its allocations are tried on a copy of the allocator, with the same outcome
// on every rank. Then the pages that they need are committed. Called while a batch is planned; it runs no
// step.
#pragma once
#include <optional>
#include <utility>

#include "engine/plan/plan_cache.hpp"
#include "engine/session/array_table.hpp"
#include "engine/session/check.hpp"

namespace gamelan::engine {

/// What a plan will need of a rank's heap, in bytes.
struct MemoryForecast {
  std::size_t in_use = 0, capacity = 0;  ///< before the plan; of the heap
  std::size_t peak = 0;                  ///< at once while it runs: as far as it comes
  std::optional<Refusal> refusal;        ///< set when it does not fit
  std::size_t wanted = 0, room = 0;      ///< then: of the block at fault; free at that moment
};

class Admission {
 public:
  /// All three must outlive the object.
  Admission(Comm& comm, distribution::Heap& heap, const ArrayTable& arrays)
      : comm_(comm), heap_(heap), arrays_(arrays) {}

  /// Makes sure that the plan has the memory and the pages that it needs. Otherwise returns the first command
  /// that has none, and why. Collective.
  std::optional<Refusal> admit(const plan::NamedPlan& named, const protocol::Batch& batch);

  /// Tries the same, when the arrays `freed` have gone, and changes nothing. Not collective.
  MemoryForecast forecast(const plan::NamedPlan& named, const protocol::Batch& batch,
                          const std::vector<protocol::ArrayId>& freed) const;

 private:
  template <class Accept>
  std::optional<std::pair<std::size_t, int>> replay(const plan::NamedPlan& named,
                                                    distribution::Allocator& trial, Accept accept) const;
  std::optional<Refusal> admit_messages(const plan::NamedPlan& named, const protocol::Batch& batch);
  Refusal refusal_of(const plan::NamedPlan& named, const protocol::Batch& batch, std::size_t step, int slot,
                     const std::vector<protocol::ArrayId>& freed = {}) const;
  protocol::Error too_big(const protocol::Batch& batch, std::int64_t command, std::size_t bytes,
                          const std::vector<protocol::ArrayId>& freed) const;

  Comm& comm_;
  distribution::Heap& heap_;
  const ArrayTable& arrays_;
};

}  // namespace gamelan::engine
