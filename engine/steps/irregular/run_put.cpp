// SPDX-License-Identifier: BSD-3-Clause
// put, in two halves. Every rank sorts its share of pairs (position, value) by the owner of the position;
// then every owner applies its own. The sort is stable and ranks come in order, so of equal indices the last
// one in the index wins, at any number of ranks. With an op the values are applied in that order. Sorting
// finer than by owner makes the writes local, which is cheaper than writing at random.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "engine/steps/indices.hpp"
#include "engine/steps/irregular/addends.hpp"
#include "engine/steps/irregular/buckets.hpp"
#include "engine/steps/irregular/segments.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/item.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

template <class V, class P = std::int64_t>
struct Pair {
  using Value = V;
  using Position = P;
  Position position;
  Value value;
};
using RowPair = Pair<std::int64_t>;
constexpr std::ptrdiff_t pairs_ahead = 32;  // more than the misses that a core can have under way

/// Runs `visit` with a pair of the type that is partitioned. Where it fits, a pair is one word (lower_put.cpp
/// says so by uint64).
template <class Visit>
void with_pair(const StepContext& context, const plan::PartitionUpdates& partition, Visit visit) {
  with_item(partition.carries_rows ? sizeof(std::int64_t) : protocol::size_of(partition.dtype),
            [&]<class Value>(Value) {
              if constexpr (sizeof(Value) <= 4)
                if (context.info(partition.pairs).dtype == protocol::Dtype::uint64)
                  return visit(Pair<Value, std::uint32_t>{});
              visit(Pair<Value>{});
            });
}

/// Which of the buckets' coordinates is a rank's.
int coordinate_of(const distribution::Layout& layout, int rank) {
  return layout.is_replicated ? 0 : layout.coordinate(0, rank);
}

class Partitioner {
 public:
  Partitioner(const StepContext& context, const plan::PartitionUpdates& partition)
      : context_(context),
        partition_(partition),
        buckets_(partition.target, partition.bucket_shift),
        index_(context, partition.index, partition.index_dtype, protocol::Dtype::int64),
        first_(std::min(partition.count, partition.share * context.rank())),
        last_(std::min(partition.count, first_ + partition.share)),
        extent_(partition.target.extent) {}

  template <class Pair>
  void run() {
    buckets_.with_find([this](auto find) { run<Pair>(find); });
  }

