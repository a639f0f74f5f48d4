// SPDX-License-Identifier: BSD-3-Clause
// Copies: of strided boxes (through a two-instruction program), and the general ones, element by element, of
// views that are no box of their base. On one node they read and write the blocks of other ranks in place.
#include <algorithm>
#include <cstring>
#include <exception>

#include "engine/steps/context.hpp"
#include "engine/steps/indices.hpp"
#include "engine/steps/remote.hpp"
#include "engine/tiles/loops/elementwise.hpp"

namespace gamelan::engine::exec {
namespace {

using protocol::Shape;

constexpr std::int64_t few_elements = 1024;

plan::Program copy_program(protocol::Dtype from, protocol::Dtype to) {
  plan::Program program;
  program.operands = {from, to};
  program.registers = {to};
  plan::Instruction load, store;
  load.kind = plan::Instruction::Kind::load;
  load.loop = to;
  load.out = 0;
  load.operand = 0;
  store.kind = plan::Instruction::Kind::store;
  store.loop = to;
  store.in[0] = 0;
  store.operand = 1;
  program.code = {load, store};
  return program;
}

/// Calls visit(virtual byte offset, elements) for each run along the last axis of `box`, in C order.
template <class Visit>
void for_each_row(const protocol::View& view, const dist::Box& box, Visit visit) {
  if (is_empty(box)) return;
  const auto dims = box.size();
  std::int64_t offset = view.offset;
  for (std::size_t k = 0; k < dims; ++k) offset += box[k].first * view.strides[k];
  if (dims == 0) return visit(offset, std::int64_t{1});
  Shape index(dims, 0);
  while (true) {
    visit(offset, box.back().size());
    std::size_t k = dims - 1;
    while (true) {
      if (k == 0) return;
      --k;
      offset += view.strides[k];
      if (++index[k] < box[k].size()) break;
      offset -= box[k].size() * view.strides[k];
      index[k] = 0;
    }
  }
}

/// Copies between consecutive local memory and elements of a base that lie a fixed number of virtual bytes
/// apart.
class Translator {
 public:
  Translator(const StepContext& context, int slot, const protocol::View& view)
      : context_(context),
        slot_(slot),
        info_(context.info(slot)),
        item_(static_cast<std::int64_t>(protocol::size_of(info_.dtype))),
        dtype_(view.dtype),
        part_(static_cast<std::int64_t>(protocol::size_of(view.dtype))),
        stride_(view.strides.empty() ? 0 : view.strides.back()),
        copy_(find_cast(dtype_, dtype_)) {
    const auto dims = info_.extents.size();
    virtual_strides_.assign(dims, 1);
    for (std::size_t k = dims; k-- > 1;) virtual_strides_[k - 1] = virtual_strides_[k] * info_.extents[k];
    index_.assign(dims, 0);
  }

  void copy_row(std::int64_t offset, std::int64_t count, std::byte* local, bool is_write) {
    if (stride_ % item_ != 0 ||
        offset % item_ + part_ > item_) {  // elements of the view span elements of the base
      for (std::int64_t i = 0; i < count; ++i) copy_bytes(offset + i * stride_, local + i * part_, is_write);
      return;
    }
    while (count > 0) {
      const auto [address, step, run] = find_run(offset, count);
      if (remote_scatter_ && !context_.is_near(owner_))
        remote_scatter_->tell(owner_, {address - base_, step, run, part_}, local, part_);
      else if (is_write)
        copy_(local, part_, address, step, static_cast<std::size_t>(run));
      else
        copy_(address, step, local, part_, static_cast<std::size_t>(run));
      offset += run * stride_;
      local += run * part_;
      count -= run;
    }
  }

  /// Asks for what copy_row will read of other nodes.
  void ask_row(std::int64_t offset, std::int64_t count, RemoteGather& remote_gather) {
    if (stride_ % item_ != 0 || offset % item_ + part_ > item_) {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t at = offset + i * stride_, end = at + part_; at < end;) {
          const auto within = at % item_, size = std::min(end - at, item_ - within);
          const std::byte* remote = element(at / item_) + within;
          if (!context_.is_near(owner_)) remote_gather.ask(owner_, {remote - base_, size, 1, size});
          at += size;
        }
      return;
    }
    while (count > 0) {
      const auto [address, step, run] = find_run(offset, count);
      if (!context_.is_near(owner_)) remote_gather.ask(owner_, {address - base_, step, run, part_});
      offset += run * stride_;
      count -= run;
    }
  }
  /// Rows that are written to other nodes go through `remote_scatter`.
  void write_through(RemoteScatter& remote_scatter) { remote_scatter_ = &remote_scatter; }

 private:
  struct Found {
    std::byte* address;
    std::int64_t step, run;
  };

