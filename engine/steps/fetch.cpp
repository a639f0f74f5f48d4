// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/fetch.hpp"

#include <exception>

#include "engine/distribution/reshaped.hpp"
#include "engine/steps/box_copies.hpp"
#include "engine/steps/view_rows.hpp"

namespace gamelan::engine::steps {

using protocol::Shape;

void fetch(const StepContext& context, int slot, const protocol::View& view, std::byte* target) {
  const auto& info = context.info(slot);
  const auto item = protocol::size_of(view.dtype);
  const auto placement = distribution::place(info.layout, info.extents, info.dtype, view);
  if (!placement) return ViewRows(context, slot, view).copy(box_of(view.extents), target, false);
  const Shape strides = protocol::contiguous_strides(view.extents, item);
  const distribution::Placement* operand = &*placement;
  distribution::for_each_cell(
      box_of(view.extents), {&operand, 1}, context.rank(),
      [&](const distribution::Box& cell, std::span<const distribution::Piece> pieces) {
        Shape extents;
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < cell.size(); ++k) {
          extents.push_back(cell[k].size());
          offset += cell[k].first * strides[k];
        }
        copy_box(view.dtype, view.dtype, extents, context.block(slot, pieces[0].owner) + pieces[0].offset,
                 pieces[0].strides, target + offset, strides);
      });
}

void bring_near(const StepContext& context, int slot, const protocol::View& view, int reader) {
  if (!context.ghost_exchange()) return;
  const auto& info = context.info(slot);
  std::vector<distribution::RemoteRead> remote_reads;
  const auto placement = distribution::place(info.layout, info.extents, info.dtype, view);
  if (placement && !info.layout.is_replicated) {
    // One rank reads all of it: the readers are a grid of one rank, shifted to it by a pin.
    distribution::Layout readers;
    readers.grid_size = context.ranks();
    readers.pins = {{context.ranks(), 1, reader}};
    remote_reads.push_back(
        {slot, *placement, readers, std::vector<distribution::RemoteRead::Axis>(view.extents.size())});
  }
  const auto exchange = distribution::exchange_of(remote_reads, context.rank(), context.ranks(),
                                                  [&](int rank) { return context.is_near(rank); });
  std::exception_ptr refusal;  // no plan has admitted this read
  try {
    context.ghost_exchange()->make_room(0, exchange.memory_bytes(), 1);
  } catch (const protocol::Error&) {
    refusal = std::current_exception();
    context.ghost_exchange()->fall_silent();
  }
  context.ghost_exchange()->run_step(exchange, context.storages(), placement ? 0 : 2, [&] {
    if (!placement)
      gather_remote(context, slot, view,
                    context.rank() == reader && !info.layout.is_replicated ? box_of(view.extents)
                                                                           : nothing_of(view.extents),
                    1);
  });
  if (refusal) std::rethrow_exception(refusal);
}

}  // namespace gamelan::engine::steps
