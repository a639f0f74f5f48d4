// SPDX-License-Identifier: BSD-3-Clause
// put, in two halves as messages would go: every rank sorts its share of (position, value) by the owner of the position,
// then every owner applies what is its own. The sort is stable and ranks come in order, so that of equal indices the last
// in the index wins, at any number of ranks. Sorting finer than by owner makes the writes local: cheaper than at random.
#include <algorithm>
#include <cstring>

#include "engine/exec/buckets.hpp"
#include "engine/exec/indices.hpp"
#include "engine/exec/item.hpp"
#include "engine/exec/segments.hpp"
#include "engine/exec/stream.hpp"

namespace gamelan::engine::exec {
namespace {

template <class Value>
struct Pair {
  std::int64_t position;
  Value value;
};

/// Runs `visit` with the type that is routed beside a position.
template <class Visit>
void with_value(const plan::Route& route, Visit visit) {
  with_item(route.carries_rows ? sizeof(std::int64_t) : protocol::size_of(route.dtype), visit);
}

class Router {
 public:
  Router(const Site& site, const plan::Route& route)
      : site_(site), route_(route), buckets_(route.target, route.bucket_shift), index_(site, route.index, route.index_dtype, protocol::Dtype::int64),
        first_(std::min(route.count, route.share * site.rank())), last_(std::min(route.count, first_ + route.share)),
        extent_(route.target.extent) {}

  template <class Value>
  void run() {
    buckets_.with_find([this](auto find) { run<Value>(find); });
  }

 private:
  template <class Value, class Find>
  void run(Find find) {
    auto* counts = reinterpret_cast<std::int64_t*>(site_.own_block(route_.counts));
    std::fill_n(counts, buckets_.count(), 0);
    for_each_chunk([&](std::int64_t, std::int64_t count, const std::int64_t* index) {
      for (std::int64_t i = 0; i < count; ++i) ++counts[find(position_of(index[i], extent_))];
    });
    std::vector<Pair<Value>*> next(static_cast<std::size_t>(buckets_.count()));
    auto* pair = reinterpret_cast<Pair<Value>*>(site_.own_block(route_.pairs));
    for (std::size_t b = 0; b < next.size(); ++b) {
      next[b] = pair;
      pair += counts[b];
    }
    if (route_.carries_rows) {
      place<Value>(find, next, [](std::int64_t at, std::int64_t) {
        return [at](std::int64_t i) {
          Value number{};
          const auto row = at + i;
          std::memcpy(&number, &row, std::min(sizeof number, sizeof row));  // an Item<8>, as with_value says
          return number;
        };
      });
    } else if (route_.number) {
      const auto value = *reinterpret_cast<const Value*>(route_.number->bytes.data());
      place<Value>(find, next, [value](std::int64_t, std::int64_t) { return [value](std::int64_t) { return value; }; });
    } else {
      Stream values(site_, route_.values, route_.dtype, route_.dtype);
      place<Value>(find, next, [&values](std::int64_t at, std::int64_t count) {
        return [value = values.read_as<Value>(at, count)](std::int64_t i) { return value[i]; };
      });
    }
  }

  template <class Visit>
  void for_each_chunk(Visit visit) {
    for (auto at = first_; at < last_; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, last_ - at);
      visit(at, count, index_.read_as<std::int64_t>(at, count));
    }
  }

  template <class Value, class Find, class ValuesAt>
  void place(Find find, std::vector<Pair<Value>*>& next, ValuesAt values_at) {
    for_each_chunk([&, extent = extent_, next = next.data()](std::int64_t at, std::int64_t count, const std::int64_t* index) {
      const auto value = values_at(at, count);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto position = position_of(index[i], extent);
        *next[find(position)]++ = {position, value(i)};
      }
    });
  }

  const Site& site_;
  const plan::Route& route_;
  Buckets buckets_;
  Stream index_;
  std::int64_t first_, last_, extent_;
};

