// SPDX-License-Identifier: BSD-3-Clause
// Decides where values live (tile_binding.hpp): stores that can happen where the value is computed, loads that need no
// copy, then register tiles by a linear scan over last uses. Operands may name the same memory: a value in place must
// not be read after a write to it, and a write must not move before a read of what was there.
#include "engine/exec/tile_binding.hpp"

#include <algorithm>
#include <map>

namespace gamelan::engine::exec {
namespace {

using Kind = Instruction::Kind;
using Action = Binding::Action;

class Binder {
 public:
  Binder(const Renamed& renamed, const std::vector<OperandTraits>& traits)
      : steps_(renamed.steps), values_(renamed.values) {
    result_.traits = traits;
    home_.assign(values_.size(), -1);
    store_is_done_.assign(steps_.size(), false);
    is_soon_.assign(steps_.size(), false);
    stored_after_.resize(steps_.size());
    places_.assign(values_.size(), {});
    is_hoisted_.assign(values_.size(), false);
    is_single_.assign(values_.size(), false);
  }

  Binding run() {
    for (std::size_t index = 0; index < steps_.size(); ++index) hoist(at(index));
    for (int index = 0; index < step_count(); ++index) store_early(index);
    for (int index = 0; index < step_count(); ++index) store_soon(index);
    for (int index = 0; index < step_count(); ++index) load_in_place(index);
    place_hoisted();
    for (int index = 0; index < step_count(); ++index) emit(index);
    return std::move(result_);
  }

 private:
  int step_count() const { return static_cast<int>(steps_.size()); }
  const Step& at(std::size_t index) const { return steps_[index]; }
  const Step& at(int index) const { return steps_[static_cast<std::size_t>(index)]; }
  const Value& value(int number) const { return values_[static_cast<std::size_t>(number)]; }
  const OperandTraits& traits(int operand) const { return result_.traits[static_cast<std::size_t>(operand)]; }
  int alias(int operand) const { return traits(operand).alias; }

