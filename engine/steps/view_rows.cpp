// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/view_rows.hpp"

#include <algorithm>
#include <numeric>

#include "engine/steps/strided_copy.hpp"

namespace gamelan::engine::steps {

using protocol::Shape;

ViewRows::ViewRows(const StepContext& context, int slot, const protocol::View& view)
    : context_(context), slot_(slot), view_(view), layout_(context.info(slot).layout) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(context.info(slot).dtype));
  const auto part = static_cast<std::int64_t>(protocol::size_of(view.dtype));
  unit_ = std::gcd(std::gcd(item, part), view.offset);
  for (const auto stride : view.strides) unit_ = std::gcd(unit_, stride);
  if (item != unit_) layout_.axes.push_back({.extent = item / unit_, .template_extent = item / unit_});
  if (part != unit_) {
    view_.extents.push_back(part / unit_);
    view_.strides.push_back(unit_);
  }
  view_.offset /= unit_;
  for (auto& stride : view_.strides) stride /= unit_;
  const auto dims = layout_.axes.size();
  virtual_strides_.assign(dims, 1);
  for (std::size_t k = dims; k-- > 1;) virtual_strides_[k - 1] = virtual_strides_[k] * layout_.axes[k].extent;
  index_.assign(dims, 0);
}

/// Calls visit(first, rows, row) for each plane of the last two axes of `box`, in C order.
template <class Visit>
void ViewRows::for_each_plane(distribution::Box box, Visit visit) {
  if (is_empty(box)) return;
  if (box.size() < view_.extents.size()) box.push_back({0, view_.extents.back()});
  const auto dims = box.size();
  std::int64_t first = view_.offset;
  for (std::size_t k = 0; k < dims; ++k) first += box[k].first * view_.strides[k];
  const auto line = [&](std::size_t from_end) {
    return dims < from_end ? Line{0, 1} : Line{view_.strides[dims - from_end], box[dims - from_end].size()};
  };
  Shape index(dims, 0);
  while (true) {
    visit(first, line(2), line(1));
    auto k = std::max<std::size_t>(dims, 2) - 2;
    while (true) {
      if (k == 0) return;
      --k;
      first += view_.strides[k];
      if (++index[k] < box[k].size()) break;
      first -= box[k].size() * view_.strides[k];
      index[k] = 0;
    }
  }
}

void ViewRows::copy(const distribution::Box& box, std::byte* local, bool is_write) {
  for_each_plane(box, [&](std::int64_t first, Line rows, Line row) {
    copy_plane(first, rows, row, local, is_write);
    local += rows.count * row.count * unit_;
  });
}

void ViewRows::copy_plane(std::int64_t first, Line rows, Line row, std::byte* local, bool is_write) {
  while (rows.count > 0) {
    std::int64_t done = 1;
    const auto run = find_run(first, row);
    const auto beside = run.run == row.count && !is_far() ? rows_beside(run, row, rows) : Line{0, 1};
    if (beside.count > 1) {
      done = beside.count;
      const StridedPlane plane{run.address, beside.step, run.step, local, row.count * unit_, unit_};
      is_write ? copy_to_strided(plane, done, row.count, unit_)
               : copy_from_strided(plane, done, row.count, unit_);
      if (owner_ != context_.rank())
        context_.counters().bytes_shared += static_cast<std::uint64_t>(done * row.count * unit_);
    } else {
      copy_row(first, row, local, is_write);
    }
    first += done * rows.step;
    local += done * row.count * unit_;
    rows.count -= done;
  }
}

void ViewRows::copy_row(std::int64_t first, Line row, std::byte* local, bool is_write) {
  while (row.count > 0) {
    const auto [address, step, run, axis] = find_run(first, row);
    auto done = run;
    // Where whole rows of the base follow one another, they are a plane.
    if (2 * run <= row.count && axis > 0 && row.step > 0) {
      const auto k = static_cast<std::size_t>(axis);
      const auto extent = layout_.axes[k].extent, stride = row.step / virtual_strides_[k];
      if (block_[k].size() == extent && extent % stride == 0 && index_[k] < stride) {
        done = row.count / run * run;
        copy_plane(first, {run * row.step, row.count / run}, {row.step, run}, local, is_write);
        first += done * row.step;
        local += done * unit_;
        row.count -= done;
        continue;
      }
    }
    if (remote_scatter_ && is_far()) {
      remote_scatter_->tell(owner_, {address - base_, step, run, unit_}, local, unit_);
    } else {
      const StridedPlane plane{address, 0, step, local, 0, unit_};
      is_write ? copy_to_strided(plane, 1, run, unit_) : copy_from_strided(plane, 1, run, unit_);
      if (owner_ != context_.rank())
        context_.counters().bytes_shared += static_cast<std::uint64_t>(run * unit_);
    }
    first += run * row.step;
    local += run * unit_;
    row.count -= run;
  }
}

