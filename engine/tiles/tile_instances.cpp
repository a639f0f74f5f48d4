// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_instances.hpp"

namespace gamelan::engine::tiles {
namespace {
constexpr std::int64_t element_bytes = 16;  // of the widest dtype
constexpr std::size_t most_kept = 16;
}  // namespace

Instance& Instances::find(const std::vector<OperandTraits>& traits) {
  for (Instance& instance : instances_)
    if (instance.of->storage.traits == traits) return instance;
  if (instances_.size() == most_kept) instances_.pop_front();
  Instance& instance = instances_.emplace_back(Instance{translation_->find(traits), {}});
  instance.places.resize(translation_->operands());
  for (const Slot& slot : instance.of->storage.slots) {
    std::byte*& tile = (slot.is_element ? elements_ : tiles_)[{slot.item_bytes, slot.number}];
    if (tile == nullptr)
      tile = memory_.take(slot.is_element ? element_bytes
                                          : slot.item_bytes * translation_->rules().tile_elements);
    instance.places.push_back(tile);
  }
  fill_constants(instance);
  return instance;
}

void Instances::fill_constants(const Instance& instance) const {
  const auto& renamed = translation_->renamed();
  for (const StorageAssignment::Move& move : instance.of->storage.constants) {
    const Step& step = renamed.steps[static_cast<std::size_t>(move.step)];
    const auto item_bytes = static_cast<std::int64_t>(
        protocol::size_of(renamed.values[static_cast<std::size_t>(step.out)].dtype));
    step.cast(translation_->scalar(move.step).bytes.data(), 0, instance.at(move.out), item_bytes,
              instance.slot(move.out).is_element
                  ? 1
                  : static_cast<std::size_t>(translation_->rules().tile_elements));
  }
}

}  // namespace gamelan::engine::tiles
