// SPDX-License-Identifier: BSD-3-Clause
// Copies from the old version what a pass into a fresh version does not write.
#include "engine/steps/carry.hpp"

#include <algorithm>

#include "engine/steps/box_copies.hpp"

namespace gamelan::engine::steps {

using distribution::Box;
using distribution::extents_of;
using protocol::Shape;

void carry(const StepContext& context, const plan::FusedLoop::Carry& carry) {
  const auto& info = context.info(carry.from);
  if (!carry.blocks.takes_part(context.rank())) return;
  const Box block = carry.blocks.box(context.rank());
  if (is_empty(block)) return;
  const Shape strides = protocol::contiguous_strides(extents_of(block), protocol::size_of(info.dtype));

  // The written box in indices of the base. A stepped write leaves holes, so then everything is copied.
  Box written(block.size());
  bool is_plain = true;
  for (std::size_t b = 0; b < block.size(); ++b)
    written[b] = {carry.written.fixed[b], carry.written.fixed[b] + 1};
  for (std::size_t k = 0; k < carry.extents.size(); ++k) {
    const auto& axis = carry.written.axes[k];
    if (axis.base_axis < 0) continue;
    if (carry.extents[k] > 1 && std::abs(axis.step) != 1) is_plain = false;
    const auto last = axis.start + axis.step * (carry.extents[k] - 1);
    written[static_cast<std::size_t>(axis.base_axis)] = {std::min(axis.start, last),
                                                         std::max(axis.start, last) + 1};
    if (carry.extents[k] == 0) is_plain = false;
  }
  const auto copy = [&](const Box& part) {
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < part.size(); ++k) offset += (part[k].first - block[k].first) * strides[k];
    const auto extents = extents_of(part);
    copy_box(info.dtype, info.dtype, extents, context.own_block(carry.from) + offset, strides,
             context.own_block(carry.to) + offset, strides);
  };
  if (!is_plain) return copy(block);
  distribution::for_each_slab(block, written, copy);
}

}  // namespace gamelan::engine::steps