  /// Constants and repeating operands are the same for every tile of a cell. (Nothing that repeats is written: several
  /// positions would name one element.)
  void hoist(const Step& step) {
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

  /// A load that gives one element per tile, for which a loop may take the element itself.
  bool is_single_load(const Step& step) const {
    return step.kind == Kind::load && step.is_same_dtype && traits(step.operand).is_single &&
           !traits(step.operand).is_contiguous && !is_hoisted_[static_cast<std::size_t>(step.out)];
  }
  bool may_be_single(int number) const {
    return is_single_[static_cast<std::size_t>(number)] || is_single_load(at(value(number).defined_at));
  }
  bool every_use_takes_an_element(int number) const {
    return std::all_of(steps_.begin(), steps_.end(), [&](const Step& step) {
      for (std::size_t k = 0; k < step.in.size(); ++k) {
        if (step.in[k] != number || step.is_pair) continue;
        const Loop loop = k == 0 ? step.with_left : k == 1 ? step.with_right : nullptr;
        if (loop == nullptr || may_be_single(step.in[1 - k])) return false;
      }
      return true;
    });
  }

  bool is_contiguous_load(const Step& step) const {
    return step.kind == Kind::load && step.is_same_dtype && traits(step.operand).is_contiguous;
  }
  bool may_load_in_place(const Step& step) const { return is_contiguous_load(step) || is_single_load(step); }

  /// Lets the step that defines a value write it straight to the operand that it is stored to.
  void store_early(int index) {
    const Step& store = at(index);
    if (store.kind != Kind::store || !store.is_same_dtype || !traits(store.operand).is_contiguous) return;
    if (store.streams) return;  // it goes past the cache in one go, from a tile that is in it
    if (traits(store.operand).has_gaps) return;  // what lies between its rows is not the program's
    const int number = store.in[0];
    const auto v = static_cast<std::size_t>(number);
    const int defined = value(number).defined_at;
    if (is_hoisted_[v] || home_[v] >= 0 || is_contiguous_load(at(defined)) || !may_write_at(defined, index)) return;
    for (int other = index + 1; other < value(number).last_use; ++other) {
      // The value would be overwritten while it is still needed.
      if (at(other).kind == Kind::store && alias(at(other).operand) == alias(store.operand)) return;
    }
    home_[v] = store.operand;
    store_is_done_[static_cast<std::size_t>(index)] = true;
    places_[v] = {Place::Kind::operand, store.operand};
  }

  /// Whether a store could happen as soon as its value is defined.
  bool may_write_at(int defined, int index) const {
    const int group = alias(at(index).operand);
    for (int other = 0; other < index; ++other) {
      const Step& step = at(other);
      const bool is_same_memory = step.operand >= 0 && alias(step.operand) == group;
      // The old content is read, or newer content written, before the program's own store.
      if (is_same_memory && other > defined) return false;
      // An older value lives there and is read later.
      if (step.out < 0 || other >= defined || value(step.out).last_use <= defined) continue;
      const bool lives_there = (is_same_memory && may_load_in_place(step)) ||
                               (home_[static_cast<std::size_t>(step.out)] >= 0 &&
                                alias(home_[static_cast<std::size_t>(step.out)]) == group);
      if (lives_there) return false;
    }
    return true;
  }

  /// Lets a copy to an operand follow the step that defines the value, so that its tile is soon free again: the planner
  /// writes all stores at the end.
  void store_soon(int index) {
    const Step& store = at(index);
    if (store.kind != Kind::store || store_is_done_[static_cast<std::size_t>(index)]) return;
    const int defined = value(store.in[0]).defined_at;
    if (at(defined).kind != Kind::compute && at(defined).kind != Kind::cast) return;
    if (!may_write_at(defined, index)) return;
    stored_after_[static_cast<std::size_t>(defined)].push_back(index);
    is_soon_[static_cast<std::size_t>(index)] = true;
    // What lives on after it is decided by the other readers.
    int last_use = defined;
    for (int other = defined + 1; other < step_count(); ++other) {
      const Step& step = at(other);
      const bool reads = std::find(step.in.begin(), step.in.end(), store.in[0]) != step.in.end();
      if (reads && !is_soon_[static_cast<std::size_t>(other)]) last_use = other;
    }
    values_[static_cast<std::size_t>(store.in[0])].last_use = last_use;
  }

  /// The step at which a store's operand really changes.
  int written_at(int index) const {
    const bool is_early = store_is_done_[static_cast<std::size_t>(index)] || is_soon_[static_cast<std::size_t>(index)];
    return is_early ? value(at(index).in[0]).defined_at : index;
  }

  void load_in_place(int index) {
    const Step& load = at(index);
    if (!may_load_in_place(load) || home_[static_cast<std::size_t>(load.out)] >= 0) return;
    if (is_single_load(load) && !every_use_takes_an_element(load.out)) return;
    for (int other = 0; other < step_count(); ++other) {
      if (at(other).kind != Kind::store || alias(at(other).operand) != alias(load.operand)) continue;
      const int written = written_at(other);
      if (written > index && written < value(load.out).last_use) return;
    }
    places_[static_cast<std::size_t>(load.out)] = {Place::Kind::operand, load.operand};
    is_single_[static_cast<std::size_t>(load.out)] = is_single_load(load);
  }

  Place take_slot(int number) {
    const auto bytes = static_cast<std::int64_t>(protocol::size_of(value(number).dtype));
    std::vector<int>& free_slots = free_[bytes];
    if (free_slots.empty()) {
      result_.slots.push_back({bytes, slots_of_width_[bytes]++});
      return {Place::Kind::slot, static_cast<int>(result_.slots.size()) - 1};
    }
    const int slot = free_slots.back();
    free_slots.pop_back();
    return {Place::Kind::slot, slot};
  }

  Place element(int number) {
    result_.slots.push_back({static_cast<std::int64_t>(protocol::size_of(value(number).dtype)), number, true});
    return {Place::Kind::slot, static_cast<int>(result_.slots.size()) - 1};
  }

  /// Constants first: they then have the same slots in every binding, and stay filled. A constant that only an element of
  /// is wanted keeps its slot free: another binding may want, and fill, all of it.
  void place_hoisted() {
    for (const Kind kind : {Kind::constant, Kind::load}) {
      for (int index = 0; index < step_count(); ++index) {
        const Step& step = at(index);
        if (step.kind != kind || !is_hoisted_[static_cast<std::size_t>(step.out)]) continue;
        const bool is_element = kind == Kind::constant && every_use_takes_an_element(step.out);
        if (is_element) ++slots_of_width_[static_cast<std::int64_t>(protocol::size_of(value(step.out).dtype))];
        const Place place = places_[static_cast<std::size_t>(step.out)] = is_element ? element(step.out) : take_slot(step.out);
        auto& fills = kind == Kind::constant ? result_.constants : result_.repeated;
        fills.push_back({.action = Action::gather, .step = index, .out = place});
      }
    }
  }

  void emit(int index) {
    const Step& step = at(index);
    Binding::Move move;
    move.step = index;
    for (const int number : step.in) {
      if (number >= 0) move.in[static_cast<std::size_t>(move.in_count++)] = places_[static_cast<std::size_t>(number)];
    }
    switch (step.kind) {
      case Kind::constant: return;
      case Kind::load:
        if (places_[static_cast<std::size_t>(step.out)].kind == Place::Kind::none) {
          places_[static_cast<std::size_t>(step.out)] = take_slot(step.out);
        } else if (home_[static_cast<std::size_t>(step.out)] < 0) {
          return;  // in place or hoisted
        }
        move.action = Action::gather;
        move.out = places_[static_cast<std::size_t>(step.out)];
        break;
      case Kind::cast: {
        move.action = Action::cast;
        Place& place = places_[static_cast<std::size_t>(step.out)];
        if (place.kind == Place::Kind::none) place = take_slot(step.out);
        move.out = place;
        release_inputs(index);  // after the result has its place: a cast must not overlap its operand
        break;
      }
      case Kind::compute: {
        move.action = Action::compute;
        move.loop = choose_loop(step);
        release_inputs(index);  // a loop may write over an operand that it reads for the last time
        Place& place = places_[static_cast<std::size_t>(step.out)];
        if (place.kind == Place::Kind::none) place = take_slot(step.out);
        move.out = place;
        break;
      }
      case Kind::store:
        if (is_soon_[static_cast<std::size_t>(index)]) return;
        if (!store_is_done_[static_cast<std::size_t>(index)]) emit_store(index);
        release_inputs(index);
        return;
    }
    result_.moves.push_back(move);
    for (const int store : stored_after_[static_cast<std::size_t>(index)]) emit_store(store);
    if (!stored_after_[static_cast<std::size_t>(index)].empty() && value(step.out).last_use == index) release(step.out);
  }

  void emit_store(int index) {
    Binding::Move move;
    move.step = index;
    move.action = Action::scatter;
    move.in[static_cast<std::size_t>(move.in_count++)] = places_[static_cast<std::size_t>(at(index).in[0])];
    move.out = {Place::Kind::operand, at(index).operand};
    result_.moves.push_back(move);
  }

  Loop choose_loop(const Step& step) const {
    if (step.is_pair) {
      unsigned singles = 0;
      for (std::size_t k = 0; k < step.in.size(); ++k) {
        if (is_single_[static_cast<std::size_t>(step.in[k])]) singles |= 1U << k;
      }
      return find_pair_loop(step.pair, step.loop_dtype, singles);
    }
    if (step.in[1] < 0 || step.in[2] >= 0) return step.loop;
    const bool left = is_single_[static_cast<std::size_t>(step.in[0])];
    const bool right = is_single_[static_cast<std::size_t>(step.in[1])];
    if (right && !left && step.with_right != nullptr) return step.with_right;
    if (left && !right && step.with_left != nullptr) return step.with_left;
    return step.loop;
  }

  void release_inputs(int index) {
    const Step& step = at(index);
    for (std::size_t k = 0; k < step.in.size(); ++k) {
      const int number = step.in[k];
      const auto here = step.in.begin() + static_cast<std::ptrdiff_t>(k);
      const bool is_repeated = std::find(step.in.begin(), here, number) != here;
      if (number < 0 || is_repeated || value(number).last_use != index) continue;
      release(number);
    }
  }

  void release(int number) {
    if (is_hoisted_[static_cast<std::size_t>(number)]) return;
    const Place place = places_[static_cast<std::size_t>(number)];
    if (place.kind != Place::Kind::slot) return;
    free_[result_.slots[static_cast<std::size_t>(place.number)].item_bytes].push_back(place.number);
  }

  const std::vector<Step>& steps_;
  std::vector<Value> values_;         // a store that happens soon is no late use
  std::vector<int> home_;             // value -> operand that it is computed into, -1
  std::vector<bool> store_is_done_;   // step: the value's definition does the work
  std::vector<bool> is_soon_;         // step: a store that follows the value's definition
  std::vector<std::vector<int>> stored_after_;  // by defining step
  std::vector<Place> places_;         // by value
  std::vector<bool> is_hoisted_;      // the same for every tile of a cell: filled before the first
  std::vector<bool> is_single_;       // one element; its place may hold only that
  std::map<std::int64_t, std::vector<int>> free_;   // item bytes -> slots
  std::map<std::int64_t, int> slots_of_width_;
  Binding result_;
};

}  // namespace

Binding bind(const Renamed& renamed, const std::vector<OperandTraits>& traits) {
  return Binder(renamed, traits).run();
}

}  // namespace gamelan::engine::exec
