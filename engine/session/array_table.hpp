// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one client, by id: what they are, where their elements lie on this rank, and which are lost
// and why. The same on every rank. Used by the session; it plans and runs nothing.
#pragma once
#include <unordered_map>
#include <vector>

#include "engine/distribution/storage.hpp"
#include "engine/plan/planner.hpp"
#include "engine/steps/executor.hpp"

namespace gamelan::engine {

class ArrayTable {
 public:
  struct Array {
    plan::ArrayInfo info;
    distribution::StoragePtr storage;
    std::int64_t bytes() const {
      return protocol::element_count(info.extents) * static_cast<std::int64_t>(protocol::size_of(info.dtype));
    }
  };

  /// Storage is released through the executor, which must outlive the table.
  explicit ArrayTable(steps::Executor& executor) : executor_(executor) {}

  bool contains(protocol::ArrayId id) const { return arrays_.contains(id); }
  /// nullptr when there is no such array.
  const Array* find(protocol::ArrayId id) const;
  const Array& at(protocol::ArrayId id) const { return arrays_.at(id); }
  std::size_t size() const { return arrays_.size(); }
  const std::unordered_map<protocol::ArrayId, Array>& all() const { return arrays_; }
  /// The arrays as the planner needs to know them.
  plan::Catalog catalog() const;

  void set(protocol::ArrayId id, Array array) { arrays_.insert_or_assign(id, std::move(array)); }
  /// Forgets an array whose storage another array has taken over, or which is released already.
  void forget(protocol::ArrayId id) { arrays_.erase(id); }
  /// Forgets an array and releases its storage; does nothing when there is none.
  void release(protocol::ArrayId id);
  /// The client needs these arrays no longer; lost ones may be among them.
  void free(const std::vector<protocol::ArrayId>& ids);
  /// Frees first those arrays of the batch's frees that no command of it uses: then the batch can use their
  /// memory.
  void free_untouched(const protocol::Batch& batch) { free(untouched_frees(batch)); }
  std::vector<protocol::ArrayId> untouched_frees(const protocol::Batch& batch) const;
  /// After an interrupt the batch counts as run up to `command`. Frees the new arrays of later commands that
  /// were computed already, because they are not of that moment of the program.
  void free_made_from(const protocol::Batch& batch, std::size_t command);

  /// Marks the array as lost; reading it raises `cause`.
  void poison(protocol::ArrayId id, const protocol::Error& cause) { poisoned_.insert_or_assign(id, cause); }
  /// nullptr when the array is not lost.
  const protocol::Error* cause_of_loss(protocol::ArrayId id) const;
  bool has_lost() const { return !poisoned_.empty(); }

 private:
  steps::Executor& executor_;
  std::unordered_map<protocol::ArrayId, Array> arrays_;
  std::unordered_map<protocol::ArrayId, protocol::Error> poisoned_;
};

}  // namespace gamelan::engine
