// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/shared_slots.hpp"

#include <algorithm>
#include <set>

namespace gamelan::engine::plan {
namespace {

bool contains(const std::vector<int>& slots, int slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

}  // namespace

/// Goes through the steps as they would run one after the other.
class SlotSharing {
 public:
  SlotSharing(const Plan& plan, std::span<const Step> steps) : plan_(plan), steps_(steps) {}

  std::optional<SharedSlots> run() {
    if (!are_carries_sound()) return std::nullopt;
    for (const auto& step : steps_) {
      allocated_.insert(step.allocates.begin(), step.allocates.end());
      released_.insert(step.releases.begin(), step.releases.end());
      for (const auto& carry : loop_of(step.body).carries) carried_.insert({carry.from, carry.to});
    }
    std::int64_t live = 0, most = 0;
    for (const auto& step : steps_) {
      for (const int slot : step.allocates) {
        live += bytes_of(slot);
        place(slot, carry_to(step, slot));
      }
      most = std::max(most, live);
      for (const int slot : step.releases) {
        live -= bytes_of(slot);
        release(slot);
      }
    }
    return result(most);
  }

 private:
  /// Slots that lie in one block, one after the other.
  struct Block {
    std::vector<int> slots;
    bool is_free = false;
    int name = -1;  ///< the slot under which other steps know it, if any
    bool is_known_before = false;
  };

  const Slot& slot(int number) const { return plan_.slots[static_cast<std::size_t>(number)]; }
  std::int64_t bytes_of(int number) const { return static_cast<std::int64_t>(block_bytes(slot(number))); }
  bool outlives(int number) const { return allocated_.contains(number) && !released_.contains(number); }

  static const FusedLoop::Carry* carry_to(const Step& step, int slot) {
    for (const auto& carry : loop_of(step.body).carries)
      if (carry.to == slot) return &carry;
    return nullptr;
  }

  bool have_one_form(int left, int right) const {
    const auto &a = slot(left).info, &b = slot(right).info;
    return a.extents == b.extents && a.dtype == b.dtype && a.layout == b.layout;
  }

  /// A version may take the block of an older version of its array, because what all versions carry is the
  /// same. Other slots may take blocks that hold nothing carried.
  bool can_take(const Block& block, int number, const FusedLoop::Carry* carry) const {
    if (!block.is_free || !have_one_form(block.slots.back(), number)) return false;
    const bool is_carried = std::any_of(block.slots.begin(), block.slots.end(),
                                        [&](int each) { return carried_.contains(each); });
    const auto array = slot(block.slots.back()).array;
    if (is_carried || carry)
      if (!is_carried || !carry || array != slot(number).array) return false;
    if (!outlives(number)) return true;
    return block.name < 0;
  }

  /// Finds a block for a slot that a step allocates.
  void place(int number, const FusedLoop::Carry* carry) {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const Block& block) { return can_take(block, number, carry); });
    auto& block = found != blocks_.end() ? *found : blocks_.emplace_back();
    block.slots.push_back(number);
    block.is_free = false;
    if (outlives(number)) block.name = number;
  }

  void release(int number) {
    for (auto& block : blocks_)
      if (contains(block.slots, number)) {
        block.is_free = true;
        return;
      }
    blocks_.push_back({{number}, true, number, true});
  }

  /// All versions of an array have the same elements outside of the box that the passes write, because no
  /// pass writes there.
  bool are_carries_sound() const {
    std::map<ArrayId, const FusedLoop::Carry*> boxes;
    const auto is_same = [](const FusedLoop::Carry& carry, const protocol::AxisWise& map,
                            const Shape& extents) {
      const auto& written = carry.written;
      return carry.extents == extents && written.fixed == map.fixed &&
             std::equal(written.axes.begin(), written.axes.end(), map.axes.begin(), map.axes.end(),
                        [](const auto& left, const auto& right) {
                          return left.base_axis == right.base_axis && left.start == right.start &&
                                 left.step == right.step;
                        });
    };
    for (const auto& step : steps_)
      for (const auto& carry : loop_of(step.body).carries) {
        const auto [box, is_new] = boxes.try_emplace(slot(carry.to).array, &carry);
        if (slot(carry.from).array != slot(carry.to).array || !have_one_form(carry.from, carry.to))
          return false;
        if (!is_same(*box->second, carry.written, carry.extents) || box->second->blocks != carry.blocks)
          return false;
      }
    for (const auto& step : steps_)
      for (const auto& operand : loop_of(step.body).operands) {
        if (operand.source != Operand::Source::slot || !operand.is_written) continue;
        const auto box = boxes.find(slot(operand.slot).array);
        if (box == boxes.end()) continue;
        if (!is_same(*box->second, operand.placement.map, operand.placement.iterations.extents()) ||
            operand.placement.base != box->second->blocks)
          return false;
      }
    return true;
  }

  SharedSlots result(std::int64_t most) const {
    SharedSlots shared;
    for (const auto& block : blocks_) {
      const int name = block.name >= 0 ? block.name : block.slots.front();
      for (const int each : block.slots) shared.names_[each] = name;
      shared.firsts_[name] = block.slots.front();
      if (!block.is_known_before) {
        shared.allocates_.push_back(name);
        shared.more_bytes_ += bytes_of(name);
      }
      if (block.is_free) shared.releases_.push_back(name);
    }
    shared.more_bytes_ -= most;
    for (const auto& step : steps_)
      for (const int each : step.binds)
        if (outlives(each)) shared.binds_.push_back(each);
    return shared;
  }

  const Plan& plan_;
  std::span<const Step> steps_;
  std::set<int> allocated_, released_, carried_;
  std::vector<Block> blocks_;
};

std::optional<SharedSlots> SharedSlots::of(const Plan& plan, std::span<const Step> steps) {
  return SlotSharing(plan, steps).run();
}

int SharedSlots::renamed(int slot) const {
  const auto found = names_.find(slot);
  return found == names_.end() ? slot : found->second;
}

FusedLoop SharedSlots::renamed(FusedLoop loop) const {
  for (auto& operand : loop.operands)
    if (operand.source == Operand::Source::slot) operand.slot = renamed(operand.slot);
  std::erase_if(loop.carries, [&](const auto& carry) {
    // The slot is the first one in its block, or the block holds what is carried already.
    const int to = renamed(carry.to);
    return !contains(allocates_, to) || firsts_.at(to) != carry.to;
  });
  for (auto& carry : loop.carries) {
    carry.from = renamed(carry.from);
    carry.to = renamed(carry.to);
  }
  return loop;
}

FoldBlocks SharedSlots::renamed(FoldBlocks fold) const {
  fold.values = renamed(std::move(fold.values));
  for (auto& each : fold.folds) each.partials = renamed(each.partials);
  return fold;
}

}  // namespace gamelan::engine::plan
