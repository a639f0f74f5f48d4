// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_form.hpp"

#include <algorithm>

namespace gamelan::engine::tiles {

void CellForm::keep(const Cell& cell, const Geometry& geometry) {
  extents_.assign(cell.extents.begin(), cell.extents.end());
  strides_.clear();
  begins_.clear();
  first_alike_.clear();
  for (std::size_t k = 0; k < cell.operands.size(); ++k) {
    for (std::size_t axis = 0; axis < extents_.size(); ++axis)
      if (extents_[axis] != 1) strides_.push_back(cell.operands[k].strides[axis]);
    begins_.push_back(geometry.addresses[k] - cell.operands[k].address);
    const auto first = std::find(geometry.addresses.begin(), geometry.addresses.end(), geometry.addresses[k]);
    first_alike_.push_back(static_cast<std::size_t>(first - geometry.addresses.begin()));
  }
}

bool CellForm::has_same_numbers(const Cell& cell) const {
  if (!std::equal(extents_.begin(), extents_.end(), cell.extents.begin(), cell.extents.end())) return false;
  const auto* expected = strides_.data();
  for (const auto& operand : cell.operands)
    for (std::size_t axis = 0; axis < extents_.size(); ++axis)
      if (extents_[axis] != 1 && operand.strides[axis] != *expected++) return false;
  return true;
}

bool CellForm::move_to(const Cell& cell, Geometry& geometry) const {
  if (!has_same_numbers(cell)) return false;
  for (std::size_t k = 0; k < begins_.size(); ++k) {
    auto* const address = cell.operands[k].address + begins_[k];
    // The addresses before it are those of this cell already.
    const auto found = std::find(geometry.addresses.begin(),
                                 geometry.addresses.begin() + static_cast<std::ptrdiff_t>(k), address);
    if (static_cast<std::size_t>(found - geometry.addresses.begin()) != first_alike_[k]) return false;
    geometry.addresses[k] = address;
  }
  return true;
}

}  // namespace gamelan::engine::tiles