 private:
  template <class Pair, class Find>
  void run(Find find) {
    using Value = typename Pair::Value;
    auto* counts = reinterpret_cast<std::int64_t*>(context_.own_block(partition_.counts));
    std::fill_n(counts, buckets_.count(), 0);
    for_each_chunk([&](std::int64_t, std::int64_t count, const std::int64_t* index) {
      for (std::int64_t i = 0; i < count; ++i) ++counts[find(position_of(index[i], extent_))];
    });
    std::vector<Pair*> next(static_cast<std::size_t>(buckets_.count()));
    auto* pair = reinterpret_cast<Pair*>(context_.own_block(partition_.pairs));
    for (std::size_t b = 0; b < next.size(); ++b) {
      next[b] = pair;
      pair += counts[b];
    }
    if (partition_.carries_rows) {
      place<Pair>(find, next, [](std::int64_t at, std::int64_t) {
        return [at](std::int64_t i) {
          Value number{};
          const auto row = at + i;
          std::memcpy(&number, &row, std::min(sizeof number, sizeof row));  // an Item<8>, as with_pair says
          return number;
        };
      });
    } else if (partition_.number) {
      const auto value = *reinterpret_cast<const Value*>(partition_.number->bytes.data());
      place<Pair>(find, next,
                  [value](std::int64_t, std::int64_t) { return [value](std::int64_t) { return value; }; });
    } else {
      Stream values(context_, partition_.values, partition_.dtype, partition_.dtype);
      place<Pair>(find, next, [&values](std::int64_t at, std::int64_t count) {
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

  template <class Pair, class Find, class ValuesAt>
  void place(Find find, std::vector<Pair*>& next, ValuesAt values_at) {
    for_each_chunk([&, extent = extent_, next = next.data()](std::int64_t at, std::int64_t count,
                                                             const std::int64_t* index) {
      const auto value = values_at(at, count);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto position = position_of(index[i], extent);
        *next[find(position)]++ = {static_cast<typename Pair::Position>(position), value(i)};
      }
    });
  }

  const StepContext& context_;
  const plan::PartitionUpdates& partition_;
  Buckets buckets_;
  Stream index_;
  std::int64_t first_, last_, extent_;
};

/// What ranks of other nodes have sorted for this rank: for each of them the counts of this rank's buckets,
/// then the pairs.
using Mail = std::map<int, protocol::Bytes>;

/// Sends what this rank has sorted to the owners on other nodes, and receives theirs. Collective.
template <class Pair>
Mail exchange_updates(const StepContext& context, const plan::ApplyUpdates& updates) {
  const auto& partition = updates.partition;
  const Buckets buckets(partition.target, partition.bucket_shift);
  const auto* counts = reinterpret_cast<const std::int64_t*>(context.own_block(partition.counts));
  const auto* pairs = reinterpret_cast<const Pair*>(context.own_block(partition.pairs));
  const auto& layout = updates.target.placement.iterations;
  Mail outgoing;
  if (partition.share * context.rank() < partition.count) {
    for (int reader = 0; reader < context.ranks(); ++reader) {
      if (context.is_near(reader) || !layout.takes_part(reader) || is_empty(layout.box(reader))) continue;
      const auto [first, last] = buckets.of(coordinate_of(layout, reader));
      const auto before = std::accumulate(counts, counts + first, std::int64_t{0});
      const auto total = std::accumulate(counts + first, counts + last, std::int64_t{0});
      if (total == 0) continue;
      const auto* own_counts = reinterpret_cast<const std::byte*>(counts + first);
      const auto* own_pairs = reinterpret_cast<const std::byte*>(pairs + before);
      auto& bytes = outgoing[reader];
      bytes.assign(own_counts, own_counts + static_cast<std::size_t>(last - first) * sizeof *counts);
      bytes.insert(bytes.end(), own_pairs, own_pairs + static_cast<std::size_t>(total) * sizeof *pairs);
    }
  }
  return context.ghost_exchange()->swap(std::move(outgoing));
}

/// Calls visit(first pair, last pair) for the pairs that go to this rank: bucket by bucket, and within each
/// rank by rank.
template <class Pair, class Visit>
void for_each_update(const StepContext& context, const plan::PartitionUpdates& partition, int coordinate,
                     const Mail& mail, Visit visit) {
  const Buckets buckets(partition.target, partition.bucket_shift);
  const auto [first, last] = buckets.of(coordinate);
  struct Sender {
    const std::int64_t* counts;  ///< of bucket 0
    const Pair* next;
  };
  std::vector<Sender> senders;
  for (int r = 0; partition.share * r < partition.count; ++r) {
    if (!context.is_near(r)) {
      if (const auto found = mail.find(r); found != mail.end()) {
        const auto* counts = reinterpret_cast<const std::int64_t*>(found->second.data());
        senders.push_back({counts - first, reinterpret_cast<const Pair*>(counts + (last - first))});
      }
      continue;
    }
    Sender sender{reinterpret_cast<const std::int64_t*>(context.block(partition.counts, r)),
                  reinterpret_cast<const Pair*>(context.block(partition.pairs, r))};
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
void apply_rows(const StepContext& context, const plan::ApplyUpdates& updates, const distribution::Box& mine,
                int coordinate, const Mail& mail) {
  const auto& partition = updates.partition;
  const auto item = static_cast<std::int64_t>(protocol::size_of(partition.dtype));
  const tiles::Loop loop = updates.op ? tiles::find_loop(*updates.op, partition.dtype) : nullptr;
  const auto write = [&](const protocol::Shape& extents, const std::byte* from,
                         const std::int64_t* from_strides, std::byte* to, const std::int64_t* strides) {
    if (loop == nullptr)
      copy_row(extents, from, from_strides, to, strides, item);
    else
      update_row(loop, extents, from, from_strides, to, strides, item);
  };
  const auto apply = [&](const distribution::Box& box, auto copy) {
    protocol::Shape index, extents;
    for (const auto& interval : box) index.push_back(interval.first);
    for (std::size_t k = 1; k < box.size(); ++k) extents.push_back(box[k].size());
    index[0] = mine[0].first;
    const auto piece = distribution::locate(updates.target.placement, index, context.rank());
    std::byte* to = context.address(updates.target, piece) - mine[0].first * piece.strides[0];
    for_each_update<RowPair>(
        context, partition, coordinate, mail, [&](const RowPair* pair, const RowPair* end) {
          for (; pair != end; ++pair)
            copy(extents, pair->value, to + pair->position * piece.strides[0], piece.strides.data() + 1);
        });
  };
  if (partition.number) {
    const protocol::Shape zeros(mine.size(), 0);
    return apply(
        mine, [&](const protocol::Shape& extents, std::int64_t, std::byte* to, const std::int64_t* strides) {
          write(extents, partition.number->bytes.data(), zeros.data(), to, strides);
        });
  }
  for (const auto& part : rows_along(context, partition.values, mine, 0))
    apply(part.box,
          [&](const protocol::Shape& extents, std::int64_t i, std::byte* to, const std::int64_t* strides) {
            const auto& segment = part.segments[part.find(i)];
            write(extents, segment.origin + i * segment.stride, segment.strides.data() + 1, to, strides);
          });
}

/// Requests the rows that this rank will write and another node holds. Collective.
void gather_rows(const StepContext& context, const plan::ApplyUpdates& updates, const distribution::Box& mine,
                 int coordinate, const Mail& mail) {
  const auto& partition = updates.partition;
  const auto item = static_cast<std::int64_t>(protocol::size_of(partition.dtype));
  RemoteGather remote_gather(context, partition.values.slot);
  if (!is_empty(mine))
    for (const auto& part : rows_along(context, partition.values, mine, 0)) {
      protocol::Shape extents;
      for (std::size_t k = 1; k < part.box.size(); ++k) extents.push_back(part.box[k].size());
      for_each_update<RowPair>(
          context, partition, coordinate, mail, [&](const RowPair* pair, const RowPair* end) {
            for (; pair != end; ++pair) {
              const auto& segment = part.segments[part.find(pair->value)];
              if (!context.is_near(segment.owner))
                ask_row(remote_gather, segment, context.block(partition.values.slot, segment.owner),
                        pair->value, extents, std::span(segment.strides).subspan(1), item);
            }
          });
    }
  remote_gather.exchange();
}

template <class Pair>
void apply_values(const StepContext& context, const plan::ApplyUpdates& updates,
                  const distribution::Box& mine, int coordinate, const Mail& mail) {
  protocol::Shape index;
  for (const auto& interval : mine) index.push_back(interval.first);
  const auto piece = distribution::locate(updates.target.placement, index, context.rank());
  const auto stride = piece.strides[0];
  std::byte* to = context.address(updates.target, piece) - mine[0].first * stride;
  const tiles::Loop loop = updates.op ? tiles::find_loop(*updates.op, updates.partition.dtype) : nullptr;
  const auto update = [&](const Pair* pair, const Pair* end) {
    const bool is_added = with_addend(*updates.op, updates.partition.dtype, [&]<class Number>(Number) {
      constexpr bool is_whole = sizeof(Number) == sizeof(typename Pair::Value);
      if constexpr (is_whole)
        for (; pair != end; ++pair) {
          auto* at = to + pair->position * stride;
          const auto sum = *reinterpret_cast<Number*>(at) + as_number<Number>(pair->value);
          *reinterpret_cast<Number*>(at) = sum;
        }
      return is_whole;
    });
    if (is_added) return;
    for (; pair != end; ++pair) {
      const void* operands[] = {to + pair->position * stride, &pair->value};
      loop(operands, to + pair->position * stride, 1, nullptr);
    }
  };
  for_each_update<Pair>(context, updates.partition, coordinate, mail, [&](const Pair* pair, const Pair* end) {
    if (updates.op) return update(pair, end);
    const auto store = [&] {
      *reinterpret_cast<typename Pair::Value*>(to + pair->position * stride) = pair->value;
    };
    for (; end - pair > pairs_ahead; ++pair) {
      __builtin_prefetch(to + pair[pairs_ahead].position * stride, 1);
      store();
    }
    for (; pair != end; ++pair) store();
  });
}

}  // namespace

void run(const StepContext& context, const plan::PartitionUpdates& partition) {
  Partitioner partitioner(context, partition);
  with_pair(context, partition, [&]<class Pair>(Pair) { partitioner.run<Pair>(); });
}

void run(const StepContext& context, const plan::ApplyUpdates& updates) {
  const auto& layout = updates.target.placement.iterations;
  const auto mine =
      layout.takes_part(context.rank()) ? layout.box(context.rank()) : distribution::Box(layout.axes.size());
  const int coordinate = coordinate_of(layout, context.rank());
  Mail mail;
  if (context.ghost_exchange()) {
    with_pair(context, updates.partition,
              [&]<class Pair>(Pair) { mail = exchange_updates<Pair>(context, updates); });
    if (reads_rows(updates)) gather_rows(context, updates, mine, coordinate, mail);
  }
  if (is_empty(mine)) return;
  if (updates.partition.carries_rows) return apply_rows(context, updates, mine, coordinate, mail);
  with_pair(context, updates.partition,
            [&]<class Pair>(Pair) { apply_values<Pair>(context, updates, mine, coordinate, mail); });
}

}  // namespace gamelan::engine::steps
