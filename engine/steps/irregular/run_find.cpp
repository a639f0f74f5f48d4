// SPDX-License-Identifier: BSD-3-Clause
// nonzero over several nodes: every rank lists the positions at which its share of a row of flags is true, or
// the elements of another row there; the lists, one after another, are the result. Its owners copy their
// intervals out of them: of ranks on this node from where they lie, of others by one swap, because the
// lengths of the lists say which parts each rank needs.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/irregular/true_flags.hpp"
#include "engine/steps/item.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Interval;
using Mail = std::map<int, protocol::Bytes>;

Interval common(const Interval& one, const Interval& other) {
  const auto first = std::max(one.first, other.first);
  return {first, std::max(first, std::min(one.last, other.last))};
}

/// Which interval of the result each rank's list is.
std::vector<Interval> intervals_of(const StepContext& context, const plan::Collect& collect) {
  Stream lengths(context, collect.lengths, protocol::Dtype::int64, protocol::Dtype::int64);
  std::vector<Interval> intervals;
  std::int64_t end = 0;
  for (std::int64_t r = 0; r < context.ranks(); ++r) {
    const auto length = *lengths.read_as<std::int64_t>(r, 1);
    intervals.push_back({end, end + length});
    end += length;
  }
  return intervals;
}

Interval wanted_by(const distribution::Layout& layout, int rank) {
  return layout.takes_part(rank) ? layout.box(rank)[0] : Interval{0, 0};
}

/// Positions in a list count from the begin of the rank's share, in words of 32 bits where these suffice.
template <class Visit>
void with_position(const StepContext& context, const plan::Find& find, Visit visit) {
  if (context.info(find.lists).dtype == protocol::Dtype::uint32)
    visit(std::uint32_t{});
  else
    visit(std::int64_t{});
}

/// Sends the parts of this rank's list that owners on other nodes need, and receives theirs. Collective.
Mail swap_lists(const StepContext& context, const plan::Collect& collect, const Interval& own,
                std::int64_t item) {
  const auto& layout = context.info(collect.out).layout;
  const auto* list = reinterpret_cast<const std::byte*>(context.own_block(collect.find.lists));
  Mail outgoing;
  if (own.size() > 0)
    for (int reader = 0; reader < context.ranks(); ++reader) {
      if (context.is_near(reader)) continue;
      const auto part = common(own, wanted_by(layout, reader));
      if (part.size() > 0)
        outgoing[reader].assign(list + (part.first - own.first) * item,
                                list + (part.last - own.first) * item);
    }
  return context.ghost_exchange()->swap(std::move(outgoing));
}

/// Lists what `at_chunk(first, count)` gives for a chunk of the rank's share, as a function of the place in
/// the chunk, where the flags are true.
template <class Element, class AtChunk>
void list_in_share(const StepContext& context, const plan::Find& find, AtChunk at_chunk) {
  auto* list = reinterpret_cast<Element*>(context.own_block(find.lists));
  std::int64_t length = 0;
  Stream flags(context, find.flags, protocol::Dtype::bool_, protocol::Dtype::bool_);
  const auto first = std::min(find.count, find.share * context.rank()),
             last = std::min(find.count, first + find.share);
  for (auto at = first; at < last; at += Stream::chunk) {
    const auto count = std::min(Stream::chunk, last - at);
    const auto element_at = at_chunk(at, count);
    length = append_true(flags.read_as<unsigned char>(at, count), count, element_at, list, length, find.room);
  }
  *reinterpret_cast<std::int64_t*>(context.own_block(find.lengths)) = length;
}

void list_values(const StepContext& context, const plan::Find& find) {
  const auto dtype = context.info(find.lists).dtype;
  Stream values(context, *find.values, dtype, dtype);
  with_item(protocol::size_of(dtype), [&]<class Element>(Element) {
    list_in_share<Element>(context, find, [&](std::int64_t first, std::int64_t count) {
      return [value = values.read_as<Element>(first, count)](std::int64_t i) { return value[i]; };
    });
  });
}

template <class Position>
void list_positions(const StepContext& context, const plan::Find& find) {
  const auto share = std::min(find.count, find.share * context.rank());
  list_in_share<Position>(context, find, [share](std::int64_t first, std::int64_t) {
    return [begin = first - share](std::int64_t i) { return static_cast<Position>(begin + i); };
  });
}

/// Copies a part of rank r's list to the result: elements as they are, positions counted from the begin of
/// the row.
void copy_part(const StepContext& context, const plan::Find& find, int r, const std::byte* source,
               std::int64_t length, std::byte* out) {
  if (find.values) {
    const auto item = protocol::size_of(context.info(find.lists).dtype);
    std::memcpy(out, source, static_cast<std::size_t>(length) * item);
    return;
  }
  const auto share = std::min(find.count, find.share * r);
  with_position(context, find, [&]<class Position>(Position) {
    const auto* position = reinterpret_cast<const Position*>(source);
    std::transform(position, position + length, reinterpret_cast<std::int64_t*>(out),
                   [share](Position each) { return share + static_cast<std::int64_t>(each); });
  });
}

}  // namespace

void run(const StepContext& context, const plan::Find& find) {
  if (find.values) return list_values(context, find);
  with_position(context, find, [&]<class Position>(Position) { list_positions<Position>(context, find); });
}

void run(const StepContext& context, const plan::Collect& collect) {
  const auto size_of = [&](int slot) {
    return static_cast<std::int64_t>(protocol::size_of(context.info(slot).dtype));
  };
  const auto item = size_of(collect.find.lists), out_item = size_of(collect.out);
  const auto lists = intervals_of(context, collect);
  Mail mail;
  if (context.ghost_exchange())
    mail = swap_lists(context, collect, lists[static_cast<std::size_t>(context.rank())], item);
  const auto mine = wanted_by(context.info(collect.out).layout, context.rank());
  if (mine.size() <= 0) return;
  auto* out = context.own_block(collect.out);
  const auto filled = common(mine, {0, lists.back().last});  // all of it, because the notebook has counted
  std::memset(out + filled.size() * out_item, 0,
              static_cast<std::size_t>((mine.size() - filled.size()) * out_item));
  for (int r = 0; r < context.ranks(); ++r) {
    const auto& list = lists[static_cast<std::size_t>(r)];
    const auto part = common(mine, list);
    if (part.size() <= 0) continue;
    const std::byte* source = context.is_near(r)
                                  ? context.block(collect.find.lists, r) + (part.first - list.first) * item
                                  : mail.at(r).data();
    copy_part(context, collect.find, r, source, part.size(), out + (part.first - mine.first) * out_item);
    if (r != context.rank())
      context.counters().bytes_shared += static_cast<std::uint64_t>(part.size() * item);
    context.progress();
  }
}

}  // namespace gamelan::engine::steps
