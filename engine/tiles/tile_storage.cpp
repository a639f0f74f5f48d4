// SPDX-License-Identifier: BSD-3-Clause
// Gives register tiles to the values that are not kept in an operand (tile_in_place.hpp), by a linear scan
// over last uses, and writes down the moves of a tile.
#include "engine/tiles/tile_storage.hpp"

#include <algorithm>
#include <map>

#include "engine/tiles/loops/elementwise.hpp"

namespace gamelan::engine::tiles {
namespace {

using Kind = Instruction::Kind;
using Action = StorageAssignment::Action;

class StorageAssigner : InPlaceValues {
 public:
  StorageAssigner(const Renamed& renamed, const std::vector<OperandTraits>& traits)
      : InPlaceValues(renamed, traits), is_emitted_(renamed.steps.size(), false) {
    result_.traits = traits;
  }

  StorageAssignment run() {
    place_hoisted();
    gather_early();
    for (int index = 0; index < step_count(); ++index)
      if (!is_emitted_[static_cast<std::size_t>(index)]) emit(index);
    return std::move(result_);
  }

 private:
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
    result_.slots.push_back(
        {static_cast<std::int64_t>(protocol::size_of(value(number).dtype)), number, true});
    return {Place::Kind::slot, static_cast<int>(result_.slots.size()) - 1};
  }

  /// Constants come first: then they have the same slots in every assignment, and stay filled. A constant of
  /// which only one element is needed keeps its slot reserved, because another assignment may need all of it.
  /// The first elements of whole tiles would be at one offset of a page: all of them in the same few lines of
  /// the first-level cache.
  void place_hoisted() {
    for (const Kind kind : {Kind::constant, Kind::load}) {
      for (int index = 0; index < step_count(); ++index) {
        const Step& step = at(index);
        if (step.kind != kind || !is_hoisted_[static_cast<std::size_t>(step.out)]) continue;
        const bool is_element = (kind == Kind::constant || traits(step.operand).is_scalar) &&
                                every_use_takes_an_element(step.out);
        if (is_element && kind == Kind::constant)
          ++slots_of_width_[static_cast<std::int64_t>(protocol::size_of(value(step.out).dtype))];
        const Place place = places_[static_cast<std::size_t>(step.out)] =
            is_element ? element(step.out) : take_slot(step.out);
        auto& fills = kind == Kind::constant ? result_.constants : result_.repeated;
        fills.push_back({.action = Action::gather, .step = index, .out = place});
      }
    }
  }

  /// Elements with gaps between them (columns of a matrix), and those of another dtype, are gathered before
  /// anything is computed: no machine code of a trace does that (tile_trace.cpp), so it would be cut there.
  void gather_early() {
    constexpr int most_early = 6;  // tiles that are held for longer
    std::vector<bool> is_written(result_.traits.size(), false);
    int early = 0;
    for (int index = 0; index < step_count() && early < most_early; ++index) {
      const Step& step = at(index);
      const auto out = static_cast<std::size_t>(std::max(step.out, 0));
      if (step.kind == Kind::store)
        is_written[static_cast<std::size_t>(alias(step.operand))] = true;
      else if (stored_in_[out] >= 0)
        is_written[static_cast<std::size_t>(alias(stored_in_[out]))] = true;
      else if (step.kind == Kind::load && places_[out].kind == Place::Kind::none &&
               !(step.is_same_dtype && traits(step.operand).is_contiguous) &&
               !is_written[static_cast<std::size_t>(alias(step.operand))]) {
        emit(index);
        is_emitted_[static_cast<std::size_t>(index)] = true;
        ++early;
      }
    }
  }

  void emit(int index) {
    const Step& step = at(index);
    StorageAssignment::Move move;
    move.step = index;
    for (const int number : step.in) {
      if (number >= 0)
        move.in[static_cast<std::size_t>(move.in_count++)] = places_[static_cast<std::size_t>(number)];
    }
    switch (step.kind) {
      case Kind::constant:
        return;
      case Kind::load:
        if (places_[static_cast<std::size_t>(step.out)].kind == Place::Kind::none) {
          places_[static_cast<std::size_t>(step.out)] = take_slot(step.out);
        } else if (stored_in_[static_cast<std::size_t>(step.out)] < 0) {
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
    if (!stored_after_[static_cast<std::size_t>(index)].empty() && value(step.out).last_use == index)
      release(step.out);
  }

  void emit_store(int index) {
    StorageAssignment::Move move;
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

  std::vector<bool> is_emitted_;                   // by step: before all others
  std::map<std::int64_t, std::vector<int>> free_;  // item bytes -> slots
  std::map<std::int64_t, int> slots_of_width_;
  StorageAssignment result_;
};

}  // namespace

StorageAssignment assign_storage(const Renamed& renamed, const std::vector<OperandTraits>& traits) {
  return StorageAssigner(renamed, traits).run();
}

}  // namespace gamelan::engine::tiles
