// SPDX-License-Identifier: BSD-3-Clause
// Elements of any view of an array, also of one that is no box of its base: row by row along the last axis of
// the view, each translated to the places of its elements. On one node, blocks of other ranks are read and
// written in place; those of other nodes through remote.hpp.
#pragma once
#include "engine/steps/context.hpp"
#include "engine/steps/remote.hpp"
#include "engine/tiles/loops/loop_types.hpp"

namespace gamelan::engine::steps {

/// Calls visit(virtual byte offset, elements) for each run along the last axis of `box`, in C order.
template <class Visit>
void for_each_row(const protocol::View& view, const distribution::Box& box, Visit visit) {
  if (is_empty(box)) return;
  const auto dims = box.size();
  std::int64_t offset = view.offset;
  for (std::size_t k = 0; k < dims; ++k) offset += box[k].first * view.strides[k];
  if (dims == 0) return visit(offset, std::int64_t{1});
  protocol::Shape index(dims, 0);
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

/// Copies between contiguous local memory and elements of a base that lie a fixed number of virtual bytes
/// apart.
class ViewRows {
 public:
  ViewRows(const StepContext& context, int slot, const protocol::View& view);

  /// Copies `count` elements from virtual byte `offset` on to `local`, or in the other direction
  /// (`is_write`).
  void copy_row(std::int64_t offset, std::int64_t count, std::byte* local, bool is_write);
  /// Requests what copy_row will read from other nodes.
  void ask_row(std::int64_t offset, std::int64_t count, RemoteGather& remote_gather);
  /// From now on rows for other nodes are written through `remote_scatter`.
  void write_through(RemoteScatter& remote_scatter) { remote_scatter_ = &remote_scatter; }

 private:
  struct Found {
    std::byte* address;
    std::int64_t step, run;
  };
  Found find_run(std::int64_t offset, std::int64_t count);
  void copy_bytes(std::int64_t offset, std::byte* local, bool is_write);
  std::byte* element(std::int64_t linear);

  const StepContext& context_;
  int slot_;
  const plan::ArrayInfo& info_;
  std::int64_t item_;
  protocol::Dtype dtype_;
  std::int64_t part_, stride_;
  tiles::Cast copy_;
  protocol::Shape virtual_strides_, index_, strides_;
  distribution::Box block_;
  std::byte* base_ = nullptr;
  int owner_ = -1;
  RemoteScatter* remote_scatter_ = nullptr;
};

/// Brings those elements of a view that this rank reads (at `box`) and that lie on other nodes into ghost
/// buffers. Collective. `readers`: how many ranks of the node read at a time.
void gather_remote(const StepContext& context, int slot, const protocol::View& view,
                   const distribution::Box& box, int readers);

/// The box of a whole array, and an empty box of it.
distribution::Box box_of(const protocol::Shape& extents);
distribution::Box nothing_of(const protocol::Shape& extents);

}  // namespace gamelan::engine::steps