/// Calls visit(first pair, last pair) for what goes to this rank, bucket by bucket, the ranks in order within each.
template <class Value, class Visit>
void for_each_delivery(const Site& site, const plan::Route& route, int coordinate, Visit visit) {
  const Buckets buckets(route.target, route.bucket_shift);
  const auto [first, last] = buckets.of(coordinate);
  struct Sender {
    const std::int64_t* counts;
    const Pair<Value>* next;
  };
  std::vector<Sender> senders;
  for (int r = 0; route.share * r < route.count; ++r) {
    Sender sender{reinterpret_cast<const std::int64_t*>(site.block(route.counts, r)), reinterpret_cast<const Pair<Value>*>(site.block(route.pairs, r))};
    for (std::int64_t b = 0; b < first; ++b) sender.next += sender.counts[b];
    senders.push_back(sender);
  }
  for (auto b = first; b < last; ++b)
    for (auto& sender : senders) {
      const auto* end = sender.next + sender.counts[b];
      visit(sender.next, end);
      sender.next = end;
    }
}

/// Rows of many elements: the i-th value is copied from where it lies.
void deliver_rows(const Site& site, const plan::Deliver& deliver, const dist::Box& mine, int coordinate) {
  const auto& route = deliver.route;
  const auto item = static_cast<std::int64_t>(protocol::size_of(route.dtype));
  const auto apply = [&](const dist::Box& box, auto copy) {
    protocol::Shape index, extents;
    for (const auto& interval : box) index.push_back(interval.first);
    for (std::size_t k = 1; k < box.size(); ++k) extents.push_back(box[k].size());
    index[0] = mine[0].first;
    const auto piece = dist::locate(deliver.target.placement, index, site.rank());
    std::byte* to = site.address(deliver.target, piece) - mine[0].first * piece.strides[0];
    for_each_delivery<std::int64_t>(site, route, coordinate, [&](const Pair<std::int64_t>* pair, const Pair<std::int64_t>* end) {
      for (; pair != end; ++pair) copy(extents, pair->value, to + pair->position * piece.strides[0], piece.strides.data() + 1);
    });
  };
  if (route.number) {
    const protocol::Shape zeros(mine.size(), 0);
    return apply(mine, [&](const protocol::Shape& extents, std::int64_t, std::byte* to, const std::int64_t* strides) {
      copy_row(extents, route.number->bytes.data(), zeros.data(), to, strides, item);
    });
  }
  for (const auto& part : rows_along(site, route.values, mine, 0))
    apply(part.box, [&](const protocol::Shape& extents, std::int64_t i, std::byte* to, const std::int64_t* strides) {
      const auto& segment = part.segments[part.find(i)];
      copy_row(extents, segment.origin + i * segment.stride, segment.strides.data() + 1, to, strides, item);
    });
}

template <class Value>
void deliver_values(const Site& site, const plan::Deliver& deliver, const dist::Box& mine, int coordinate) {
  protocol::Shape index;
  for (const auto& interval : mine) index.push_back(interval.first);
  const auto piece = dist::locate(deliver.target.placement, index, site.rank());
  const auto stride = piece.strides[0];
  std::byte* to = site.address(deliver.target, piece) - mine[0].first * stride;
  for_each_delivery<Value>(site, deliver.route, coordinate, [&](const Pair<Value>* pair, const Pair<Value>* end) {
    for (; pair != end; ++pair) *reinterpret_cast<Value*>(to + pair->position * stride) = pair->value;
  });
}

}  // namespace

void run(const Site& site, const plan::Route& route) {
  Router router(site, route);
  with_value(route, [&](auto value) { router.run<decltype(value)>(); });
}

void run(const Site& site, const plan::Deliver& deliver) {
  const auto& layout = deliver.target.placement.iterations;
  if (!layout.takes_part(site.rank())) return;
  const auto mine = layout.box(site.rank());
  if (is_empty(mine)) return;
  const auto& axis = layout.axes[0];
  const int coordinate = layout.is_replicated ? 0 : site.rank() / axis.rank_stride % axis.parts;
  if (deliver.route.carries_rows) return deliver_rows(site, deliver, mine, coordinate);
  with_value(deliver.route, [&](auto value) { deliver_values<decltype(value)>(site, deliver, mine, coordinate); });
}

}  // namespace gamelan::engine::exec