  /// How many of the next `count` elements lie in one block along one axis, and where.
  Found find_run(std::int64_t offset, std::int64_t count) {
    std::byte* address = element(offset / item_) + offset % item_;
    const auto elements = stride_ / item_;
    if (elements == 0) return {address, 0, count};
    if (count == 1 || virtual_strides_.empty()) return {address, 0, 1};
    std::size_t axis = 0;  // the outermost axis along which the stride is a whole number of steps
    while (elements % virtual_strides_[axis] != 0) ++axis;
    const auto step = elements / virtual_strides_[axis];
    const auto room = step > 0 ? (block_[axis].last - index_[axis] + step - 1) / step
                               : (index_[axis] - block_[axis].first) / -step + 1;
    const auto run = std::min(count, room);
    if (owner_ != context_.rank())
      context_.counters().bytes_shared += static_cast<std::uint64_t>(run * part_);
    return {address, step * strides_[axis], run};
  }

  void copy_bytes(std::int64_t offset, std::byte* local, bool is_write) {
    for (std::int64_t done = 0; done < part_;) {
      const auto at = offset + done, within = at % item_;
      const auto size = static_cast<std::size_t>(std::min(part_ - done, item_ - within));
      std::byte* remote = element(at / item_) + within;
      if (remote_scatter_ && !context_.is_near(owner_))
        remote_scatter_->tell(owner_, {remote - base_, 1, 1, static_cast<std::int64_t>(size)}, local + done,
                              0);
      else if (is_write)
        std::memcpy(remote, local + done, size);
      else
        std::memcpy(local + done, remote, size);
      done += static_cast<std::int64_t>(size);
    }
  }

  /// Address of a base element by its C-order number; index_, block_, strides_ and owner_ are then those
  /// around it.
  std::byte* element(std::int64_t linear) {
    bool is_inside = base_ != nullptr;
    for (std::size_t k = 0; k < index_.size(); ++k) {
      index_[k] = linear / virtual_strides_[k];
      linear -= index_[k] * virtual_strides_[k];
      is_inside = is_inside && index_[k] >= block_[k].first && index_[k] < block_[k].last;
    }
    if (!is_inside) {
      const auto piece =
          dist::locate_element(info_.layout, index_, context_.rank(), static_cast<std::size_t>(item_));
      owner_ = piece.owner;
      block_ = info_.layout.box(owner_);
      strides_ = piece.strides;
      base_ = context_.block(slot_, owner_);
    }
    std::byte* address = base_;
    for (std::size_t k = 0; k < index_.size(); ++k) address += (index_[k] - block_[k].first) * strides_[k];
    return address;
  }

  const StepContext& context_;
  int slot_;
  const plan::ArrayInfo& info_;
  std::int64_t item_;
  protocol::Dtype dtype_;
  std::int64_t part_, stride_;
  Cast copy_;
  Shape virtual_strides_, index_, strides_;
  dist::Box block_;
  std::byte* base_ = nullptr;
  int owner_ = -1;
  RemoteScatter* remote_scatter_ = nullptr;
};

dist::Box box_of(const Shape& extents) {
  dist::Box box;
  for (const auto extent : extents) box.push_back({0, extent});
  return box;
}

}  // namespace

void copy_box(protocol::Dtype from, protocol::Dtype to, std::span<const std::int64_t> extents,
              const std::byte* source, const Shape& source_strides, std::byte* target,
              const Shape& target_strides) {
  if (protocol::element_count(extents) <= few_elements &&
      !extents.empty()) {  // a program would take longer to make than to run
    const Cast cast = find_cast(from, to);
    for_each_index(Shape(extents.begin(), extents.end() - 1), [&](const Shape& row) {
      std::int64_t source_offset = 0, target_offset = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        source_offset += row[k] * source_strides[k];
        target_offset += row[k] * target_strides[k];
      }
      cast(source + source_offset, source_strides.back(), target + target_offset, target_strides.back(),
           static_cast<std::size_t>(extents.back()));
    });
    return;
  }
  Runner runner(copy_program(from, to));
  const Shape first(extents.size(), 0);
  const Pointer pointers[] = {{const_cast<std::byte*>(source), source_strides.data()},
                              {target, target_strides.data()}};
  runner.run({extents, first, extents, pointers});
}

namespace {

/// What of a view lies with other nodes comes into their ghost buffers, in so far as this rank reads it.
/// Collective.
void gather_remote(const StepContext& context, int slot, const protocol::View& view, const dist::Box& box,
                   int readers) {
  RemoteGather remote_gather(context, slot);
  Translator translate(context, slot, view);
  for_each_row(view, box, [&](std::int64_t offset, std::int64_t count) {
    translate.ask_row(offset, count, remote_gather);
  });
  remote_gather.exchange(readers);
}

dist::Box nothing_of(const Shape& extents) { return dist::Box(std::max<std::size_t>(extents.size(), 1)); }

}  // namespace

