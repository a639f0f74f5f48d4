// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/masked_sums.hpp"

#include <algorithm>

#include "engine/tiles/loops/masked_rows.hpp"

namespace gamelan::engine::steps {

using distribution::Box;
using distribution::extents_of;
using protocol::Dtype;
using Kind = tiles::Instruction::Kind;
using Source = plan::Operand::Source;

namespace {

constexpr std::size_t fewest_together = 3;  // masks; of fewer rows it is quicker to find the true ones

/// True for 0.0, the number whose addition changes nothing.
bool is_zero(const protocol::Scalar& scalar) {
  const auto bytes = protocol::size_of(scalar.dtype);
  return std::all_of(scalar.bytes.begin(), scalar.bytes.begin() + static_cast<std::ptrdiff_t>(bytes),
                     [](std::byte each) { return each == std::byte{0}; });
}

/// True for an operand that has one element for each row.
bool is_of_rows(const plan::Operand& operand) {
  const auto& axes = operand.placement.map.axes;
  return std::all_of(axes.begin() + 1, axes.end(), [](const auto& axis) { return axis.base_axis < 0; });
}

}  // namespace

MaskedSums::MaskedSums(const StepContext& context, const plan::FoldBlocks& fold, const BoxRunner& whole)
    : context_(context), fold_(fold), whole_(whole) {
  const auto dims = fold.extents.size();
  if (fold.values.interior || dims < 2 || !fold.reduced[0] ||
      std::count(fold.reduced.begin(), fold.reduced.end(), true) != 1)
    return;
  const auto& program = fold.values.program;
  constexpr int zero = -2, unknown = -1;
  struct Value {
    int operand = unknown, mask = unknown;  ///< loaded; or rows of the operand where the mask is true
  };
  std::vector<Value> values(program.registers.size());
  std::vector<Masked> masked(fold.folds.size());
  std::size_t sums = 0;
  for (const auto& each : program.code) {
    const auto* operand =
        each.operand < 0 ? nullptr : &fold.values.operands[static_cast<std::size_t>(each.operand)];
    const auto value = [&](int k) {
      return values[static_cast<std::size_t>(each.in[static_cast<std::size_t>(k)])];
    };
    if (each.kind == Kind::load && operand->source == Source::slot &&
        each.loop == program.operands[static_cast<std::size_t>(each.operand)]) {
      values[static_cast<std::size_t>(each.out)] = {each.operand};
    } else if (each.kind == Kind::constant && is_zero(each.scalar)) {
      values[static_cast<std::size_t>(each.out)] = {zero};
    } else if (each.kind == Kind::compute && each.op == protocol::Op::where && value(0).operand >= 0 &&
               value(0).mask == unknown && value(1).operand >= 0 && value(1).mask == unknown &&
               value(2).operand == zero &&
               is_of_rows(fold.values.operands[static_cast<std::size_t>(value(0).operand)])) {
      values[static_cast<std::size_t>(each.out)] = {value(1).operand, value(0).operand};
    } else if (each.kind == Kind::store && operand->source == Source::scratch && value(0).mask >= 0) {
      const auto& sum = fold.folds[static_cast<std::size_t>(operand->fold)];
      if (sum.op != protocol::Op::add || tiles::find_add_masked_rows(sum.loop) == nullptr ||
          program.operands[static_cast<std::size_t>(each.operand)] != sum.loop ||
          program.operands[static_cast<std::size_t>(value(0).operand)] != sum.loop)
        return;
      masked[static_cast<std::size_t>(operand->fold)] = {static_cast<std::size_t>(value(0).mask),
                                                         static_cast<std::size_t>(value(0).operand)};
      ++sums;
    } else {
      return;
    }
  }
  if (sums != masked.size()) return;
  masked_ = std::move(masked);
  find_groups();
}

bool MaskedSums::are_at(const Box& elements) const {
  if (!exist()) return false;
  const auto extents = extents_of(elements);
  for (std::size_t f = 0; f < masked_.size(); ++f) {
    const auto& [mask, rows] = masked_[f];
    if (!whole_.is_local(mask, elements) || !whole_.is_local(rows, elements)) return false;
    const auto piece = whole_.piece_of(rows, elements);
    const auto packed = protocol::contiguous_strides(extents, protocol::size_of(fold_.folds[f].loop));
    for (std::size_t k = 1; k < extents.size(); ++k)
      if (extents[k] > 1 && piece.strides[k] != packed[k]) return false;
  }
  return true;
}

void MaskedSums::find_groups() {
  for (std::size_t f = 0; f < masked_.size(); ++f) {
    const auto is_of_it = [&](const Group& group) {
      return masked_[group.front()].rows == masked_[f].rows && group.size() < tiles::most_row_groups;
    };
    const auto group = std::find_if(groups_.begin(), groups_.end(), is_of_it);
    if (group == groups_.end())
      groups_.push_back({f});
    else
      group->push_back(f);
  }
}

void MaskedSums::add(const Box& elements, const std::vector<std::vector<std::byte>*>& partials) const {
  for (const Group& group : groups_) add(group, elements, partials);
}

void MaskedSums::add(const Group& group, const Box& elements,
                     const std::vector<std::vector<std::byte>*>& partials) const {
  const auto& operands = fold_.values.operands;
  const auto loop = fold_.folds[group.front()].loop;
  const auto place = masked_[group.front()].rows;
  const auto rows = whole_.piece_of(place, elements);
  const auto extents = extents_of(elements);
  const auto length = protocol::element_count(extents) / extents[0];
  const auto block = fold_.block_extents[0], blocks = (extents[0] + block - 1) / block;
  const auto row_bytes = length * static_cast<std::int64_t>(protocol::size_of(loop));
  std::vector<const std::byte*> masks;
  std::vector<std::int64_t> pitches;
  std::vector<void*> sums;
  for (const std::size_t f : group) {
    const auto mask = whole_.piece_of(masked_[f].mask, elements);
    masks.push_back(context_.address(operands[masked_[f].mask], mask));
    pitches.push_back(mask.strides[0]);
    partials[f]->resize(static_cast<std::size_t>(blocks * row_bytes));
    sums.push_back(partials[f]->data());
  }
  bool are_together =
      group.size() >= fewest_together && length <= tiles::longest_grouped_row &&
      std::all_of(pitches.begin(), pitches.end(), [](std::int64_t pitch) { return pitch == 1; });
  const auto add_rows = tiles::find_add_masked_rows(loop);
  const auto add_together = tiles::find_add_grouped_rows(loop);
  const auto* first = context_.address(operands[place], rows);
  for (std::int64_t q = 0; q < blocks; ++q) {
    const auto count = std::min(block, extents[0] - q * block);
    are_together =
        are_together &&
        add_together({masks.data(), masks.size(), first, rows.strides[0], length, count}, sums.data());
    if (!are_together)
      for (std::size_t g = 0; g < group.size(); ++g)
        add_rows({masks[g], pitches[g], first, rows.strides[0], length, count}, sums[g]);
    first += count * rows.strides[0];
    for (std::size_t g = 0; g < group.size(); ++g) {
      masks[g] += count * pitches[g];
      sums[g] = static_cast<std::byte*>(sums[g]) + row_bytes;
    }
  }
}

}  // namespace gamelan::engine::steps
