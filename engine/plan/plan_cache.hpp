// SPDX-License-Identifier: BSD-3-Clause
// Plans of earlier batches, so that the second turn of a loop plans nothing. Two batches have the same plan
// when they differ only in the ids of their arrays and the data of their payloads. So arrays are numbered 1,
// 2, 3 ... in order of appearance, and the key of a batch is everything else that planning can see.
#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/plan/communication_schedule.hpp"
#include "engine/plan/planner.hpp"

namespace gamelan::engine::plan {

/// A plan, perhaps shared with other batches, and the ids of its arrays in this batch.
struct NamedPlan {
  std::shared_ptr<const Plan> plan = std::make_shared<const Plan>();
  std::vector<ArrayId> names;  ///< the id of array n is at n - 1; empty: the plan has the ids of the batch
  std::shared_ptr<CommunicationSchedule> schedule;  ///< of this rank; null on one node

  ArrayId name_of(ArrayId id) const {
    return names.empty() || id >> 63 ? id : names[id - 1];
  }  // temporaries have none
  ArrayId array_of(int slot) const { return name_of(plan->slots[static_cast<std::size_t>(slot)].array); }
};

/// Plans a batch and computes this rank's messages, with the ids of the batch.
NamedPlan make_named_plan(const protocol::Batch& batch, const Catalog& catalog, const Options& options);

class PlanCache {
 public:
  /// `limit`: words of 8 bytes in which keys and messages are kept; the least recently used plans are dropped
  /// first.
  explicit PlanCache(std::size_t limit = std::size_t{1} << 19) : limit_(limit) {}
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// The plan of an equal batch. nullopt when there is none, when an array that the batch reads does not
  /// exist, or when one that it creates exists already. The batch needs no further checks, because the equal
  /// one was checked.
  std::optional<NamedPlan> find(const protocol::Batch& batch, const Catalog& catalog, const Options& options);
  /// Plans the batch that `find` has just not found, and keeps the plan.
  NamedPlan make(const protocol::Batch& batch, const Catalog& catalog, const Options& options);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  void reset_counters() { hits_ = misses_ = 0; }

 private:
  using Words = std::vector<std::int64_t>;
  struct Entry {
    std::uint64_t hash = 0;
    Words key;
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<CommunicationSchedule> schedule;
    std::size_t size = 0;
  };
  using Entries = std::list<Entry>;
  struct Key {
    Words words;
    std::vector<ArrayId> names;
    std::unordered_map<ArrayId, std::int64_t> numbers;
    bool is_sound = true;  // the arrays read exist, those created do not
  };
  class Writer;
  void remove(Entries::iterator entry);
  void make_room(std::size_t words);

  std::size_t limit_, size_ = 0;
  Entries entries_;                                               // last used first
  std::unordered_map<std::uint64_t, Entries::iterator> by_hash_;  // of two with one hash the newer is kept
  Key key_;                                                       // of the last find()
  std::uint64_t hash_ = 0, hits_ = 0, misses_ = 0;
};

}  // namespace gamelan::engine::plan
