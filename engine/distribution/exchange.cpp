// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/exchange.hpp"

#include <algorithm>
#include <map>

namespace gamelan::engine::distribution {
namespace {

using Range = Region::Range;

/// Inclusive range of coordinates.
struct Coordinates {
  int low, high;
};

Coordinates owners_of(const AxisLayout& axis, const Interval& indices) {
  if (axis.parts == 1) return {0, 0};
  const auto [low, high] = std::minmax({axis.owner(indices.first), axis.owner(indices.last - 1)});
  return {low, high};
}

/// The first coordinate from `c` on that owns something; `high` + 1 when there is none. Takes no loop over
/// coordinates, because most may own nothing of a short axis: an empty interval says which indices come next.
int next_owner(const AxisLayout& axis, int c, int high) {
  while (c <= high && axis.parts > 1) {
    const auto interval = axis.interval(c);
    if (interval.size() > 0) return c;
    const auto beside = axis.step > 0 ? interval.first : interval.first - 1;
    if (beside < 0 || beside >= axis.extent) return high + 1;
    c = std::max(c + 1, axis.owner(beside));
  }
  return c;
}

/// Calls visit(rank) for every rank whose coordinates lie in the ranges and that owns something.
template <class Visit>
void for_each_rank(const Layout& layout, const std::vector<Coordinates>& ranges, Visit visit) {
  int base = layout.first_rank;
  for (const auto& pin : layout.pins) base += pin.coordinate * pin.rank_stride;
  std::vector<int> first, at;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    first.push_back(next_owner(layout.axes[k], ranges[k].low, ranges[k].high));
    if (first[k] > ranges[k].high) return;
  }
  at = first;
  while (true) {
    int rank = base;
    for (std::size_t k = 0; k < at.size(); ++k)
      if (layout.axes[k].parts > 1) rank += at[k] * layout.axes[k].rank_stride;
    visit(rank);
    std::size_t k = at.size();
    while (k > 0 && (at[k - 1] = next_owner(layout.axes[k - 1], at[k - 1] + 1, ranges[k - 1].high)) >
                        ranges[k - 1].high) {
      --k;
      at[k] = first[k];
    }
    if (k == 0) return;
  }
}

constexpr std::int64_t packed_alignment = 16;

std::int64_t floor_to(std::int64_t value, std::int64_t multiple) { return value / multiple * multiple; }
std::int64_t ceil_to(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// nullopt for an empty box. A box without axes is not empty: it has one element.
std::optional<Box> some(Box box) {
  if (is_empty(box)) return std::nullopt;
  return box;
}

/// Visits the ranks that may read iterations of `box`.
template <class Visit>
void for_each_reader(const RemoteRead& remote_read, const Box& box, int ranks, Visit visit) {
  const auto& readers = remote_read.readers;
  if (readers.is_replicated) {
    for (int rank = 0; rank < ranks; ++rank) visit(rank);
    return;
  }
  std::vector<Coordinates> ranges;
  for (const auto& axis : readers.axes) ranges.push_back({0, axis.parts - 1});
  for (std::size_t k = 0; k < box.size(); ++k) {
    const auto& axis = remote_read.axes[k];
    if (axis.reader < 0) continue;
    const auto& of_reader = readers.axes[static_cast<std::size_t>(axis.reader)];
    const Interval touched{floor_to(box[k].first, axis.whole) + axis.shift,
                           ceil_to(box[k].last, axis.whole) + axis.shift};
    const Interval indices{
        std::clamp<std::int64_t>(touched.first / axis.scale, 0, of_reader.extent - 1),
        std::clamp<std::int64_t>((touched.last - 1) / axis.scale + 1, 1, of_reader.extent)};
    auto& range = ranges[static_cast<std::size_t>(axis.reader)];
    const auto found = owners_of(of_reader, indices);
    range = {std::max(range.low, found.low), std::min(range.high, found.high)};
    if (range.low > range.high) return;
  }
  for_each_rank(readers, ranges, visit);
}

/// The iterations as indices of the base.
Region region_of(const RemoteRead& remote_read, const Box& iterations) {
  const auto& map = remote_read.placement.map;
  Region region{remote_read.slot, &remote_read.placement.base, remote_read.placement.item_bytes, {}};
  for (const auto fixed : map.fixed) region.ranges.push_back({fixed, 1, 1});
  for (std::size_t k = 0; k < iterations.size(); ++k) {
    const auto& axis = map.axes[k];
    if (axis.base_axis < 0) continue;
    const auto ends = std::minmax(
        {axis.start + axis.step * iterations[k].first, axis.start + axis.step * (iterations[k].last - 1)});
    const auto count = axis.step == 0 ? 1 : iterations[k].size();
    region.ranges[static_cast<std::size_t>(axis.base_axis)] = {ends.first, count,
                                                               count == 1 ? 1 : std::abs(axis.step)};
  }
  return region;
}

bool contains(const Range& outer, const Range& inner) {
  if (inner.first < outer.first || (inner.first - outer.first) % outer.step != 0) return false;
  if (inner.count > 1 && inner.step % outer.step != 0) return false;
  return inner.first + (inner.count - 1) * inner.step <= outer.first + (outer.count - 1) * outer.step;
}

/// Two dense boxes that differ along one axis only, and touch there, become one. True when `into` now covers
/// `other`.
bool joined(Region& into, const Region& other) {
  if (into.slot != other.slot || into.item_bytes != other.item_bytes || *into.base != *other.base)
    return false;  // other extents, other indices
  std::size_t differing = into.ranges.size(), differences = 0;
  bool is_inside = true;
  for (std::size_t b = 0; b < into.ranges.size(); ++b) {
    is_inside = is_inside && contains(into.ranges[b], other.ranges[b]);
    if (into.ranges[b] == other.ranges[b]) continue;
    differing = b;
    ++differences;
  }
  if (is_inside) return true;
  if (differences != 1) return false;
  Range& range = into.ranges[differing];
  const Range& more = other.ranges[differing];
  if (range.step != 1 || more.step != 1) return false;
  const auto last = range.first + range.count, more_last = more.first + more.count;
  if (more.first > last || range.first > more_last) return false;
  range.first = std::min(range.first, more.first);
  range.count = std::max(last, more_last) - range.first;
  return true;
}

class Mail {
 public:
  void add(int partner, Region region) {
    auto& regions = by_partner_[partner];
    for (auto& each : regions)
      if (joined(each, region)) return;
    regions.push_back(std::move(region));
  }
  std::vector<Message> all() && {
    std::vector<Message> messages;
    for (auto& [partner, regions] : by_partner_) messages.push_back({partner, std::move(regions)});
    return messages;
  }

 private:
  std::map<int, std::vector<Region>> by_partner_;
};

}  // namespace

std::optional<Box> RemoteRead::box_of(int rank) const {
  if (!readers.takes_part(rank)) return std::nullopt;
  const Box part = readers.box(rank);
  if (is_empty(part)) return std::nullopt;
  Box box(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto extent = placement.iterations.axes[k].extent;
    const auto& axis = axes[k];
    if (axis.reader < 0) {
      box[k] = {0, extent};
      continue;
    }
    const auto& own = part[static_cast<std::size_t>(axis.reader)];
    const auto first = std::clamp<std::int64_t>(own.first * axis.scale - axis.shift, 0, extent);
    const auto last = std::clamp<std::int64_t>(own.last * axis.scale - axis.shift, 0, extent);
    box[k] = first < last ? Interval{floor_to(first, axis.whole), std::min(extent, ceil_to(last, axis.whole))}
                          : Interval{first, first};
  }
  return some(std::move(box));
}

RemoteRead aligned_read(int slot, const Placement& placement, const Layout& readers) {
  RemoteRead remote_read{slot, placement, readers, {}};
  for (std::size_t k = 0; k < placement.iterations.axes.size(); ++k)
    remote_read.axes.push_back({static_cast<int>(k), 1, 0, 1});
  return remote_read;
}

std::int64_t Region::bytes() const {
  auto bytes = static_cast<std::int64_t>(item_bytes);
  for (const auto& range : ranges) bytes *= range.count;
  return ceil_to(bytes, packed_alignment);
}

std::int64_t Region::page_bytes_at(int owner) const {
  // Elements closer together than a page touch all pages of their range; elements farther apart touch a page
  // each.
  constexpr std::int64_t page = 4096;
  const Box block = base->box(owner);
  auto stride = static_cast<std::int64_t>(item_bytes), span = stride, pages = std::int64_t{2};
  for (std::size_t b = block.size(); b-- > 0;) {
    const auto step = ranges[b].step * stride;
    span += (ranges[b].count - 1) * step;
    pages = std::min(span / page + 2, ranges[b].count * pages);
    stride *= block[b].size();
  }
  return pages * page;
}

std::int64_t Message::bytes() const {
  std::int64_t sum = 0;
  for (const auto& region : regions) sum += region.bytes();
  return sum;
}

std::int64_t Exchange::memory_bytes() const {
  std::int64_t sum = 0;
  for (const auto& message : sends) sum += message.bytes();
  for (const auto& message : receives) {
    sum += message.bytes();
    for (const auto& region : message.regions) sum += region.page_bytes_at(message.partner);
  }
  return sum;
}

Exchange exchange_of(std::span<const RemoteRead> remote_reads, int rank, int ranks,
                     const std::function<bool(int)>& is_near) {
  Mail sends, receives;
  for (const auto& remote_read : remote_reads) {
    const auto& owners = remote_read.placement.iterations;
    if (remote_read.placement.base.is_replicated) continue;
    if (const auto needed = remote_read.box_of(rank)) {
      std::vector<Coordinates> ranges;
      for (std::size_t k = 0; k < needed->size(); ++k)
        ranges.push_back(owners_of(owners.axes[k], (*needed)[k]));
      for_each_rank(owners, ranges, [&](int owner) {
        if (is_near(owner)) return;
        if (const auto common = some(intersection(*needed, owners.box(owner))))
          receives.add(owner, region_of(remote_read, *common));
      });
    }
    if (!owners.takes_part(rank)) continue;
    if (const auto own = some(owners.box(rank)))
      for_each_reader(remote_read, *own, ranks, [&](int reader) {
        if (is_near(reader)) return;
        const auto box = remote_read.box_of(reader);
        if (!box) return;
        if (const auto common = some(intersection(*box, *own)))
          sends.add(reader, region_of(remote_read, *common));
      });
  }
  return {std::move(sends).all(), std::move(receives).all()};
}

void for_each_run(const Region& region, int owner,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  const Box block = region.base->box(owner);
  const auto dims = block.size();
  Shape strides(dims);
  auto stride = static_cast<std::int64_t>(region.item_bytes);
  for (std::size_t b = dims; b-- > 0;) {
    strides[b] = stride;
    stride *= block[b].size();
  }
  std::int64_t offset = 0;
  for (std::size_t b = 0; b < dims; ++b) offset += (region.ranges[b].first - block[b].first) * strides[b];
  // Axes of one element may be left out; the last other one is the run.
  std::vector<std::size_t> moving;
  for (std::size_t b = 0; b < dims; ++b)
    if (region.ranges[b].count > 1) moving.push_back(b);
  if (moving.empty()) return visit(offset, 1, static_cast<std::int64_t>(region.item_bytes));
  const auto inner = moving.back();
  moving.pop_back();
  Shape at(moving.size(), 0);
  while (true) {
    visit(offset, region.ranges[inner].count, region.ranges[inner].step * strides[inner]);
    std::size_t k = moving.size();
    while (k > 0) {
      const auto& range = region.ranges[moving[k - 1]];
      const auto by = range.step * strides[moving[k - 1]];
      offset += by;
      if (++at[k - 1] < range.count) break;
      offset -= range.count * by;
      at[--k] = 0;
    }
    if (k == 0) return;
  }
}

}  // namespace gamelan::engine::distribution
