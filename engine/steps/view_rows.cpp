// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/view_rows.hpp"

#include <algorithm>
#include <cstring>

#include "engine/tiles/loops/elementwise.hpp"

namespace gamelan::engine::steps {

using protocol::Shape;

ViewRows::ViewRows(const StepContext& context, int slot, const protocol::View& view)
    : context_(context),
      slot_(slot),
      info_(context.info(slot)),
      item_(static_cast<std::int64_t>(protocol::size_of(info_.dtype))),
      dtype_(view.dtype),
      part_(static_cast<std::int64_t>(protocol::size_of(view.dtype))),
      stride_(view.strides.empty() ? 0 : view.strides.back()),
      copy_(tiles::find_cast(dtype_, dtype_)) {
  const auto dims = info_.extents.size();
  virtual_strides_.assign(dims, 1);
  for (std::size_t k = dims; k-- > 1;) virtual_strides_[k - 1] = virtual_strides_[k] * info_.extents[k];
  index_.assign(dims, 0);
}

void ViewRows::copy_row(std::int64_t offset, std::int64_t count, std::byte* local, bool is_write) {
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

void ViewRows::ask_row(std::int64_t offset, std::int64_t count, RemoteGather& remote_gather) {
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

/// How many of the next `count` elements lie in one block along one axis, and where.
ViewRows::Found ViewRows::find_run(std::int64_t offset, std::int64_t count) {
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
  if (owner_ != context_.rank()) context_.counters().bytes_shared += static_cast<std::uint64_t>(run * part_);
  return {address, step * strides_[axis], run};
}

void ViewRows::copy_bytes(std::int64_t offset, std::byte* local, bool is_write) {
  for (std::int64_t done = 0; done < part_;) {
    const auto at = offset + done, within = at % item_;
    const auto size = static_cast<std::size_t>(std::min(part_ - done, item_ - within));
    std::byte* remote = element(at / item_) + within;
    if (remote_scatter_ && !context_.is_near(owner_))
      remote_scatter_->tell(owner_, {remote - base_, 1, 1, static_cast<std::int64_t>(size)}, local + done, 0);
    else if (is_write)
      std::memcpy(remote, local + done, size);
    else
      std::memcpy(local + done, remote, size);
    done += static_cast<std::int64_t>(size);
  }
}

/// Address of a base element by its C-order number; index_, block_, strides_ and owner_ are then those
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
        distribution::locate_element(info_.layout, index_, context_.rank(), static_cast<std::size_t>(item_));
    owner_ = piece.owner;
    block_ = info_.layout.box(owner_);
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
  ViewRows rows(context, slot, view);
  for_each_row(view, box,
               [&](std::int64_t offset, std::int64_t count) { rows.ask_row(offset, count, remote_gather); });
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
