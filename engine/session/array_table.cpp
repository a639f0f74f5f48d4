// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/array_table.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace gamelan::engine {

using protocol::ArrayId;
using protocol::View;

const ArrayTable::Array* ArrayTable::find(ArrayId id) const {
  const auto found = arrays_.find(id);
  return found == arrays_.end() ? nullptr : &found->second;
}

plan::Catalog ArrayTable::catalog() const {
  return [this](ArrayId id) -> const plan::ArrayInfo* {
    const auto* found = find(id);
    return found == nullptr ? nullptr : &found->info;
  };
}

void ArrayTable::release(ArrayId id) {
  const auto found = arrays_.find(id);
  if (found == arrays_.end()) return;
  executor_.release(found->second.storage);
  arrays_.erase(found);
}

void ArrayTable::free(const std::vector<ArrayId>& ids) {
  for (const auto id : ids) {
    poisoned_.erase(id);
    release(id);
  }
}

std::vector<ArrayId> ArrayTable::untouched_frees(const protocol::Batch& batch) const {
  std::unordered_set<ArrayId> touched;
  const auto touch = [&](const View& view) { touched.insert(view.base); };
  for (const auto& command : batch.commands) {
    touch(command.out);
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand)) touch(*view);
  }
  for (const auto& view : batch.fetches) touch(view);
  std::vector<ArrayId> untouched;
  std::copy_if(batch.frees.begin(), batch.frees.end(), std::back_inserter(untouched),
               [&](ArrayId id) { return !touched.contains(id); });
  return untouched;
}

void ArrayTable::free_made_from(const protocol::Batch& batch, std::size_t command) {
  std::vector<ArrayId> made;
  for (std::size_t c = command; c < batch.commands.size(); ++c)
    if (batch.commands[c].creates) made.push_back(batch.commands[c].out.base);
  free(made);
}

const protocol::Error* ArrayTable::cause_of_loss(ArrayId id) const {
  const auto found = poisoned_.find(id);
  return found == poisoned_.end() ? nullptr : &found->second;
}

}  // namespace gamelan::engine
