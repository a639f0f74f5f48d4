// SPDX-License-Identifier: BSD-3-Clause
// nonzero: every rank lists the positions at which its share of a row of flags is true; the lists, one after
// another, are the result. Its owners copy their intervals out of them: of ranks on this node from where they
// lie, of others by one swap, because the lengths of the lists say which parts each rank needs.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "engine/steps/irregular/stream.hpp"
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

template <class Position>
void find_in_share(const StepContext& context, const plan::Find& find) {
  auto* list = reinterpret_cast<Position*>(context.own_block(find.lists));
  std::int64_t length = 0;
  Stream flags(context, find.flags, protocol::Dtype::bool_, protocol::Dtype::bool_);
  const auto first = std::min(find.count, find.share * context.rank()),
             last = std::min(find.count, first + find.share);
  for (auto at = first; at < last; at += Stream::chunk) {
    const auto count = std::min(Stream::chunk, last - at);
    const auto* flag = flags.read_as<unsigned char>(at, count);
    for (std::int64_t i = 0; i < count && length < find.room;
         ++i) {  // no branch on the flag: it may be random
      list[length] = static_cast<Position>(at - first + i);
      length += flag[i] != 0;
    }
  }
  *reinterpret_cast<std::int64_t*>(context.own_block(find.lengths)) = length;
}

template <class Position>
void collect_lists(const StepContext& context, const plan::Collect& collect) {
  constexpr std::int64_t item = sizeof(Position);
  const auto lists = intervals_of(context, collect);
  Mail mail;
  if (context.ghost_exchange())
    mail = swap_lists(context, collect, lists[static_cast<std::size_t>(context.rank())], item);
  const auto mine = wanted_by(context.info(collect.out).layout, context.rank());
  if (mine.size() <= 0) return;
  auto* out = reinterpret_cast<std::int64_t*>(context.own_block(collect.out));
  const auto filled = common(mine, {0, lists.back().last});  // all of it, because the notebook has counted
  std::fill_n(out + filled.size(), mine.size() - filled.size(), 0);
  for (int r = 0; r < context.ranks(); ++r) {
    const auto& list = lists[static_cast<std::size_t>(r)];
    const auto part = common(mine, list);
    if (part.size() <= 0) continue;
    const std::byte* source = context.is_near(r)
                                  ? context.block(collect.find.lists, r) + (part.first - list.first) * item
                                  : mail.at(r).data();
    const auto* position = reinterpret_cast<const Position*>(source);
    const auto share = std::min(collect.find.count, collect.find.share * r);
    std::transform(position, position + part.size(), out + (part.first - mine.first),
                   [share](Position each) { return share + static_cast<std::int64_t>(each); });
    if (r != context.rank())
      context.counters().bytes_shared += static_cast<std::uint64_t>(part.size() * item);
    context.progress();
  }
}

}  // namespace

void run(const StepContext& context, const plan::Find& find) {
  with_position(context, find, [&]<class Position>(Position) { find_in_share<Position>(context, find); });
}

void run(const StepContext& context, const plan::Collect& collect) {
  with_position(context, collect.find,
                [&]<class Position>(Position) { collect_lists<Position>(context, collect); });
}

}  // namespace gamelan::engine::steps
