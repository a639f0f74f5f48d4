// SPDX-License-Identifier: BSD-3-Clause
// take: each rank computes its block of the result. It reads the rows that the index names where they lie.
// Addresses are computed ahead of the reading and prefetched into the cache, so that many cache misses are
// under way at once.
#include <algorithm>
#include <array>

#include "engine/steps/indices.hpp"
#include "engine/steps/irregular/segments.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/item.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

class Taker {
 public:
  Taker(const StepContext& context, const plan::Take& take)
      : context_(context),
        take_(take),
        axis_(take.axis),
        box_(context.info(take.out).layout.box(context.rank())),
        item_(static_cast<std::int64_t>(protocol::size_of(context.info(take.out).dtype))),
        extent_(take.source.placement.iterations.axes[axis_].extent),
        index_(context, take.index, take.index_dtype, protocol::Dtype::int64) {
    Shape extents;
    for (const auto& interval : box_) extents.push_back(interval.size());
    strides_ = protocol::contiguous_strides(extents, static_cast<std::size_t>(item_));
  }

  /// Requests the rows that lie with other nodes.
  void ask(RemoteGather& remote_gather) {
    for (const auto& part : rows_along(context_, take_.source, box_, axis_)) {
      Shape extents;
      for (std::size_t k = 0; k < box_.size(); ++k)
        if (k != axis_) extents.push_back(part.box[k].size());
      std::vector<Shape> strides;
      std::vector<const std::byte*> blocks;
      for (const auto& segment : part.segments) {
        strides.push_back(segment.strides);
        strides.back().erase(strides.back().begin() + static_cast<std::ptrdiff_t>(axis_));
        blocks.push_back(context_.block(take_.source.slot, segment.owner));
      }
      for (auto at = box_[axis_].first; at < box_[axis_].last; at += Stream::chunk) {
        const auto count = std::min(Stream::chunk, box_[axis_].last - at);
        const auto* index = index_.read_as<std::int64_t>(at, count);
        for (std::int64_t i = 0; i < count; ++i) {
          const auto position = position_of(index[i], extent_);
          const auto s = part.find(position);
          if (!context_.is_near(part.segments[s].owner))
            ask_row(remote_gather, part.segments[s], blocks[s], position, extents, strides[s], item_);
        }
      }
    }
  }

  void run() {
    for (const auto& part : rows_along(context_, take_.source, box_, axis_)) take_part(part);
    context_.counters().bytes_shared += static_cast<std::uint64_t>(shared_ * item_);
  }

