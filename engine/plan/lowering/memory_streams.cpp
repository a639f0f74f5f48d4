// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/lowering/memory_streams.hpp"

#include <algorithm>
#include <map>

namespace gamelan::engine::plan {
namespace {

using Kind = Instruction::Kind;

// Bytes per rank. What is written: more than a rank's share of a last-level cache. What is read: more than
// any second-level cache. (In a last-level cache the processor's own prefetching is better.)
constexpr std::size_t store_from_bytes = std::size_t{16} << 20, load_from_bytes = std::size_t{4} << 20;
constexpr std::size_t shortest_stored_run = 256;       // bytes: three whole lines
constexpr std::size_t shortest_loaded_run = 32 << 10;  // bytes: twice what is asked for ahead

/// The bytes of an array that lie together and are read or written one after the other. `gap`: the part of an
/// axis that may be left out.
std::size_t run_bytes(const distribution::Placement& used, const ArrayInfo& array, double gap = 0) {
  const Shape extents = used.iterations.extents();
  std::size_t bytes = protocol::size_of(array.dtype);
  auto last = static_cast<int>(array.extents.size());  // axis that lies together
  for (std::size_t k = extents.size(); k-- > 0;) {
    const auto& axis = used.map.axes[k];
    if (axis.base_axis < 0) continue;
    if (axis.base_axis != --last || axis.step != 1) break;
    bytes *= static_cast<std::size_t>(extents[k]);
    const auto all = static_cast<double>(array.extents[static_cast<std::size_t>(last)]);
    if (static_cast<double>(extents[k]) < all * (1 - gap)) break;
  }
  return bytes;
}

/// Where the first element lies in an array, in elements of its C order.
std::int64_t first_element(const distribution::Placement& used, const Shape& extents) {
  std::int64_t element = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) element = element * extents[k] + used.map.fixed[k];
  return element;
}

/// True where what comes next lies before what is read.
bool is_backwards(const distribution::Placement& used) {
  return std::any_of(used.map.axes.begin(), used.map.axes.end(),
                     [](const auto& axis) { return axis.step < 0; });
}

/// True where an array is written in place: its lines are in the cache already.
bool reads(const FusedLoop& pass, int slot) {
  return std::any_of(pass.program.code.begin(), pass.program.code.end(), [&](const Instruction& each) {
    if (each.kind != Kind::load) return false;
    const auto& operand = pass.operands[static_cast<std::size_t>(each.operand)];
    return operand.source == Operand::Source::slot && operand.slot == slot;
  });
}

}  // namespace

void mark_streams(FusedLoop& pass, const std::vector<Slot>& slots) {
  struct Leader {
    Instruction* load;
    std::int64_t element;
    int loads = 0;
  };
  std::map<int, Leader> leaders;  // by slot
  for (auto& instruction : pass.program.code) {
    if (instruction.kind != Kind::load && instruction.kind != Kind::store) continue;
    const auto& operand = pass.operands[static_cast<std::size_t>(instruction.operand)];
    if (operand.source != Operand::Source::slot) continue;
    const auto& slot = slots[static_cast<std::size_t>(operand.slot)];
    if (instruction.kind == Kind::store) {
      instruction.streams = block_bytes(slot) >= store_from_bytes && !reads(pass, operand.slot) &&
                            run_bytes(operand.placement, slot.info) >= shortest_stored_run;
      continue;
    }
    constexpr double gap = 1.0 / 8;  // what is left out of rows is asked for in vain
    if (block_bytes(slot) < load_from_bytes || is_backwards(operand.placement) ||
        run_bytes(operand.placement, slot.info, gap) < shortest_loaded_run)
      continue;
    const auto element = first_element(operand.placement, slot.info.extents);
    auto& leader = leaders.try_emplace(operand.slot, Leader{&instruction, element}).first->second;
    ++leader.loads;
    if (element > leader.element) leader = {&instruction, element, leader.loads};
  }
  // The processor finds a few simple streams by itself, and not among the loads of a stencil.
  const bool reads_one_in_several_places =
      std::any_of(leaders.begin(), leaders.end(), [](const auto& each) { return each.second.loads > 1; });
  for (const auto& [slot, leader] : leaders) leader.load->streams = reads_one_in_several_places;
}

}  // namespace gamelan::engine::plan