void ViewRows::ask(const distribution::Box& box, RemoteGather& remote_gather) {
  for_each_plane(box, [&](std::int64_t first, Line rows, Line row) {
    for (std::int64_t r = 0; r < rows.count; ++r)
      for (std::int64_t at = 0; at < row.count;) {
        const auto from = first + r * rows.step + at * row.step;
        const auto [address, step, run, axis] = find_run(from, {row.step, row.count - at});
        if (is_far()) remote_gather.ask(owner_, {address - base_, step, run, unit_});
        at += run;
      }
  });
}

bool ViewRows::is_far() const { return !context_.is_near(owner_); }

/// The outermost axis of the base along which so many units are a whole number of indices.
int ViewRows::axis_of(std::int64_t step) const {
  std::size_t axis = 0;
  while (step % virtual_strides_[axis] != 0) ++axis;
  return static_cast<int>(axis);
}

/// How many of the row's elements lie in one block along one axis, and where.
ViewRows::Found ViewRows::find_run(std::int64_t first, Line row) {
  std::byte* address = element(first);
  if (row.step == 0) return {address, 0, row.count, -1};
  if (row.count == 1 || virtual_strides_.empty()) return {address, 0, 1, -1};
  const int found = axis_of(row.step);
  const auto axis = static_cast<std::size_t>(found);
  const auto step = row.step / virtual_strides_[axis];
  const auto room = step > 0 ? (block_[axis].last - index_[axis] + step - 1) / step
                             : (index_[axis] - block_[axis].first) / -step + 1;
  return {address, step * strides_[axis], std::min(row.count, room), found};
}

/// How many of the rows, from that of `run` on (a whole row) and with it, lie in the same block, and how many
/// bytes apart.
ViewRows::Line ViewRows::rows_beside(const Found& run, Line row, Line rows) const {
  if (rows.step == 0) return {0, rows.count};
  if (rows.count == 1 || virtual_strides_.empty()) return {0, 1};
  const int found = axis_of(rows.step);
  const auto axis = static_cast<std::size_t>(found);
  const auto step = rows.step / virtual_strides_[axis];
  auto low = index_[axis], high = low;
  if (found == run.axis) {
    const auto end = low + (row.count - 1) * (row.step / virtual_strides_[axis]);
    low = std::min(low, end);
    high = std::max(high, end);
  }
  const auto room =
      step > 0 ? (block_[axis].last - 1 - high) / step + 1 : (low - block_[axis].first) / -step + 1;
  return {step * strides_[axis], std::min(rows.count, room)};
}

/// Address of a unit of the base by its C-order number; index_, block_, strides_ and owner_ are then those
/// around it.
std::byte* ViewRows::element(std::int64_t linear) {
  bool is_inside = base_ != nullptr;
  for (std::size_t k = 0; k < index_.size(); ++k) {
    index_[k] = linear / virtual_strides_[k];
    linear -= index_[k] * virtual_strides_[k];
    is_inside = is_inside && index_[k] >= block_[k].first && index_[k] < block_[k].last;
  }
  if (!is_inside) {
    const auto piece =
        distribution::locate_element(layout_, index_, context_.rank(), static_cast<std::size_t>(unit_));
    owner_ = piece.owner;
    block_ = layout_.box(owner_);
    strides_ = piece.strides;
    base_ = context_.block(slot_, owner_);
  }
  std::byte* address = base_;
  for (std::size_t k = 0; k < index_.size(); ++k) address += (index_[k] - block_[k].first) * strides_[k];
  return address;
}

void gather_remote(const StepContext& context, int slot, const protocol::View& view,
                   const distribution::Box& box, int readers) {
  RemoteGather remote_gather(context, slot);
  ViewRows(context, slot, view).ask(box, remote_gather);
  remote_gather.exchange(readers);
}

distribution::Box box_of(const Shape& extents) {
  distribution::Box box;
  for (const auto extent : extents) box.push_back({0, extent});
  return box;
}

distribution::Box nothing_of(const Shape& extents) {
  return distribution::Box(std::max<std::size_t>(extents.size(), 1));
}

}  // namespace gamelan::engine::steps
