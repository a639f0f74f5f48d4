// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/reshaped.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace gamelan::engine::distribution {
namespace {

/// Into so many parts a layout for a view can be cut, or it is none.
std::int64_t many_parts(const Shape& extents) { return is_for_many_ranks(extents) ? 1024 : 8; }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }  // a >= 0, b > 0

/// Neighbouring axes of one shape and of another that hold the same elements. Axes of extent 1 belong to
/// nothing.
struct Segment {
  std::vector<std::size_t> from, to;          // from the outermost
  std::int64_t from_inner = 1, to_inner = 1;  // elements of an index of the outermost axis
};

/// The shortest segments, from the innermost; nullopt when the shapes hold different numbers of elements,
/// except that `to` may reach over the end along its first axis.
std::optional<std::vector<Segment>> segments_of(const Shape& from, const Shape& to) {
  std::vector<Segment> segments;
  auto i = from.size(), j = to.size();
  const auto skip_ones = [](const Shape& shape, std::size_t& k) {
    while (k > 0 && shape[k - 1] == 1) --k;
  };
  while (true) {
    skip_ones(from, i);
    skip_ones(to, j);
    if (i == 0 && j == 0) return segments;
    if (i == 0 || j == 0) return std::nullopt;
    Segment segment;
    std::int64_t left = 1, right = 1;
    const auto take = [](const Shape& shape, std::size_t& k, std::int64_t& all, std::int64_t& inner,
                         std::vector<std::size_t>& axes) {
      inner = all;
      all *= shape[--k];
      axes.insert(axes.begin(), k);
    };
    take(from, i, left, segment.from_inner, segment.from);
    take(to, j, right, segment.to_inner, segment.to);
    while (left != right) {
      skip_ones(from, i);
      skip_ones(to, j);
      if (left < right && i > 0)
        take(from, i, left, segment.from_inner, segment.from);
      else if (left > right && j > 0)
        take(to, j, right, segment.to_inner, segment.to);
      else if (left < right && j == 0 && left > right - segment.to_inner)
        break;  // the last index of the first axis is there in part
      else
        return std::nullopt;
    }
    segments.push_back(std::move(segment));
  }
}

/// The cut axis `axis`, of which an index is `inner` elements, as an axis of `extent` indices of `wanted`
/// elements.
std::optional<AxisLayout> recut(const AxisLayout& axis, std::int64_t inner, std::int64_t wanted,
                                std::int64_t extent) {
  AxisLayout result{
      .extent = extent, .template_extent = extent, .parts = axis.parts, .rank_stride = axis.rank_stride};
  if (axis.step == 1 && axis.cuts.empty() && axis.unit * inner % wanted == 0 &&
      axis.start * inner % wanted == 0) {
    result.template_extent = ceil_div(axis.template_extent * inner, wanted);
    result.start = axis.start * inner / wanted;
    result.unit = axis.unit * inner / wanted;
    return result;
  }
  if (axis.step < 1) return std::nullopt;
  std::vector<std::int64_t> cuts{0};
  for (int c = 0; c < axis.parts; ++c) {
    const auto end = axis.interval(c).last * inner;
    const bool is_end = axis.interval(c).last == axis.extent;
    if (!is_end && end % wanted != 0) return std::nullopt;
    cuts.push_back(is_end ? extent : end / wanted);
  }
  if (cuts.back() != extent) return std::nullopt;
  result.unit = 1;
  for (int c = 0; c <= axis.parts; ++c)
    if (result.cut(c) != cuts[static_cast<std::size_t>(c)]) {
      result.cuts = std::move(cuts);
      break;
    }
  return result;
}

}  // namespace

std::optional<Layout> reshaped(const Layout& layout, const Shape& extents) {
  const Shape from = layout.extents();
  const auto segments = segments_of(from, extents);
  if (!segments) return std::nullopt;
  Layout result = layout;
  result.axes.clear();
  for (const auto extent : extents) result.axes.push_back({.extent = extent, .template_extent = extent});
  for (std::size_t k = 0; k < from.size(); ++k)
    if (from[k] == 1 && layout.axes[k].parts > 1) return std::nullopt;
  for (const auto& segment : *segments) {
    for (std::size_t k = 1; k < segment.from.size(); ++k)
      if (layout.axes[segment.from[k]].parts > 1) return std::nullopt;
    const auto& axis = layout.axes[segment.from[0]];
    if (axis.parts == 1) continue;
    if (layout.is_replicated) return std::nullopt;
    auto& cut = result.axes[segment.to[0]];
    if (segment.from.size() == 1 && segment.to.size() == 1 && axis.extent == cut.extent) {
      cut = axis;
      continue;
    }
    auto other = recut(axis, segment.from_inner, segment.to_inner, cut.extent);
    if (!other) return std::nullopt;
    cut = std::move(*other);
  }
  return result;
}

