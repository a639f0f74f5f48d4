// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/box_runner.hpp"

#include <algorithm>

#include "engine/ranks/lent_memory.hpp"
#include "protocol/check.hpp"

namespace gamelan::engine::steps {

using distribution::Box;
using distribution::Piece;
using Source = plan::Operand::Source;

namespace {

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
  for (const auto* placement : placements_) {
    const auto& layout = placement->iterations;
    Own own{layout.takes_part(context.rank()) ? layout.box(context.rank()) : Box(shape_.size()), {}};
    if (!is_empty(own.box)) own.piece = distribution::locate(*placement, first_of(own.box), context.rank());
    pieces_.push_back(own.piece);
    own_.push_back(std::move(own));
  }
}

bool BoxRunner::is_here(std::span<const Piece> pieces) const {
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const Piece& piece) { return piece.owner == context_.rank(); });
}

void BoxRunner::count(const Box& cell, std::span<const Piece> pieces, int owner) const {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].owner != owner && !placements_[i]->base.is_replicated)
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
  for (const auto* placement : placements_) {
    const auto& layout = placement->iterations;
    box = intersection(box, layout.takes_part(rank) ? layout.box(rank) : Box(box.size()));
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
  piece.offset = offset_of(placement, box);
  return piece;
}

void BoxRunner::compute(const Box& cell, std::span<const Piece> pieces, const Box& box,
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
      pointer = {context_.address(operand, pieces[piece]), pieces[piece].strides.data()};
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
  runner_.run({extents_, first_, shape_, pointers_});
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
