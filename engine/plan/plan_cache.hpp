// SPDX-License-Identifier: BSD-3-Clause
// Plans of batches seen before: the second turn of a loop plans nothing. Two batches have the same plan when
// they differ in nothing but the names of their arrays and the data of their payloads, so arrays are renamed
// 1, 2, 3 ... in order of appearance, and a batch is looked up by everything else that planning can see, word
// for word.
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

/// A plan, perhaps shared with other batches, and what its arrays are called in this one.
struct NamedPlan {
  std::shared_ptr<const Plan> plan = std::make_shared<const Plan>();
  std::vector<ArrayId> names;  ///< of array n at n - 1; empty: the plan has the batch's own names
  std::shared_ptr<CommunicationSchedule> schedule;  ///< of this rank; null on one node

  ArrayId name_of(ArrayId id) const {
    return names.empty() || id >> 63 ? id : names[id - 1];
  }  // temporaries have none
  ArrayId array_of(int slot) const { return name_of(plan->slots[static_cast<std::size_t>(slot)].array); }
};

/// Plans a batch, and finds this rank's messages, under the batch's own names.
NamedPlan make_named_plan(const protocol::Batch& batch, const Catalog& catalog, const Options& options);

class PlanCache {
 public:
  /// `limit`: words of 8 bytes kept to recognise batches by, and what keeps messages; the least recently used
  /// plans go first.
  explicit PlanCache(std::size_t limit = std::size_t{1} << 19) : limit_(limit) {}

  /// The plan of an equal batch; nullopt when there is none, or when an array that it reads does not exist,
  /// or one that it creates does. What is found needs no checking: the equal batch was checked.
  std::optional<NamedPlan> find(const protocol::Batch& batch, const Catalog& catalog, const Options& options);
  /// Plans the batch that `find` has just missed, and keeps the plan.
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
  Entries entries_;                                               // the one used last first
  std::unordered_map<std::uint64_t, Entries::iterator> by_hash_;  // of two with one hash the newer stays
  Key key_;                                                       // of the batch looked for last
  std::uint64_t hash_ = 0, hits_ = 0, misses_ = 0;
};

}  // namespace gamelan::engine::plan
