// SPDX-License-Identifier: BSD-3-Clause
// put through a row of flags, where the ranks share the memory of one node: every rank counts the flags
// beside its own elements of the target; the values that it writes follow those of the elements before.
#include <algorithm>
#include <array>
#include <iterator>

#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/irregular/true_flags.hpp"
#include "engine/steps/item.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Interval;
using protocol::Dtype;

Interval interval_of(const distribution::Layout& layout, int rank) {
  return layout.takes_part(rank) ? layout.box(rank)[0] : Interval{0, 0};
}

std::int64_t count_true(const unsigned char* flag, std::int64_t count) {
  return count - std::count(flag, flag + count, 0);
}

/// Calls visit(first, count, flags) for the chunks of an interval.
template <class Visit>
void for_each_chunk(Stream& flags, const Interval& interval, Visit visit) {
  for (auto at = interval.first; at < interval.last; at += Stream::chunk) {
    const auto count = std::min(Stream::chunk, interval.last - at);
    visit(at, count, flags.read_as<unsigned char>(at, count));
  }
}

/// How many values belong to the elements before `mine`. A replica of the target is written from the first
/// on.
std::int64_t values_before(const StepContext& context, const plan::PutAtFlags& put, const Interval& mine) {
  Stream lengths(context, put.lengths, Dtype::int64, Dtype::int64);
  std::int64_t before = 0;
  for (int r = 0; r < context.ranks(); ++r) {
    const auto other = interval_of(put.target.placement.iterations, r);
    if (other.size() > 0 && other.last <= mine.first) before += *lengths.read_as<std::int64_t>(r, 1);
  }
  return before;
}

/// Writes values, one after another, where the flags are true; at most `picked`.
template <class Element>
void write_chunk(const unsigned char* flags, std::int64_t count, const Element* values, std::int64_t picked,
                 std::byte* to, std::int64_t stride) {
  constexpr std::int64_t block = 64;
  std::array<std::int64_t, block + flags_at_once> places;
  for (std::int64_t first = 0; first < count && picked > 0; first += block) {
    const auto place_of = [&](std::int64_t i) { return (first + i) * stride; };
    const auto found = append_true(flags + first, std::min(block, count - first), place_of, places.data(), 0,
                                   std::ssize(places));
    const auto written = std::min(found, picked);
    for (std::int64_t k = 0; k < written; ++k)
      *reinterpret_cast<Element*>(to + places[static_cast<std::size_t>(k)]) = values[k];
    values += written;
    picked -= written;
  }
}

}  // namespace

void run(const StepContext& context, const plan::CountFlags& count) {
  Stream flags(context, count.flags, Dtype::bool_, Dtype::bool_);
  std::int64_t length = 0;
  for_each_chunk(flags, interval_of(count.target, context.rank()),
                 [&](std::int64_t, std::int64_t chunk, const unsigned char* flag) {
                   length += count_true(flag, chunk);
                 });
  *reinterpret_cast<std::int64_t*>(context.own_block(count.lengths)) = length;
}

void run(const StepContext& context, const plan::PutAtFlags& put) {
  const auto mine = interval_of(put.target.placement.iterations, context.rank());
  if (mine.size() <= 0) return;
  const auto piece = distribution::locate(put.target.placement, {mine.first}, context.rank());
  std::byte* const to = context.address(put.target, piece);
  const auto stride = piece.strides[0];
  const auto values_in_all = put.values.placement.iterations.axes[0].extent;
  auto next = values_before(context, put, mine);
  Stream flags(context, put.flags, Dtype::bool_, Dtype::bool_);
  Stream values(context, put.values, put.dtype, put.dtype);
  with_item(protocol::size_of(put.dtype), [&]<class Element>(Element) {
    for_each_chunk(flags, mine, [&](std::int64_t first, std::int64_t count, const unsigned char* flag) {
      // The notebook has counted: there are as many values. Nothing is read behind them all the same.
      const auto picked = std::min(count_true(flag, count), values_in_all - next);
      if (picked <= 0) return;
      write_chunk(flag, count, values.read_as<Element>(next, picked), picked,
                  to + (first - mine.first) * stride, stride);
      next += picked;
    });
  });
}

}  // namespace gamelan::engine::steps
