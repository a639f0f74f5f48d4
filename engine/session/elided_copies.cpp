// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/elided_copies.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gamelan::engine {
namespace {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::View;

using Ids = std::unordered_set<ArrayId>;

/// The arrays that the batch's commands and fetches use.
Ids touched_by(const Batch& batch) {
  Ids touched;
  for (const Command& command : batch.commands) {
    touched.insert(command.out.base);
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand)) touched.insert(view->base);
  }
  for (const View& view : batch.fetches) touched.insert(view.base);
  return touched;
}

/// True when no two elements of a view share a byte, as in every view made by slicing: each axis steps over
/// all bytes that the shorter ones reach. (A client may send sliding windows; they keep the element that was
/// assigned last, not all that was assigned.)
bool is_injective(const View& view) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // step and extent
  for (std::size_t k = 0; k < view.extents.size(); ++k)
    if (view.extents[k] > 1) axes.emplace_back(std::abs(view.strides[k]), view.extents[k]);
  std::sort(axes.begin(), axes.end());
  auto reach = static_cast<std::int64_t>(protocol::size_of(view.dtype));
  for (const auto& [step, extent] : axes) {
    if (step < reach) return false;
    reach += step * (extent - 1);
  }
  return true;
}

Command copy_of(const ElidedCopies::Copy& copy, std::uint32_t origin) {
  Command command;
  command.op = protocol::Op::copy;
  command.loop = copy.to.dtype;
  command.out = copy.to;
  command.creates = true;
  command.in = {copy.from};
  command.origin = origin;
  return command;
}

}  // namespace

std::vector<ElidedCopies::Copy> ElidedCopies::settle(Batch& batch) {
  if (copies_.empty()) return {};
  const Ids touched = touched_by(batch);
  Ids written, freed(batch.frees.begin(), batch.frees.end());
  for (const Command& command : batch.commands) written.insert(command.out.base);
  if (batch.origins.empty()) batch.origins.emplace_back();  // nowhere, as commands say that come without any
  std::vector<Command> first;
  std::vector<Copy> made;
  for (auto next = copies_.begin(); next != copies_.end();) {
    const auto here = next++;
    const auto [id, copy] = *here;
    if (freed.contains(id) && !touched.contains(id)) {
      std::erase(batch.frees, id);
    } else if (touched.contains(id) || written.contains(copy.from.base) || freed.contains(copy.from.base)) {
      batch.origins.push_back(copy.origin);
      first.push_back(copy_of(copy, static_cast<std::uint32_t>(batch.origins.size() - 1)));
      made.push_back(copy);
    } else {
      continue;
    }
    copies_.erase(here);
    release_base(copy, batch);
  }
  batch.commands.insert(batch.commands.begin(), first.begin(), first.end());
  return made;
}

/// Frees the array under the view together with the last array for which it was kept.
void ElidedCopies::release_base(const Copy& copy, Batch& batch) const {
  const ArrayId base = copy.from.base;
  const bool is_needed = std::any_of(copies_.begin(), copies_.end(),
                                     [&](const auto& other) { return other.second.from.base == base; });
  if (copy.owns_base && !is_needed) batch.frees.push_back(base);
}

void ElidedCopies::put_back(Copy copy, Batch& batch) {
  if (std::find(batch.frees.begin(), batch.frees.end(), copy.to.base) != batch.frees.end()) return;
  copy.owns_base = std::erase(batch.frees, copy.from.base) > 0 || copy.owns_base;
  add(std::move(copy));
}

std::vector<ElidedCopies::Copy> ElidedCopies::find(const Batch& batch) {
  std::unordered_map<ArrayId, std::size_t> created, last_write;
  for (std::size_t c = 0; c < batch.commands.size(); ++c) {
    const Command& command = batch.commands[c];
    last_write[command.out.base] = c;
    if (command.creates) created[command.out.base] = c;
  }
  Ids gone(batch.frees.begin(), batch.frees.end());
  for (const View& view : batch.fetches) gone.insert(view.base);  // these are read now
  std::vector<Copy> found;
  for (std::size_t c = 0; c < batch.commands.size(); ++c) {
    const Command& command = batch.commands[c];
    if (command.op != protocol::Op::copy || command.creates || command.in.size() != 1) continue;
    const auto* from = std::get_if<View>(&command.in[0]);
    if (from == nullptr || from->dtype != command.out.dtype || command.loop != command.out.dtype) continue;
    const ArrayId array = from->base, base = command.out.base;
    // The view's array existed before, lives on, and keeps its elements; the other array is new and complete.
    if (created.contains(base) || last_write[base] != c || gone.contains(base)) continue;
    if (!created.contains(array) || last_write[array] >= c || gone.contains(array)) continue;
    const Command& making = batch.commands[created[array]];
    if (making.op == protocol::Op::redistribute) continue;  // a view would have the layout of its base
    if (!protocol::same_elements(*from, making.out) || !is_injective(command.out) ||
        protocol::element_count(from->extents) == 0)
      continue;
    gone.insert(array);
    const auto origin =
        making.origin < batch.origins.size() ? batch.origins[making.origin] : protocol::Origin{};
    found.push_back({making.out, command.out, origin, c});
  }
  return found;
}

std::vector<ArrayId> ElidedCopies::forget_views_of(ArrayId base) {
  std::vector<ArrayId> forgotten;
  for (const auto& [id, copy] : copies_)
    if (copy.from.base == base) forgotten.push_back(id);
  for (const auto id : forgotten) copies_.erase(id);
  return forgotten;
}

}  // namespace gamelan::engine