 private:
  void take_part(const RowPart& part) {
    std::byte* to = context_.own_block(take_.out);
    Shape extents, strides;
    std::int64_t row_elements = 1;
    for (std::size_t k = 0; k < box_.size(); ++k) {
      if (k == axis_) continue;
      to += (part.box[k].first - box_[k].first) * strides_[k];
      extents.push_back(part.box[k].size());
      strides.push_back(strides_[k]);
      row_elements *= extents.back();
    }
    std::vector<Shape> from_strides;  // per segment, without the axis
    for (const auto& segment : part.segments) {
      from_strides.push_back(segment.strides);
      from_strides.back().erase(from_strides.back().begin() + static_cast<std::ptrdiff_t>(axis_));
    }
    const auto stride = strides_[axis_];
    const bool is_table = row_elements == 1 && is_worth_a_table();
    if (is_table)
      with_item(static_cast<std::size_t>(item_), [&](auto item) { make_table<decltype(item)>(part); });
    for (auto at = box_[axis_].first; at < box_[axis_].last; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, box_[axis_].last - at);
      const auto* index = index_.read_as<std::int64_t>(at, count);
      std::byte* first = to + (at - box_[axis_].first) * stride;
      if (is_table) {
        with_item(static_cast<std::size_t>(item_),
                  [&](auto item) { look_up<decltype(item)>(index, count, first, stride); });
        continue;
      }
      if (row_elements == 1) {
        with_item(static_cast<std::size_t>(item_),
                  [&](auto item) { gather<decltype(item)>(part, index, count, first, stride); });
        continue;
      }
      find_rows(part, index, count, row_elements);
      for (std::int64_t i = 0; i < count; ++i)
        copy_row(extents, from_[i], from_strides[segment_[i]].data(), first + i * stride, strides.data(),
                 item_);
    }
  }

  /// Of a small source this rank makes a copy in one piece: then the addresses are found without a search,
  /// and nothing has to be prefetched. On several nodes only the rows that were asked for are here.
  bool is_worth_a_table() const {
    constexpr std::int64_t most_bytes = 65'536, fewest_uses = 4;
    return extent_ * item_ <= most_bytes && box_[axis_].size() >= fewest_uses * extent_ &&
           context_.ghost_exchange() == nullptr;
  }
  template <class Item>
  void make_table(const RowPart& part) {
    table_.resize(static_cast<std::size_t>(extent_ * item_));
    auto* const rows = reinterpret_cast<Item*>(table_.data());
    for (std::size_t s = 0; s < part.segments.size(); ++s) {
      const auto& segment = part.segments[s];
      const auto last = s + 1 < part.segments.size() ? part.segments[s + 1].first : extent_;
      for (auto j = segment.first; j < last; ++j)
        rows[j] = *reinterpret_cast<const Item*>(segment.origin + j * segment.stride);
      if (segment.is_remote) shared_ += last - segment.first;
    }
  }
  template <class Item>
  void look_up(const std::int64_t* index, std::int64_t count, std::byte* to, std::int64_t stride) const {
    const auto* const rows = reinterpret_cast<const Item*>(table_.data());
    const auto extent = extent_;
    for (std::int64_t i = 0; i < count; ++i)
      *reinterpret_cast<Item*>(to + i * stride) = rows[position_of(index[i], extent)];
  }

  void find_rows(const RowPart& part, const std::int64_t* index, std::int64_t count,
                 std::int64_t row_elements) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto position = position_of(index[i], extent_);
      const auto s = part.find(position);
      const auto& segment = part.segments[s];
      from_[i] = segment.origin + position * segment.stride;
      __builtin_prefetch(from_[i], 0, 2);
      segment_[i] = static_cast<std::uint32_t>(s);
      shared_ += segment.is_remote ? row_elements : 0;
    }
  }

  /// Rows of one element: `count` of them to `to`, `stride` bytes apart.
  template <class Item>
  void gather(const RowPart& part, const std::int64_t* index, std::int64_t count, std::byte* to,
              std::int64_t stride) {
    const auto extent = extent_;
    std::int64_t remote = 0;
    if (part.segments.size() <= 2) {  // most often: known to the compiler as one choice
      struct Place {
        const std::byte* origin;
        std::int64_t stride, is_remote;
      };
      const auto place_of = [](const Segment& segment) {
        return Place{segment.origin, segment.stride, segment.is_remote};
      };
      const auto cut = part.segments.back().first;
      gather_ahead<Item>(index, count, to, stride,
                         [&remote, extent, cut,
                          places = std::array{place_of(part.segments.front()),
                                              place_of(part.segments.back())}](std::int64_t i) {
                           const auto position = position_of(i, extent);
                           const auto& place = places[position >= cut];
                           remote += place.is_remote;
                           return place.origin + position * place.stride;
                         });
    } else {
      gather_ahead<Item>(index, count, to, stride, [&](std::int64_t i) {
        const auto position = position_of(i, extent);
        const auto& segment = part.segments[part.find(position)];
        remote += segment.is_remote;
        return segment.origin + position * segment.stride;
      });
    }
    shared_ += remote;
  }

  template <class Item, class Find>
  void gather_ahead(const std::int64_t* index, std::int64_t count, std::byte* to, std::int64_t stride,
                    Find find) {
    const auto ahead = std::min<std::int64_t>(count, rows_ahead);
    const auto look = [&](std::int64_t i) {
      from_[i] = find(index[i]);
      __builtin_prefetch(from_[i]);
    };
    const auto fetch = [&](std::int64_t i) {
      *reinterpret_cast<Item*>(to + i * stride) = *reinterpret_cast<const Item*>(from_[i]);
    };
    for (std::int64_t i = 0; i < ahead; ++i) look(i);
    for (std::int64_t i = 0; i + ahead < count; ++i) {
      look(i + ahead);
      fetch(i);
    }
    for (std::int64_t i = count - ahead; i < count; ++i) fetch(i);
  }

  static constexpr std::int64_t rows_ahead = 64;  // more than the misses that a core can have under way
  const StepContext& context_;
  const plan::Take& take_;
  std::size_t axis_;
  distribution::Box box_;
  std::int64_t item_, extent_, shared_ = 0;
  Shape strides_;
  Stream index_;
  const std::byte* from_[Stream::chunk];
  std::uint32_t segment_[Stream::chunk];
  std::vector<std::byte> table_;  // of the part, where that is worth it
};

}  // namespace

void run(const StepContext& context, const plan::Take& take) {
  const auto& layout = context.info(take.out).layout;
  const bool takes_part = layout.takes_part(context.rank()) && !is_empty(layout.box(context.rank()));
  if (context.ghost_exchange()) {
    RemoteGather remote_gather(context, take.source.slot);
    if (takes_part) Taker(context, take).ask(remote_gather);
    remote_gather.exchange();
  }
  if (takes_part) Taker(context, take).run();
}

}  // namespace gamelan::engine::steps
