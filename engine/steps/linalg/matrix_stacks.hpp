// SPDX-License-Identifier: BSD-3-Clause
// Many matrices of an operand at once: for small ones it takes longer to find them one by one than to compute
// with them.
#pragma once
#include <optional>
#include <vector>

#include "engine/steps/box_copies.hpp"

namespace gamelan::engine::steps {

/// Matrices of a part of a stack; `strides` are in bytes and have an axis for each of the box.
struct MatrixStack {
  const std::byte* data = nullptr;
  protocol::Shape strides;
};

class StackOperand {
 public:
  StackOperand(const StepContext& context, const plan::Operand& operand, protocol::Dtype from,
               protocol::Dtype to)
      : context_(context), operand_(operand), from_(from), to_(to) {}

  /// The matrices of `box`, where they lie if that is one block of the wanted dtype; else a copy that lives
  /// until the next call.
  MatrixStack at(const distribution::Box& box) {
    if (const auto found = where_it_lies(box)) return *found;
    const auto item = protocol::size_of(to_);
    const auto strides = protocol::contiguous_strides(distribution::extents_of(box), item);
    copy_.resize(static_cast<std::size_t>(volume(box)) * item);
    copy_operand(context_, operand_, from_, to_, box, copy_.data(), strides);
    return {copy_.data(), strides};
  }

  /// The matrices of `box`, copied to memory with strides of its own.
  void copy(const distribution::Box& box, std::byte* target, const protocol::Shape& strides) const {
    copy_operand(context_, operand_, from_, to_, box, target, strides);
  }

 private:
  std::optional<MatrixStack> where_it_lies(const distribution::Box& box) const {
    if (from_ != to_) return std::nullopt;
    const distribution::Placement* placement = &operand_.placement;
    std::optional<MatrixStack> found;
    distribution::for_each_cell(
        box, {&placement, 1}, context_.rank(),
        [&](const distribution::Box& cell, std::span<const distribution::Piece> pieces) {
          if (!(cell == box)) return;
          if (pieces[0].owner != context_.rank())
            context_.count_shared(cell, pieces[0], protocol::size_of(from_));
          found = MatrixStack{context_.address(operand_, pieces[0]), pieces[0].strides};
        });
    return found;
  }

  const StepContext& context_;
  const plan::Operand& operand_;
  protocol::Dtype from_, to_;
  std::vector<std::byte> copy_;
};

}  // namespace gamelan::engine::steps
