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
  if (sums == masked.size()) masked_ = std::move(masked);
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

void MaskedSums::add(std::size_t f, const Box& elements, std::vector<std::byte>& partials) const {
  const auto& operands = fold_.values.operands;
  const auto loop = fold_.folds[f].loop;
  const auto mask = whole_.piece_of(masked_[f].mask, elements),
             rows = whole_.piece_of(masked_[f].rows, elements);
  const auto extents = extents_of(elements);
  const auto length = protocol::element_count(extents) / extents[0];
  const auto block = fold_.block_extents[0], blocks = (extents[0] + block - 1) / block;
  const auto row_bytes = length * static_cast<std::int64_t>(protocol::size_of(loop));
  partials.resize(static_cast<std::size_t>(blocks * row_bytes));
  const auto add_rows = tiles::find_add_masked_rows(loop);
  tiles::MaskedRows of{context_.address(operands[masked_[f].mask], mask),
                       mask.strides[0],
                       context_.address(operands[masked_[f].rows], rows),
                       rows.strides[0],
                       length,
                       0};
  for (std::int64_t q = 0; q < blocks; ++q) {
    of.count = std::min(block, extents[0] - q * block);
    add_rows(of, partials.data() + q * row_bytes);
    of.mask += of.count * of.mask_pitch;
    of.rows += of.count * of.row_pitch;
  }
}

}  // namespace gamelan::engine::steps
