// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one client, by id: what they are, where their elements lie on this rank, and which are lost
// and why. Alike on every rank. The session asks it; it plans and runs nothing.
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

  /// Storage goes back through the executor, which must outlive the table.
  explicit ArrayTable(steps::Executor& executor) : executor_(executor) {}

  bool contains(protocol::ArrayId id) const { return arrays_.contains(id); }
  /// Null when there is none.
  const Array* find(protocol::ArrayId id) const;
  const Array& at(protocol::ArrayId id) const { return arrays_.at(id); }
  std::size_t size() const { return arrays_.size(); }
  const std::unordered_map<protocol::ArrayId, Array>& all() const { return arrays_; }
  /// What the planner asks for.
  plan::Catalog catalog() const;

  void set(protocol::ArrayId id, Array array) { arrays_.insert_or_assign(id, std::move(array)); }
  /// Forgets an array whose storage is somebody else's, or gone.
  void forget(protocol::ArrayId id) { arrays_.erase(id); }
  /// Forgets an array and gives its storage back; nothing happens when there is none.
  void release(protocol::ArrayId id);
  /// The client wants no more of these, lost ones among them.
  void free(const std::vector<protocol::ArrayId>& ids);
  /// Of the arrays that the batch frees, those that it does not touch go first: their memory serves the
  /// batch.
  void free_untouched(const protocol::Batch& batch);
  /// An interrupted batch has happened up to a command. What it has made for later ones already is not of
  /// that moment.
  void free_made_from(const protocol::Batch& batch, std::size_t command);

  /// The array is lost, and whoever asks for it learns why.
  void poison(protocol::ArrayId id, const protocol::Error& cause) { poisoned_.insert_or_assign(id, cause); }
  /// Null when the array is not lost.
  const protocol::Error* cause_of_loss(protocol::ArrayId id) const;
  bool has_lost() const { return !poisoned_.empty(); }

 private:
  steps::Executor& executor_;
  std::unordered_map<protocol::ArrayId, Array> arrays_;
  std::unordered_map<protocol::ArrayId, protocol::Error> poisoned_;
};

}  // namespace gamelan::engine
