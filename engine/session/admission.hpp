// SPDX-License-Identifier: BSD-3-Clause
// Admission: before a plan runs, its allocations are tried on a copy of the allocator, the same on every
// rank, and the pages that they need are had from the system. The planning of a batch asks it; it runs
// nothing.
#pragma once
#include <optional>
#include <utility>

#include "engine/plan/plan_cache.hpp"
#include "engine/session/array_table.hpp"
#include "engine/session/check.hpp"

namespace gamelan::engine {

class Admission {
 public:
  /// All must outlive it.
  Admission(Comm& comm, distribution::Heap& heap, const ArrayTable& arrays)
      : comm_(comm), heap_(heap), arrays_(arrays) {}

  /// Makes sure of the memory and the pages that the plan needs, or says from which command on there is none.
  /// Collective.
  std::optional<Refusal> admit(const plan::NamedPlan& named, const protocol::Batch& batch);

 private:
  template <class Accept>
  std::optional<std::pair<std::size_t, int>> replay(const plan::NamedPlan& named,
                                                    distribution::Allocator& trial, Accept accept) const;
  std::optional<Refusal> admit_messages(const plan::NamedPlan& named, const protocol::Batch& batch);
  protocol::Error too_big(const protocol::Batch& batch, std::int64_t command, std::size_t bytes) const;

  Comm& comm_;
  distribution::Heap& heap_;
  const ArrayTable& arrays_;
};

}  // namespace gamelan::engine