namespace {

struct Move {
  std::int64_t step, reach;  // elements from one index to the next, and from the first to the last
};

/// Extents with the C order of `stored` over which a view is a box: bounds between its axes are put where
/// the array has them, else where the view ends. `offset` is that of its first element in C order.
std::optional<Shape> extents_for(std::vector<Move> moves, std::int64_t offset, const Shape& stored) {
  std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.step < b.step; });
  std::vector<std::int64_t> bounds{1};  // of the array, from the inside
  for (std::size_t k = stored.size(); k-- > 0;) bounds.push_back(bounds.back() * stored[k]);
  const auto count = bounds.back();
  Shape reversed;
  std::int64_t low = 1;
  for (std::size_t m = 0; m < moves.size(); ++m) {
    const auto [step, reach] = moves[m];
    if (step % low != 0) return std::nullopt;
    const bool is_last = m + 1 == moves.size();
    if (!is_last && moves[m + 1].step == step) return std::nullopt;
    const auto fits = [&](std::int64_t high) {
      return high > low && high % low == 0 && (is_last || moves[m + 1].step % high == 0) &&
             offset % high + reach < high;
    };
    std::int64_t high = 0;
    for (const auto bound : bounds)
      if (fits(bound)) {
        high = bound;
        break;
      }
    if (const auto end = reach + step; high == 0 && fits(end)) high = end;
    if (high == 0 && !is_last && fits(moves[m + 1].step)) high = moves[m + 1].step;
    if (high == 0 && is_last) high = ceil_div(count, low) * low;  // over the end, where the bound is none
    if (high == 0 || offset % high + reach >= high) return std::nullopt;
    reversed.push_back(high / low);
    low = high;
  }
  if (low < count) reversed.push_back(ceil_div(count, low));
  return Shape(reversed.rbegin(), reversed.rend());
}

/// The extents of an array in elements of another size.
std::optional<Shape> in_elements_of(Shape extents, std::int64_t item, std::int64_t part) {
  if (part == item) return extents;
  if (part < item) {
    if (item % part != 0) return std::nullopt;
    extents.push_back(item / part);
    return extents;
  }
  if (part % item != 0 || extents.empty() || extents.back() % (part / item) != 0) return std::nullopt;
  extents.back() /= part / item;
  return extents;
}

}  // namespace

std::optional<Look> look_of(const protocol::View& view, const Shape& extents, protocol::Dtype dtype) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(dtype));
  const auto part = static_cast<std::int64_t>(protocol::size_of(view.dtype));
  if (protocol::element_count(view.extents) == 0 || protocol::element_count(extents) == 0)
    return std::nullopt;
  auto stored = in_elements_of(extents, item, part);
  if (!stored) return std::nullopt;
  std::int64_t offset = view.offset;
  std::vector<Move> moves;
  for (std::size_t k = 0; k < view.extents.size(); ++k) {
    const auto stride = view.strides[k], reach = (view.extents[k] - 1) * stride;
    if (reach == 0) continue;
    if (stride % part != 0) return std::nullopt;
    if (reach < 0) offset += reach;
    moves.push_back({std::abs(stride) / part, std::abs(reach) / part});
  }
  if (offset % part != 0) return std::nullopt;
  auto seen = extents_for(std::move(moves), offset / part, *stored);
  if (!seen) return std::nullopt;
  return Look{std::move(*stored), std::move(*seen)};
}

namespace {

/// The layout in elements of another size: the last axis holds more or fewer of them.
std::optional<Layout> in_elements_of(const Layout& layout, std::int64_t item, std::int64_t part) {
  if (part == item) return layout;
  Layout result = layout;
  if (part < item) {
    result.axes.push_back({.extent = item / part, .template_extent = item / part});
    return result;
  }
  Shape pairs = layout.extents();
  pairs.back() /= part / item;
  pairs.push_back(part / item);
  auto split = reshaped(layout, pairs);
  if (!split || split->axes.back().parts > 1) return std::nullopt;
  split->axes.pop_back();
  return split;
}

}  // namespace

