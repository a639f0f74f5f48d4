// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/product_factors.hpp"

#include <algorithm>

#include "engine/steps/box_copies.hpp"
#include "engine/tiles/loops/fold.hpp"

namespace gamelan::engine::steps {

using distribution::Box;
using distribution::extents_of;
using Kind = tiles::Instruction::Kind;
using Source = plan::Operand::Source;

namespace {

constexpr std::int64_t fewest_uses = 4;           // of an element of a factor that is copied
constexpr std::int64_t largest_copy = 1'048'576;  // bytes: every row reads it, from a second-level cache

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

/// True when the elements of each reduction block are adjacent, for a region of these extents.
bool ProductFactors::are_runs(const protocol::Shape& strides, const protocol::Shape& extents) const {
  const protocol::Shape packed =
      protocol::contiguous_strides(extents, protocol::size_of(fold_.folds[0].loop));
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (strides[k] != packed[k] && (k + 1 == extents.size() || fold_.block_extents[k] > 1)) return false;
  return true;
}

/// True when the factor of most of the part can be read where it lies.
bool ProductFactors::lies_well(std::size_t which, const Box& part) const {
  const Box own = distribution::intersection(part, whole_.own_box(operands_[which]));
  return 4 * volume(own) > 3 * volume(part) &&
         are_runs(whole_.piece_of(operands_[which], own).strides, extents_of(part));
}

/// How a copy of the factor would lie; of 0 bytes where there should be none.
ProductFactors::Copy ProductFactors::place_for_copy(std::size_t which, const Box& part) const {
  const auto& axes = fold_.values.operands[operands_[which]].placement.map.axes;
  const auto item = static_cast<std::int64_t>(protocol::size_of(fold_.folds[0].loop));
  Copy copy{nullptr, part, protocol::Shape(part.size(), 0), item};
  for (std::size_t k = part.size(); k-- > 0;) {
    if (axes[k].base_axis < 0) continue;
    copy.strides[k] = copy.bytes;
    copy.bytes *= part[k].size();
  }
  if (copy.bytes > largest_copy || copy.bytes / item > volume(part) / fewest_uses ||
      !are_runs(copy.strides, extents_of(part)))
    copy.bytes = 0;
  return copy;
}

void ProductFactors::copy_shared(const Box& part) {
  Copy copies[2];
  for (std::size_t which = 0; which < operands_.size(); ++which) {
    if (lies_well(which, part)) continue;
    copies[which] = place_for_copy(which, part);
    if (copies[which].bytes == 0) return;  // without it the other one would be of no use
  }
  const auto loop = fold_.folds[0].loop;
  for (std::size_t which = 0; which < operands_.size(); ++which) {
    auto& copy = copies[which];
    if (copy.bytes == 0) continue;
    std::byte* const memory = context_.workspace().at_least(static_cast<std::size_t>(copy.bytes), 1 + which);
    const auto& operand = fold_.values.operands[operands_[which]];
    Box once = part;  // every element of the factor once
    for (std::size_t k = 0; k < part.size(); ++k)
      if (operand.placement.map.axes[k].base_axis < 0) once[k].last = once[k].first + 1;
    copy_operand(context_, operand, loop, loop, once, memory,
                 protocol::contiguous_strides(extents_of(once), protocol::size_of(loop)));
    copy.first = memory;
    copies_[which] = std::move(copy);
  }
}

std::optional<ProductFactors::Place> ProductFactors::place_of(std::size_t which, const Box& elements) const {
  const auto& copy = copies_[which];
  Place place{};
  if (copy.first != nullptr && distribution::intersection(elements, copy.box) == elements) {
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
  if (!are_runs(place.strides, extents_of(elements))) return std::nullopt;
  return place;
}

std::optional<std::array<ProductFactors::Place, 2>> ProductFactors::at(const Box& elements) const {
  if (!exist()) return std::nullopt;
  auto left = place_of(0, elements), right = left ? place_of(1, elements) : std::nullopt;
  if (!right) return std::nullopt;
  return std::array<Place, 2>{std::move(*left), std::move(*right)};
}

}  // namespace gamelan::engine::steps
