// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/box_runner.hpp"

#include <algorithm>

#include "engine/assert.hpp"
#include "engine/ranks/lent_memory.hpp"
#include "engine/steps/box_copies.hpp"
#include "protocol/check.hpp"

namespace gamelan::engine::steps {

using distribution::Box;
using distribution::extents_of;
using distribution::Piece;
using Source = plan::Operand::Source;

namespace {

constexpr std::int64_t fewest_uses = 4;                       // of an element that is copied
constexpr std::int64_t largest_copy = std::int64_t{1} << 18;  // bytes: it is read from a second-level cache
constexpr int in_copy = -2;                                   // the owner of a piece

protocol::Shape first_of(const Box& box) {
  protocol::Shape first;
  for (const auto& interval : box) first.push_back(interval.first);
  return first;
}

/// Where the elements of a constant lie: in its payload, or where the client has left them.
const std::byte* elements_of(const protocol::Bytes& payload, const protocol::Shape& shape,
                             protocol::Dtype dtype) {
  const auto elements = static_cast<std::size_t>(protocol::element_count(shape));
  const auto lent = protocol::lent_by(payload, elements, dtype);
  return lent ? lent_memory() + lent->offset : payload.data();
}

}  // namespace

BoxRunner::BoxRunner(const StepContext& context, const plan::FusedLoop& fused, protocol::Shape shape)
    : context_(context),
      fused_(fused),
      shape_(std::move(shape)),
      runner_(fused.program),
      pointers_(fused.operands.size()),
      payloads_(fused.operands.size()),
      payload_strides_(fused.operands.size()),
      first_(shape_.size()),
      extents_(shape_.size()) {
  for (std::size_t i = 0; i < fused.operands.size(); ++i) {
    if (fused.operands[i].source == Source::slot) placements_.push_back(&fused.operands[i].placement);
    if (fused.operands[i].source == Source::payload) {
      const auto dtype = fused.program.operands[i];
      payloads_[i] = elements_of(context.payload(fused.operands[i].payload), shape_, dtype);
      payload_strides_[i] = protocol::contiguous_strides(shape_, protocol::size_of(dtype));
    }
  }
  for (std::size_t p = 0; p < placements_.size(); ++p) {
    Own own{box_at(p, context.rank()), {}, nullptr};
    if (!is_empty(own.box))
      own.piece = distribution::locate(*placements_[p], first_of(own.box), context.rank());
    pieces_.push_back(own.piece);
    own_.push_back(std::move(own));
  }
}

/// The iterations whose element lies with `rank`.
Box BoxRunner::box_at(std::size_t placement, int rank) const {
  const auto& layout = placements_[placement]->iterations;
  return layout.takes_part(rank) ? layout.box(rank) : Box(shape_.size());
}

std::optional<Box> BoxRunner::box_of_copy(std::size_t placement, int rank, const Box& part) const {
  const auto& [base, map, iterations, item_bytes, within] = *placements_[placement];
  if (base.is_replicated || is_empty(part) || is_within(part, box_at(placement, rank))) return std::nullopt;
  auto bytes = static_cast<std::int64_t>(item_bytes), uses = std::int64_t{1};
  Box box = part;
  for (std::size_t k = 0; k < part.size(); ++k) {
    if (map.axes[k].base_axis >= 0) {
      bytes *= part[k].size();
    } else {
      uses *= part[k].size();
      box[k] = {0, shape_[k]};  // who helps another rank may read the copy, too
    }
  }
  return uses >= fewest_uses && bytes <= largest_copy ? std::optional(std::move(box)) : std::nullopt;
}

void BoxRunner::copy_shared(const Box& part) {
  if (context_.ghost_exchange() != nullptr) return;
  copies_shared_ = true;
  for (std::size_t i = 0, p = 0; i < fused_.operands.size(); ++i) {
    const auto& operand = fused_.operands[i];
    if (operand.source != Source::slot) continue;
    Own& own = own_[p];
    auto box = box_of_copy(p++, context_.rank(), part);
    if (!box) continue;
    const auto& axes = operand.placement.map.axes;
    Box once = part;  // every element of the operand once
    for (std::size_t k = 0; k < part.size(); ++k)
      if (axes[k].base_axis < 0) once[k].last = once[k].first + 1;
    const auto item_bytes = operand.placement.item_bytes;
    own.copy =
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(volume(once)) * item_bytes);
    protocol::Shape strides = protocol::contiguous_strides(extents_of(once), item_bytes);
    const auto dtype = fused_.program.operands[i];
    copy_operand(context_, operand, dtype, dtype, once, own.copy.get(), strides);
    for (std::size_t k = 0; k < part.size(); ++k)
      if (axes[k].base_axis < 0) strides[k] = 0;
    own.box = std::move(*box);
    own.piece = {in_copy, 0, std::move(strides)};
    pieces_[p - 1] = own.piece;
  }
}

bool BoxRunner::is_here(std::span<const Piece> pieces) const {
  return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    return piece.owner == context_.rank() || piece.owner == in_copy;
  });
}