std::optional<Placement> place(const Layout& layout, const Shape& extents, protocol::Dtype dtype,
                               const protocol::View& view) {
  if (layout.axes.size() != extents.size()) return std::nullopt;
  if (const auto box = box_of_base(view, extents, dtype))
    return place(layout, *box, view.extents, protocol::size_of(dtype));
  const auto look = look_of(view, extents, dtype);
  if (!look) return std::nullopt;
  const auto part = protocol::size_of(view.dtype);
  const auto stored = in_elements_of(layout, static_cast<std::int64_t>(protocol::size_of(dtype)),
                                     static_cast<std::int64_t>(part));
  if (!stored) return std::nullopt;
  const auto seen = reshaped(*stored, look->seen);
  if (!seen) return std::nullopt;
  const auto box = box_of_base(view, look->seen, view.dtype);
  if (!box) return std::nullopt;
  return place(*seen, *box, view.extents, part);
}

namespace {

/// For each axis of `extents`: at multiples of how many indices it may be cut for the sake of a view; 0 where
/// it may not be cut.
std::optional<Shape> granules(const Shape& extents, protocol::Dtype dtype, const protocol::View& view) {
  Shape result(extents.size(), 1);
  if (box_of_base(view, extents, dtype)) return result;
  const auto look = look_of(view, extents, dtype);
  if (!look || look->stored.size() < extents.size()) return std::nullopt;
  const auto segments = segments_of(look->stored, look->seen);
  if (!segments) return std::nullopt;
  for (const auto& segment : *segments) {
    for (const auto axis : segment.from)
      if (axis < result.size()) result[axis] = 0;
    if (const auto first = segment.from[0]; first < result.size())
      result[first] = segment.to_inner / std::gcd(segment.to_inner, segment.from_inner);
  }
  // An element of the view may be several of the array: the last axis is then cut between those only.
  const auto item = protocol::size_of(dtype), part = protocol::size_of(view.dtype);
  if (part > item && !result.empty()) result.back() *= static_cast<std::int64_t>(part / item);
  return result;
}

}  // namespace

bool can_be_cut_for(const Shape& extents, protocol::Dtype dtype, const protocol::View& view,
                    std::size_t axes) {
  const auto granule = granules(extents, dtype, view);
  if (!granule) return false;
  for (std::size_t k = 0; k < std::min(axes, extents.size()); ++k)
    if ((*granule)[k] > 0 && extents[k] >= many_parts(extents) * (*granule)[k]) return true;
  return false;
}

std::optional<Layout> layout_for_looks(const Shape& extents, protocol::Dtype dtype,
                                       std::span<const protocol::View> views, int ranks) {
  Shape granule(extents.size(), 1);
  for (const auto& view : views) {
    const auto wanted = granules(extents, dtype, view);
    if (!wanted) return std::nullopt;
    for (std::size_t k = 0; k < extents.size(); ++k)
      granule[k] = granule[k] == 0 || (*wanted)[k] == 0 || granule[k] > extents[k]
                       ? 0
                       : std::lcm(granule[k], (*wanted)[k]);
  }
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (granule[k] == 0 || extents[k] < many_parts(extents) * granule[k] || extents[k] < ranks * granule[k])
      continue;
    auto unit = granule[k];
    if (k + 1 == extents.size()) {  // and between the segments of rows, where that leaves parts enough
      const auto both = std::lcm(unit, segment_length(extents));
      if (extents[k] >= 4 * many_parts(extents) * both && extents[k] >= many_parts(extents) * ranks * both)
        unit = both;
    }
    const auto largest = ceil_div(ceil_div(extents[k], unit), ranks) * unit;
    if (4 * largest * ranks > 5 * (extents[k] + ranks)) continue;  // uneven
    Layout layout;
    for (const auto extent : extents) layout.axes.push_back({.extent = extent, .template_extent = extent});
    if (ranks == 1) return layout;
    layout.axes[k].unit = unit;
    layout.axes[k].parts = ranks;
    layout.grid_size = ranks;
    return layout;
  }
  return std::nullopt;
}

}  // namespace gamelan::engine::distribution
