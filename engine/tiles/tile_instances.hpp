// SPDX-License-Identifier: BSD-3-Clause
// A program's specializations with memory for their register tiles. Used by what runs a program.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/tiles/tile_memory.hpp"
#include "engine/tiles/tile_translation.hpp"

namespace gamelan::engine::tiles {

struct Instance {
  std::shared_ptr<Translation::Specialization> of;
  std::vector<std::byte*> places;  ///< operands at the current tile, then register tiles
  /// The address of a place.
  std::byte* at(Place place) const {
    const auto number = static_cast<std::size_t>(place.number);
    return places[place.kind == Place::Kind::operand ? number : of->storage.traits.size() + number];
  }
  const Slot& slot(Place place) const { return of->storage.slots[static_cast<std::size_t>(place.number)]; }
};

class Instances {
 public:
  explicit Instances(std::shared_ptr<Translation> translation) : translation_(std::move(translation)) {}
  /// The instance for operands that lie in memory in this way, its constants filled in. Valid until the next
  /// call.
  Instance& find(const std::vector<OperandTraits>& traits);

 private:
  void fill_constants(const Instance& instance) const;

  const std::shared_ptr<Translation> translation_;
  TileMemory memory_;
  using Tiles = std::map<std::pair<std::int64_t, int>, std::byte*>;  // by element size and number
  Tiles tiles_, elements_;
  std::deque<Instance> instances_;
};

}  // namespace gamelan::engine::tiles
