// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_in_place.hpp"

#include <algorithm>

namespace gamelan::engine::tiles {

using Kind = Instruction::Kind;

InPlaceValues::InPlaceValues(const Renamed& renamed, const std::vector<OperandTraits>& traits)
    : traits_(traits),
      steps_(renamed.steps),
      values_(renamed.values),
      stored_in_(values_.size(), -1),
      store_is_done_(steps_.size(), false),
      is_soon_(steps_.size(), false),
      stored_after_(steps_.size()),
      places_(values_.size()),
      is_hoisted_(values_.size(), false),
      is_single_(values_.size(), false) {
  for (const Step& step : steps_) hoist(step);
  for (int index = 0; index < step_count(); ++index) store_early(index);
  for (int index = 0; index < step_count(); ++index) store_soon(index);
  for (int index = 0; index < step_count(); ++index) load_in_place(index);
}

/// Constants and repeated operands are the same for every tile of a cell. (A repeated operand is never
/// written, because several positions would be one element.)
void InPlaceValues::hoist(const Step& step) {
  if (step.out < 0) return;
  bool is_same_everywhere = step.kind == Kind::constant;
  bool is_element = is_same_everywhere;
  if (step.kind == Kind::load && !traits(step.operand).is_contiguous) {
    is_element = traits(step.operand).is_scalar;
    is_same_everywhere = is_element || traits(step.operand).is_invariant;
  }
  is_hoisted_[static_cast<std::size_t>(step.out)] = is_same_everywhere;
  is_single_[static_cast<std::size_t>(step.out)] = is_same_everywhere && is_element;
}

/// True for a load that gives one element per tile, when the loop can use the element itself.
bool InPlaceValues::is_single_load(const Step& step) const {
  return step.kind == Kind::load && step.is_same_dtype && traits(step.operand).is_single &&
         !traits(step.operand).is_contiguous && !is_hoisted_[static_cast<std::size_t>(step.out)];
}
bool InPlaceValues::may_be_single(int number) const {
  return is_single_[static_cast<std::size_t>(number)] || is_single_load(at(value(number).defined_at));
}
bool InPlaceValues::every_use_takes_an_element(int number) const {
  return std::all_of(steps_.begin(), steps_.end(), [&](const Step& step) {
    for (std::size_t k = 0; k < step.in.size(); ++k) {
      if (step.in[k] != number || step.is_pair) continue;
      const Loop loop = k == 0 ? step.with_left : k == 1 ? step.with_right : nullptr;
      if (loop == nullptr || may_be_single(step.in[1 - k])) return false;
    }
    return true;
  });
}

bool InPlaceValues::is_contiguous_load(const Step& step) const {
  return step.kind == Kind::load && step.is_same_dtype && traits(step.operand).is_contiguous;
}
/// Lets the step that defines a value write it straight to the operand that it is stored to.
void InPlaceValues::store_early(int index) {
  const Step& store = at(index);
  if (store.kind != Kind::store || !store.is_same_dtype || !traits(store.operand).is_contiguous) return;
  if (store.streams) return;                   // a streamed store is done in one go, from a tile in the cache
  if (traits(store.operand).has_gaps) return;  // the gaps between its rows must not be written
  const int number = store.in[0];
  const auto v = static_cast<std::size_t>(number);
  const int defined = value(number).defined_at;
  if (is_hoisted_[v] || stored_in_[v] >= 0 || is_contiguous_load(at(defined)) ||
      !may_write_at(defined, index))
    return;
  for (int other = index + 1; other < value(number).last_use; ++other) {
    // The value would be overwritten while it is still needed.
    if (at(other).kind == Kind::store && alias(at(other).operand) == alias(store.operand)) return;
  }
  stored_in_[v] = store.operand;
  store_is_done_[static_cast<std::size_t>(index)] = true;
  places_[v] = {Place::Kind::operand, store.operand};
}

/// Whether a store could happen as soon as its value is defined.
bool InPlaceValues::may_write_at(int defined, int index) const {
  const int group = alias(at(index).operand);
  for (int other = 0; other < index; ++other) {
    const Step& step = at(other);
    const bool is_same_memory = step.operand >= 0 && alias(step.operand) == group;
    // The old content is read, or newer content written, before the program's own store.
    if (is_same_memory && other > defined) return false;
    // An older value lies there and is read later.
    if (step.out < 0 || other >= defined || value(step.out).last_use <= defined) continue;
    const bool lives_there = (is_same_memory && may_load_in_place(step)) ||
                             (stored_in_[static_cast<std::size_t>(step.out)] >= 0 &&
                              alias(stored_in_[static_cast<std::size_t>(step.out)]) == group);
    if (lives_there) return false;
  }
  return true;
}

/// Moves a copy to an operand right behind the step that defines the value, so that its tile is soon free
/// again. (The planner writes all stores at the end.)
void InPlaceValues::store_soon(int index) {
  const Step& store = at(index);
  if (store.kind != Kind::store || store_is_done_[static_cast<std::size_t>(index)]) return;
  const int defined = value(store.in[0]).defined_at;
  if (at(defined).kind != Kind::compute && at(defined).kind != Kind::cast) return;
  if (!may_write_at(defined, index)) return;
  stored_after_[static_cast<std::size_t>(defined)].push_back(index);
  is_soon_[static_cast<std::size_t>(index)] = true;
  // The other readers decide how long the value is needed after it.
  int last_use = defined;
  for (int other = defined + 1; other < step_count(); ++other) {
    const Step& step = at(other);
    const bool reads = std::find(step.in.begin(), step.in.end(), store.in[0]) != step.in.end();
    if (reads && !is_soon_[static_cast<std::size_t>(other)]) last_use = other;
  }
  values_[static_cast<std::size_t>(store.in[0])].last_use = last_use;
}

/// The step at which a store's operand really changes.
int InPlaceValues::written_at(int index) const {
  const bool is_early =
      store_is_done_[static_cast<std::size_t>(index)] || is_soon_[static_cast<std::size_t>(index)];
  return is_early ? value(at(index).in[0]).defined_at : index;
}

void InPlaceValues::load_in_place(int index) {
  const Step& load = at(index);
  if (!may_load_in_place(load) || stored_in_[static_cast<std::size_t>(load.out)] >= 0) return;
  if (is_single_load(load) && !every_use_takes_an_element(load.out)) return;
  for (int other = 0; other < step_count(); ++other) {
    if (at(other).kind != Kind::store || alias(at(other).operand) != alias(load.operand)) continue;
    const int written = written_at(other);
    if (written > index && written < value(load.out).last_use) return;
  }
  places_[static_cast<std::size_t>(load.out)] = {Place::Kind::operand, load.operand};
  is_single_[static_cast<std::size_t>(load.out)] = is_single_load(load);
}

}  // namespace gamelan::engine::tiles
