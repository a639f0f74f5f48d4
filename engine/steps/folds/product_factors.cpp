// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/product_factors.hpp"

#include <algorithm>

#include "engine/steps/box_copies.hpp"
#include "engine/tiles/loops/fold.hpp"

namespace gamelan::engine::steps {

using distribution::Box;
using distribution::extents_of;
using distribution::Piece;
using Kind = tiles::Instruction::Kind;
using Source = plan::Operand::Source;

namespace {

constexpr std::int64_t fewest_uses = 4;           // of an element of a factor that is copied
constexpr std::int64_t largest_copy = 1'048'576;  // bytes: it is read again and again

/// The numbers of the two operands that the fold multiplies; none where it does anything else.
std::vector<std::size_t> factors_of(const plan::FoldBlocks& fold) {
  const auto dims = fold.extents.size();
  if (fold.values.interior || fold.folds.size() != 1 || dims == 0 || !fold.reduced[dims - 1]) return {};
  const auto loop = fold.folds[0].loop;
  if (tiles::find_fold_products(fold.folds[0].op, loop) == nullptr) return {};
  const auto& program = fold.values.program;
  std::vector<int> loaded(program.registers.size(), -1), factors;
  int product = -1;
  for (const auto& each : program.code) {
    const auto operand = static_cast<std::size_t>(each.operand);
    const auto source = each.operand < 0 ? Source::slot : fold.values.operands[operand].source;
    if (each.kind == Kind::load && product < 0 && source == Source::slot && each.loop == loop &&
        program.operands[operand] == loop) {
      loaded[static_cast<std::size_t>(each.out)] = each.operand;
    } else if (each.kind == Kind::compute && product < 0 && each.op == protocol::Op::multiply &&
               each.loop == loop) {
      for (const auto number : {each.in[0], each.in[1]})
        factors.push_back(loaded[static_cast<std::size_t>(number)]);
      product = each.out;
    } else if (each.kind != Kind::store || product < 0 || each.in[0] != product ||
               source != Source::scratch) {
      return {};
    }
  }
  if (product < 0 || std::count(factors.begin(), factors.end(), -1) > 0) return {};
  return {factors.begin(), factors.end()};
}

}  // namespace

ProductFactors::ProductFactors(const StepContext& context, const plan::FoldBlocks& fold,
                               const BoxRunner& whole)
    : context_(context), fold_(fold), whole_(whole), operands_(factors_of(fold)) {}

bool ProductFactors::is_readable(std::size_t operand, const Box& elements) const {
  if (!whole_.is_local(operand, elements)) return false;
  const auto item = static_cast<std::int64_t>(protocol::size_of(fold_.folds[0].loop));
  return elements.back().size() == 1 || whole_.piece_of(operand, elements).strides.back() == item;
}

void ProductFactors::copy_shared(const Box& part) {
  if (is_empty(part)) return;
  const auto loop = fold_.folds[0].loop;
  const auto item = static_cast<std::int64_t>(protocol::size_of(loop));
  for (std::size_t which = 0; which < operands_.size(); ++which) {
    const auto& operand = fold_.values.operands[operands_[which]];
    Copy copy{nullptr, part, protocol::Shape(part.size(), 0)};
    Box once = part;  // every element of the factor once
    std::int64_t count = 1;
    for (std::size_t k = part.size(); k-- > 0;) {
      if (operand.placement.map.axes[k].base_axis < 0) {
        once[k].last = once[k].first + 1;
      } else {
        copy.strides[k] = count * item;
        count *= part[k].size();
      }
    }
    if (count > protocol::element_count(extents_of(part)) / fewest_uses || count * item > largest_copy ||
        is_readable(operands_[which], part))
      continue;
    std::byte* const memory =
        context_.workspace().at_least(static_cast<std::size_t>(count * item), 1 + which);
    const distribution::Placement* const placements[] = {&operand.placement};
    distribution::for_each_cell(once, placements, context_.rank(),
                                [&](const Box& cell, std::span<const Piece> pieces) {
                                  const auto& piece = pieces.front();
                                  if (piece.owner != context_.rank() && !operand.placement.base.is_replicated)
                                    context_.count_shared(cell, piece, operand.placement.item_bytes);
                                  std::byte* to = memory;
                                  for (std::size_t k = 0; k < cell.size(); ++k)
                                    to += (cell[k].first - part[k].first) * copy.strides[k];
                                  copy_box(loop, loop, extents_of(cell), context_.address(operand, piece),
                                           piece.strides, to, copy.strides);
                                });
    copy.first = memory;
    copies_[which] = std::move(copy);
  }
}

std::optional<ProductFactors::Place> ProductFactors::at(std::size_t which, const Box& elements) const {
  const auto& copy = copies_[which];
  Place place{};
  if (copy.first != nullptr && intersection(elements, copy.box) == elements) {
    place = {copy.first, copy.strides};
    for (std::size_t k = 0; k < elements.size(); ++k)
      place.first += (elements[k].first - copy.box[k].first) * copy.strides[k];
  } else if (whole_.is_local(operands_[which], elements)) {
    auto piece = whole_.piece_of(operands_[which], elements);
    place.first = context_.address(fold_.values.operands[operands_[which]], piece);
    place.strides = std::move(piece.strides);
  } else {
    return std::nullopt;
  }
  const auto item = protocol::size_of(fold_.folds[0].loop);
  const protocol::Shape packed = protocol::contiguous_strides(extents_of(elements), item);
  for (std::size_t k = 0; k < elements.size(); ++k)
    if (place.strides[k] != packed[k] && (k + 1 == elements.size() || fold_.block_extents[k] > 1))
      return std::nullopt;
  return place;
}

std::optional<std::array<ProductFactors::Place, 2>> ProductFactors::at(const Box& elements) const {
  if (!exist()) return std::nullopt;
  auto left = at(0, elements), right = left ? at(1, elements) : std::nullopt;
  if (!right) return std::nullopt;
  return std::array<Place, 2>{std::move(*left), std::move(*right)};
}

}  // namespace gamelan::engine::steps
