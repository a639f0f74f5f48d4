// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_panels.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "engine/tiles/tile_transpose.hpp"

namespace gamelan::engine::tiles {
namespace {

constexpr std::int64_t far_bytes = 64;         // a stride that leaves the cache line
constexpr std::int64_t panel_bytes = 128;      // of a row of the operand: two lines
constexpr std::int64_t longest = 2048;         // rows of the operand in a panel: 256 KiB at most
constexpr std::int64_t least_elements = 2048;  // of a panel: each is a cell of its own to the program
constexpr std::int64_t least_extent = 16;

/// The axis along which the results are contiguous.
std::optional<std::size_t> axis_of_results(const Cell& cell, const GeometryRules& rules) {
  for (std::size_t k = 0; k < cell.operands.size(); ++k) {
    if (!rules.is_written[k]) continue;
    for (std::size_t axis = 0; axis < cell.extents.size(); ++axis)
      if (cell.extents[axis] >= least_extent && cell.operands[k].strides[axis] == rules.item_bytes[k])
        return axis;
  }
  return std::nullopt;
}

/// True when the program writes the elements of this operand by another name. Then a copy could be too old.
bool is_written_too(const Cell& cell, const GeometryRules& rules, std::size_t operand) {
  for (std::size_t k = 0; k < cell.operands.size(); ++k)
    if (rules.is_written[k] && cell.operands[k].address == cell.operands[operand].address) return true;
  return false;
}

}  // namespace

bool Panels::find(const Cell& cell, const GeometryRules& rules) {
  turned_.clear();
  if (cell.extents.size() < 2) return false;
  const auto along = axis_of_results(cell, rules);
  if (!along) return false;
  for (std::size_t k = 0; k < cell.operands.size(); ++k) {
    const auto* strides = cell.operands[k].strides;
    const auto item = rules.item_bytes[k];
    if (rules.is_written[k] || strides == nullptr || std::abs(strides[*along]) < far_bytes ||
        !can_transpose(item) || is_written_too(cell, rules, k))
      continue;
    for (std::size_t axis = 0; axis < cell.extents.size(); ++axis) {
      if (axis == *along || cell.extents[axis] < least_extent || strides[axis] != item) continue;
      if (!turned_.empty() && axis != across_) return false;
      across_ = axis;
      turned_.push_back({k, item, {}, {}});
      break;
    }
  }
  if (turned_.empty()) return false;
  cell_ = cell;
  along_ = *along;
  const auto largest = std::max_element(
      turned_.begin(), turned_.end(),
      [](const auto& left, const auto& right) { return left.item_bytes < right.item_bytes; });
  rows_ = panel_bytes / largest->item_bytes;
  const auto pieces = (cell.extents[along_] + longest - 1) / longest;
  length_ = (cell.extents[along_] + pieces - 1) / pieces;
  if (std::min(rows_, cell.extents[across_]) * length_ < least_elements) return false;  // squares are faster
  for (auto& each : turned_) {
    const auto pitch = length_ * each.item_bytes + far_bytes;  // rows would else share the sets of a cache
    each.memory.resize(static_cast<std::size_t>(rows_ * pitch));
    each.strides.assign(cell.extents.size(), 0);
    each.strides[along_] = each.item_bytes;
    each.strides[across_] = pitch;
  }
  return true;
}

void Panels::begin() {
  is_done_ = std::any_of(cell_.extents.begin(), cell_.extents.end(), [](auto extent) { return extent == 0; });
  at_.assign(cell_.extents.size(), 0);
}

/// Panels follow each other along the operand's rows, then across them.
void Panels::next() {
  const auto step = [&](std::size_t axis, std::int64_t by) {
    at_[axis] += by;
    if (at_[axis] < cell_.extents[axis]) return true;
    at_[axis] = 0;
    return false;
  };
  if (step(along_, length_) || step(across_, rows_)) return;
  for (std::size_t axis = cell_.extents.size(); axis-- > 0;)
    if (axis != along_ && axis != across_ && step(axis, 1)) return;
  is_done_ = true;
}

Cell Panels::part() {
  extents_.assign(cell_.extents.size(), 1);
  extents_[along_] = std::min(length_, cell_.extents[along_] - at_[along_]);
  extents_[across_] = std::min(rows_, cell_.extents[across_] - at_[across_]);
  first_.assign(cell_.first.begin(), cell_.first.end());
  pointers_.assign(cell_.operands.begin(), cell_.operands.end());
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    first_[axis] += at_[axis];
    for (auto& pointer : pointers_)
      if (pointer.strides != nullptr) pointer.address += at_[axis] * pointer.strides[axis];
  }
  for (auto& each : turned_) {
    auto& pointer = pointers_[each.operand];
    transpose(each.item_bytes, pointer.address, pointer.strides[along_], extents_[along_], extents_[across_],
              each.memory.data(), each.strides[across_]);
    pointer = {each.memory.data(), each.strides.data()};
  }
  return {extents_, first_, cell_.shape, pointers_};
}

}  // namespace gamelan::engine::tiles