void run(const StepContext& context, const plan::Gather& gather) {
  const auto& info = context.info(gather.to);
  const bool takes_part = info.layout.takes_part(context.rank());
  if (context.ghost_exchange())
    gather_remote(context, gather.from, gather.view,
                  takes_part ? info.layout.box(context.rank()) : nothing_of(info.extents),
                  static_cast<int>(context.near_ranks().size()));
  if (!takes_part) return;
  std::byte* to = context.own_block(gather.to);
  const auto item = static_cast<std::int64_t>(protocol::size_of(info.dtype));
  Translator translate(context, gather.from, gather.view);
  for_each_row(gather.view, info.layout.box(context.rank()), [&](std::int64_t offset, std::int64_t count) {
    translate.copy_row(offset, count, to, false);
    to += count * item;
  });
}

namespace {

/// Every rank holds the target: each writes all of it.
void scatter_to_replica(const StepContext& context, const plan::Scatter& scatter) {
  const auto& info = context.info(scatter.from);
  const auto item = static_cast<std::int64_t>(protocol::size_of(info.dtype));
  protocol::Bytes values(static_cast<std::size_t>(protocol::element_count(info.extents) * item));
  if (values.empty()) return;
  fetch(context, scatter.from, protocol::whole(0, info.dtype, info.extents), values.data());
  std::byte* from = values.data();
  Translator translate(context, scatter.to, scatter.view);
  for_each_row(scatter.view, box_of(scatter.view.extents), [&](std::int64_t offset, std::int64_t count) {
    translate.copy_row(offset, count, from, true);
    from += count * item;
  });
}

}  // namespace

void run(const StepContext& context, const plan::Scatter& scatter) {
  const auto& info = context.info(scatter.from);
  if (scatter.to_replica) return scatter_to_replica(context, scatter);
  std::byte* from = context.own_block(scatter.from);
  const auto item = static_cast<std::int64_t>(protocol::size_of(info.dtype));
  Translator translate(context, scatter.to, scatter.view);
  RemoteScatter remote_scatter(context, scatter.to);
  if (context.ghost_exchange()) translate.write_through(remote_scatter);
  if (info.layout.takes_part(context.rank()))
    for_each_row(scatter.view, info.layout.box(context.rank()), [&](std::int64_t offset, std::int64_t count) {
      translate.copy_row(offset, count, from, true);
      from += count * item;
    });
  if (context.ghost_exchange()) remote_scatter.exchange();
}

void fetch(const StepContext& context, int slot, const protocol::View& view, std::byte* target) {
  const auto& info = context.info(slot);
  const auto item = protocol::size_of(view.dtype);
  const auto box = dist::box_of_base(view, info.extents, info.dtype);
  if (!box) {
    Translator translate(context, slot, view);
    for_each_row(view, box_of(view.extents), [&](std::int64_t offset, std::int64_t count) {
      translate.copy_row(offset, count, target, false);
      target += count * static_cast<std::int64_t>(item);
    });
    return;
  }
  const auto placement = dist::place(info.layout, *box, view.extents, protocol::size_of(info.dtype));
  const Shape strides = protocol::contiguous_strides(view.extents, item);
  const dist::Placement* operand = &placement;
  dist::for_each_cell(box_of(view.extents), {&operand, 1}, context.rank(),
                      [&](const dist::Box& cell, std::span<const dist::Piece> pieces) {
                        Shape extents;
                        std::int64_t offset = 0;
                        for (std::size_t k = 0; k < cell.size(); ++k) {
                          extents.push_back(cell[k].size());
                          offset += cell[k].first * strides[k];
                        }
                        copy_box(view.dtype, view.dtype, extents,
                                 context.block(slot, pieces[0].owner) + pieces[0].offset, pieces[0].strides,
                                 target + offset, strides);
                      });
}

void bring_near(const StepContext& context, int slot, const protocol::View& view, int reader) {
  if (!context.ghost_exchange()) return;
  const auto& info = context.info(slot);
  std::vector<dist::RemoteRead> remote_reads;
  const auto box = dist::box_of_base(view, info.extents, info.dtype);
  if (box && !info.layout.is_replicated) {
    // One rank reads it all: as if the readers were a grid of one, shifted to it by a pin.
    dist::Layout readers;
    readers.grid_size = context.ranks();
    readers.pins = {{context.ranks(), 1, reader}};
    remote_reads.push_back({slot, dist::place(info.layout, *box, view.extents, protocol::size_of(info.dtype)),
                            readers, std::vector<dist::RemoteRead::Axis>(view.extents.size())});
  }
  const auto exchange = dist::exchange_of(remote_reads, context.rank(), context.ranks(),
                                          [&](int rank) { return context.is_near(rank); });
  std::exception_ptr refusal;  // no plan has admitted this
  try {
    context.ghost_exchange()->make_room(0, exchange.memory_bytes(), 1);
  } catch (const protocol::Error&) {
    refusal = std::current_exception();
    context.ghost_exchange()->fall_silent();
  }
  context.ghost_exchange()->run_step(exchange, context.storages(), box ? 0 : 2, [&] {
    if (!box)
      gather_remote(context, slot, view,
                    context.rank() == reader && !info.layout.is_replicated ? box_of(view.extents)
                                                                           : nothing_of(view.extents),
                    1);
  });
  if (refusal) std::rethrow_exception(refusal);
}

}  // namespace gamelan::engine::exec
