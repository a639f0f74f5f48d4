// SPDX-License-Identifier: BSD-3-Clause
// Elements of any view of an array, also of one that is no box of its base: cut into planes of which each
// lies in one block, and copied by loops with two strides. On one node, blocks of other ranks are read and
// written in place; those of other nodes through remote.hpp.
#pragma once
#include "engine/steps/context.hpp"
#include "engine/steps/remote.hpp"

namespace gamelan::engine::steps {

/// Copies between contiguous local memory and the elements of a view. Works in units, of which an element of
/// the view and one of the base are whole multiples, so both may have any size.
class ViewRows {
 public:
  ViewRows(const StepContext& context, int slot, const protocol::View& view);

  /// Copies the part of the view at `box` to `local`, in C order, or in the other direction (`is_write`).
  void copy(const distribution::Box& box, std::byte* local, bool is_write);
  /// Requests what `copy` will read from other nodes.
  void ask(const distribution::Box& box, RemoteGather& remote_gather);
  /// From now on elements on other nodes are written through `remote_scatter`.
  void write_through(RemoteScatter& remote_scatter) { remote_scatter_ = &remote_scatter; }

 private:
  struct Found {
    std::byte* address;
    std::int64_t step, run;
    int axis;  ///< of the base, along which the run goes; -1 when it does not move
  };
  /// An axis of a plane: units from one element to the next, and how many.
  struct Line {
    std::int64_t step, count;
  };
  template <class Visit>
  void for_each_plane(distribution::Box box, Visit visit);
  void copy_plane(std::int64_t first, Line rows, Line row, std::byte* local, bool is_write);
  void copy_row(std::int64_t first, Line row, std::byte* local, bool is_write);
  Found find_run(std::int64_t first, Line row);
  Line rows_beside(const Found& run, Line row, Line rows) const;
  int axis_of(std::int64_t step) const;
  bool is_far() const;
  std::byte* element(std::int64_t linear);

  const StepContext& context_;
  int slot_;
  protocol::View view_;          // in units
  std::int64_t unit_;            // bytes
  distribution::Layout layout_;  // of the base, in units
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