void BoxRunner::count(const Box& cell, std::span<const Piece> pieces, int owner) const {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].owner != owner && pieces[i].owner != in_copy && !placements_[i]->base.is_replicated)
      context_.count_shared(cell, pieces[i], placements_[i]->item_bytes);
}

bool BoxRunner::is_within(const Box& inner, const Box& outer) {
  for (std::size_t k = 0; k < inner.size(); ++k)
    if (inner[k].first < outer[k].first || inner[k].last > outer[k].last) return false;
  return true;
}

bool BoxRunner::is_local(const Box& box) const {
  return std::all_of(own_.begin(), own_.end(), [&](const Own& own) { return is_within(box, own.box); });
}

bool BoxRunner::is_local(std::size_t operand, const Box& box) const {
  return is_within(box, own_box(operand));
}

Box BoxRunner::local_part(int rank, Box box) const {
  const Box part = box;
  for (std::size_t p = 0; p < placements_.size(); ++p) {
    const auto copied = copies_shared_ ? box_of_copy(p, rank, part) : std::nullopt;
    box = intersection(box, copied ? *copied : box_at(p, rank));
  }
  return box;
}

template <class Visit>
void BoxRunner::for_each_cell(const Box& box, Visit visit) {
  if (is_empty(box)) return;
  if (!is_local(box)) return distribution::for_each_cell(box, placements_, context_.rank(), visit);
  for (std::size_t p = 0; p < own_.size(); ++p) pieces_[p].offset = offset_of(p, box);
  visit(box, std::span<const Piece>(pieces_));
}

std::int64_t BoxRunner::offset_of(std::size_t placement, const Box& box) const {
  const auto& own = own_[placement];
  auto offset = own.piece.offset;
  for (std::size_t k = 0; k < box.size(); ++k)
    offset += (box[k].first - own.box[k].first) * own.piece.strides[k];
  return offset;
}

std::size_t BoxRunner::placement_of(std::size_t operand) const {
  const auto& operands = fused_.operands;
  return static_cast<std::size_t>(
      std::count_if(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(operand),
                    [](const auto& each) { return each.source == Source::slot; }));
}

Piece BoxRunner::piece_of(std::size_t operand, const Box& box) const {
  const auto placement = placement_of(operand);
  Piece piece = own_[placement].piece;
  GAMELAN_ASSERT(cheap, piece.owner != in_copy, "a caller that asks where elements lie copies none");
  piece.offset = offset_of(placement, box);
  return piece;
}

tiles::Cell BoxRunner::point(const Box& cell, std::span<const Piece> pieces, const Box& box,
                             std::span<const tiles::Pointer> scratch) {
  for (std::size_t k = 0; k < cell.size(); ++k) {
    first_[k] = cell[k].first;
    extents_[k] = cell[k].size();
  }
  std::size_t piece = 0;
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    const auto& operand = fused_.operands[i];
    auto& pointer = pointers_[i];
    if (operand.source == Source::slot) {
      const auto& at = pieces[piece];
      pointer.address =
          at.owner == in_copy ? own_[piece].copy.get() + at.offset : context_.address(operand, at);
      pointer.strides = at.strides.data();
      ++piece;
    } else if (operand.source == Source::payload) {
      pointer = {const_cast<std::byte*>(payloads_[i]), payload_strides_[i].data()};
      for (std::size_t k = 0; k < first_.size(); ++k) pointer.address += first_[k] * pointer.strides[k];
    } else {
      pointer = scratch[static_cast<std::size_t>(operand.fold)];
      for (std::size_t k = 0; k < first_.size(); ++k)
        pointer.address += (first_[k] - box[k].first) * pointer.strides[k];
    }
  }
  return {extents_, first_, shape_, pointers_};
}

void BoxRunner::visit_cells(int owner, const Box& box, std::span<const tiles::Pointer> scratch,
                            const CellVisit& visit) {
  for_each_cell(box, [&](const Box& cell, std::span<const Piece> pieces) {
    count(cell, pieces, owner);
    visit(cell, point(cell, pieces, box, scratch));
  });
}

void BoxRunner::run_for(int owner, const Box& box, std::span<const tiles::Pointer> scratch) {
  for_each_cell(box, [&](const Box& cell, std::span<const Piece> pieces) {
    count(cell, pieces, owner);
    compute(cell, pieces, box, scratch);
  });
}

void BoxRunner::run(const Box& box, std::span<const tiles::Pointer> scratch) {
  run_for(context_.rank(), box, scratch);
}

void BoxRunner::run_local(const Box& box) {
  for_each_cell(box, [&](const Box& cell, std::span<const Piece> pieces) {
    if (is_here(pieces)) return compute(cell, pieces, box, {});
    count(cell, pieces, context_.rank());
    noted_.push_back({cell, {pieces.begin(), pieces.end()}});
  });
}

void BoxRunner::run_noted() {
  for (const auto& [cell, pieces] : noted_) {
    compute(cell, pieces, cell, {});
    context_.progress();
  }
  noted_.clear();
}

}  // namespace gamelan::engine::steps
