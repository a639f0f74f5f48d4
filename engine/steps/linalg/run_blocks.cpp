// SPDX-License-Identifier: BSD-3-Clause
// Moves a large matrix from its array to ScaLAPACK's blocks, and results back. Every rank reads what it needs
// where it lies; elements on other nodes are requested first.
#include <cstring>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/remote.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using distribution::Cyclic;
using distribution::Piece;
using protocol::Shape;

/// Visits this rank's blocks: their box in the matrix, and the element where each begins in the rank's
/// memory.
template <class Visit>
void for_each_own_block(const Cyclic& blocks, int rank, Visit visit) {
  if (!blocks.takes_part(rank)) return;
  const auto leading = blocks.leading(rank);
  std::int64_t column = 0;
  for (auto j = blocks.column_of(rank) * blocks.block; j < blocks.columns;
       j += blocks.block * blocks.grid_columns) {
    const auto last_j = std::min(j + blocks.block, blocks.columns);
    std::int64_t row = 0;
    for (auto i = blocks.row_of(rank) * blocks.block; i < blocks.rows; i += blocks.block * blocks.grid_rows) {
      const auto last_i = std::min(i + blocks.block, blocks.rows);
      visit(Box{{i, last_i}, {j, last_j}}, row + column * leading);
      row += last_i - i;
    }
    column += last_j - j;
  }
}

void ask_box(const StepContext& context, RemoteGather& remote_gather, const plan::Operand& operand,
             const Box& box, std::int64_t item) {
  const distribution::Placement* placement = &operand.placement;
  distribution::for_each_cell(
      box, {&placement, 1}, context.rank(), [&](const Box& cell, std::span<const Piece> pieces) {
        const auto& piece = pieces[0];
        if (context.is_near(piece.owner)) return;
        for (std::int64_t i = 0; i < cell[0].size(); ++i)
          remote_gather.ask(piece.owner,
                            {piece.offset + i * piece.strides[0], piece.strides[1], cell[1].size(), item});
      });
}

/// Visits the parts of the rows and columns `box` of a result that lie in one block each: where the part is
/// in `box`'s coordinates, its owner, and the element of the owner's memory where it begins.
template <class Visit>
void for_each_part(const Cyclic& blocks, const Box& box, Visit visit) {
  for (auto i = box[0].first; i < box[0].last;) {
    const auto block_i = i / blocks.block, last_i = std::min((block_i + 1) * blocks.block, box[0].last);
    for (auto j = box[1].first; j < box[1].last;) {
      const auto block_j = j / blocks.block, last_j = std::min((block_j + 1) * blocks.block, box[1].last);
      const int owner = blocks.owner(block_i, block_j);
      const auto row = block_i / blocks.grid_rows * blocks.block + i % blocks.block;
      const auto column = block_j / blocks.grid_columns * blocks.block + j % blocks.block;
      visit(Box{{i, last_i}, {j, last_j}}, owner, row + column * blocks.leading(owner));
      j = last_j;
    }
    i = last_i;
  }
}

/// The part of a result's matrix that this rank collects, in the matrix's own rows and columns.
Box wanted(const plan::BlockedResult& result, const Box& mine) {
  const auto rows = result.is_transposed ? result.blocks.columns : result.blocks.rows;
  const auto columns = result.is_transposed ? result.blocks.rows : result.blocks.columns;
  const auto part =
      distribution::intersection(mine, {{result.first_row, result.first_row + rows}, {0, columns}});
  const distribution::Interval down{part[0].first - result.first_row, part[0].last - result.first_row};
  return result.is_transposed ? Box{part[1], down} : Box{down, part[1]};
}

void collect(const StepContext& context, const plan::CollectBlocks& collect,
             const plan::BlockedResult& result, const Box& mine) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(collect.loop));
  const auto columns = mine[1].size();
  std::byte* out = context.own_block(collect.out);
  for_each_part(result.blocks, wanted(result, mine), [&](const Box& part, int owner, std::int64_t at) {
    const auto down = result.is_transposed ? part[1].first : part[0].first,
               across = result.is_transposed ? part[0].first : part[1].first;
    std::byte* to =
        out + ((down + result.first_row - mine[0].first) * columns + across - mine[1].first) * item;
    const Shape to_strides = result.is_transposed ? Shape{item, columns * item} : Shape{columns * item, item};
    const Shape from_strides{item, result.blocks.leading(owner) * item};
    const Shape extents{part[0].size(), part[1].size()};
    if (owner != context.rank())
      context.counters().bytes_shared += static_cast<std::uint64_t>(extents[0] * extents[1] * item);
    copy_box(collect.loop, collect.loop, extents,
             context.block(result.slot, owner) + (result.offset + at) * item, from_strides, to, to_strides);
    context.progress();
  });
  if (!result.is_lower) return;
  const auto rows = distribution::intersection(mine, {{result.first_row, mine[0].last}, mine[1]})[0];
  for (auto row = rows.first; row < rows.last; ++row) {
    const auto first = std::max(row - result.first_row + 1, mine[1].first);
    if (first < mine[1].last)
      std::memset(out + ((row - mine[0].first) * columns + first - mine[1].first) * item, 0,
                  static_cast<std::size_t>((mine[1].last - first) * item));
  }
}

}  // namespace

void run(const StepContext& context, const plan::SpreadBlocks& spread) {
  if (context.ghost_exchange()) {
    RemoteGather remote_gather(context, spread.source.slot);
    for_each_own_block(spread.blocks, context.rank(), [&](const Box& box, std::int64_t) {
      ask_box(context, remote_gather, spread.source, box,
              static_cast<std::int64_t>(protocol::size_of(spread.dtype)));
    });
    remote_gather.exchange();
  }
  const auto item = static_cast<std::int64_t>(protocol::size_of(spread.loop));
  const Shape strides{item, item * spread.blocks.leading(context.rank())};
  std::byte* to = context.own_block(spread.to);
  for_each_own_block(spread.blocks, context.rank(), [&](const Box& box, std::int64_t at) {
    copy_operand(context, spread.source, spread.dtype, spread.loop, box, to + at * item, strides);
  });
}

void run(const StepContext& context, const plan::CollectBlocks& step) {
  const auto& layout = context.info(step.out).layout;
  const bool takes_part = layout.is_replicated || layout.takes_part(context.rank());
  const Box mine = takes_part ? layout.box(context.rank()) : Box{{0, 0}, {0, 0}};
  const auto item = static_cast<std::int64_t>(protocol::size_of(step.loop));
  for (const auto& result : step.results) {
    if (context.ghost_exchange()) {
      RemoteGather remote_gather(context, result.slot);
      for_each_part(result.blocks, wanted(result, mine), [&](const Box& part, int owner, std::int64_t at) {
        if (context.is_near(owner)) return;
        for (std::int64_t j = 0; j < part[1].size(); ++j)
          remote_gather.ask(owner, {(result.offset + at + j * result.blocks.leading(owner)) * item, item,
                                    part[0].size(), item});
      });
      remote_gather.exchange();
    }
    if (!is_empty(mine)) collect(context, step, result, mine);
  }
}

}  // namespace gamelan::engine::steps
