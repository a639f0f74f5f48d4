// SPDX-License-Identifier: BSD-3-Clause
// bincount and histogram: each rank counts its elements in a table of its own; the owner of a bin adds the
// tables. Integers add exactly, so the result does not depend on which rank counts what.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/tiles/loops/even_bins.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t most_replicated_bins = 8192;
constexpr std::size_t replicas =
    4;  // of a small table: equal neighbours then do not wait for each other's increment

class Table {
 public:
  Table(std::int64_t* counts, std::int64_t bins) : counts_(counts), bins_(bins) {
    std::fill_n(counts, bins, 0);
    if (bins <= most_replicated_bins) copies_.assign(static_cast<std::size_t>(bins + 1) * replicas, 0);
  }

  /// Numbers that are no bin are left out.
  template <class Number>
  void add_all(const Number* bin, std::int64_t count) {
    const auto bins = static_cast<std::uint64_t>(bins_);
    if (copies_.empty()) {
      for (std::int64_t i = 0; i < count; ++i)
        if (static_cast<std::uint64_t>(bin[i]) < bins) ++counts_[bin[i]];
      return;
    }
    auto* const copies = copies_.data();
    const auto add = [&](std::int64_t i, std::size_t replica) {  // the last element is for what is left out
      ++copies[std::min(static_cast<std::uint64_t>(bin[i]), bins) + replica * (bins + 1)];
    };
    std::int64_t i = 0;
    for (; i + static_cast<std::int64_t>(replicas) <= count; i += replicas)
      for (std::size_t k = 0; k < replicas; ++k) add(i + static_cast<std::int64_t>(k), k);
    for (; i < count; ++i) add(i, 0);
  }
  void finish() {
    for (std::size_t i = 0; i < copies_.size(); ++i)
      if (const auto bin = static_cast<std::int64_t>(i) % (bins_ + 1); bin < bins_)
        counts_[bin] += copies_[i];
  }

 private:
  std::int64_t* counts_;
  std::int64_t bins_;
  std::vector<std::int64_t> copies_;
};

/// Finds the bins of numbers exactly as the edges say. Division gives a guess that is off by one at most, as
/// in NumPy; where edges lie where they should, a guess that is not near an edge is right.
class Edges {
 public:
  static constexpr std::int64_t most = 128;  ///< numbers at once

  Edges(const StepContext& context, const plan::Operand& edges, std::int64_t bins) : bins_(bins) {
    Stream stream(context, edges, protocol::Dtype::float64, protocol::Dtype::float64);
    for (std::int64_t at = 0; at <= bins; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, bins + 1 - at);
      const auto* values = stream.read_as<double>(at, count);
      edges_.insert(edges_.end(), values, values + count);
    }
    last_ = edges_.back();
    scale_ = static_cast<double>(bins) / (last_ - edges_.front());
    const tiles::EvenBins even{edges_.front(), scale_, static_cast<std::int32_t>(bins)};
    const auto is_even = [&](std::int64_t k) {  // places rise with numbers, however they are rounded
      return std::abs(even.place(edges_[static_cast<std::size_t>(k)]) - static_cast<double>(k)) <
             tiles::EvenBins::near_an_edge / 2;
    };
    std::int64_t k = 0;
    while (k <= bins && is_even(k)) ++k;
    if (k > bins && bins <= most_replicated_bins) even_ = even;
    edges_.back() = std::numeric_limits<double>::infinity();  // the last bin has both its edges
  }

  /// Calls visit(bins) with those of at most `most` numbers, `bins` for one that is outside.
  template <class Visit>
  void with_bins(const double* numbers, std::int64_t count, Visit visit) const {
    std::int32_t whole[most];
    if (even_ && loop_(*even_, numbers, count, whole)) return visit(whole);
    std::int64_t bin[most];
    find(numbers, count, bin);
    visit(bin);
  }

 private:
  /// Writes the bin of each number, `bins` for one that is outside. There is no branch that depends on the
  /// numbers.
  [[gnu::noinline]] void find(const double* numbers, std::int64_t count, std::int64_t* bin) const {
    const double* edges = edges_.data();
    const double first = edges[0], last = last_, scale = scale_, greatest = static_cast<double>(bins_ - 1);
    const auto outside = bins_;
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = numbers[i];
      double guess = (x - first) * scale;
      guess = guess > 0 ? guess : 0;  // also of NaN
      guess = guess < greatest ? guess : greatest;
      auto b = static_cast<std::int64_t>(guess);
      const double low = edges[b], high = edges[b + 1];
      b += static_cast<std::int64_t>(x >= high) - static_cast<std::int64_t>(x < low);
      bin[i] = (x >= first) & (x <= last) ? b : outside;
    }
  }

  std::int64_t bins_;
  std::vector<double> edges_;
  double last_, scale_;
  std::optional<tiles::EvenBins> even_;
  tiles::EvenBinLoop loop_ = tiles::even_bin_loop();
};

/// Calls visit(address, elements, stride) for rows of a strided box, as long as they come.
template <class Visit>
void for_each_run(const protocol::Shape& extents, const protocol::Shape& strides, const std::byte* data,
                  Visit visit) {
  std::size_t dims = extents.size();
  std::int64_t run = 1, stride = 0;
  if (dims > 0) {
    run = extents[dims - 1];
    stride = strides[dims - 1];
    --dims;
    for (; dims > 0 && strides[dims - 1] == run * stride; --dims) run *= extents[dims - 1];
  }
  protocol::Shape index(dims, 0);
  while (true) {
    visit(data, run, stride);
    std::size_t k = dims;
    while (k > 0) {
      data += strides[k - 1];
      if (++index[k - 1] < extents[k - 1]) break;
      data -= extents[k - 1] * strides[k - 1];
      index[--k] = 0;
    }
    if (k == 0) return;
  }
}

/// The elements that lie with this rank, cast, in pieces of a chunk at most.
template <class T, class Visit>
void for_each_own(const StepContext& context, const plan::Count& count, protocol::Dtype as, Visit visit) {
  const auto& layout = count.input.placement.iterations;
  if (layout.is_replicated ? context.rank() != 0 : !layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (is_empty(mine)) return;
  protocol::Shape first, extents;
  for (const auto& interval : mine) {
    first.push_back(interval.first);
    extents.push_back(interval.size());
  }
  const auto piece = distribution::locate(count.input.placement, first, context.rank());
  const auto cast = tiles::find_cast(count.dtype, as);
  std::vector<T> buffer(static_cast<std::size_t>(Stream::chunk));
  for_each_run(extents, piece.strides, context.address(count.input, piece),
               [&](const std::byte* data, std::int64_t run, std::int64_t stride) {
                 for (std::int64_t done = 0; done < run; done += Stream::chunk) {
                   const auto some = std::min(Stream::chunk, run - done);
                   const bool is_ready = count.dtype == as && stride == static_cast<std::int64_t>(sizeof(T));
                   if (!is_ready)
                     cast(data + done * stride, stride, reinterpret_cast<std::byte*>(buffer.data()),
                          sizeof(T), static_cast<std::size_t>(some));
                   visit(is_ready ? reinterpret_cast<const T*>(data + done * stride) : buffer.data(), some);
                   context.progress();
                 }
               });
}

}  // namespace

void run(const StepContext& context, const plan::Count& count) {
  Table table(reinterpret_cast<std::int64_t*>(context.own_block(count.counts)), count.bins);
  if (!count.edges) {
    for_each_own<std::int64_t>(context, count, protocol::Dtype::int64,
                               [&](const std::int64_t* bin, std::int64_t some) { table.add_all(bin, some); });
  } else {
    const Edges edges(context, *count.edges, count.bins);
    for_each_own<double>(
        context, count, protocol::Dtype::float64, [&](const double* numbers, std::int64_t some) {
          for (std::int64_t at = 0; at < some; at += Edges::most) {
            const auto few = std::min(Edges::most, some - at);
            edges.with_bins(numbers + at, few, [&](const auto* bin) { table.add_all(bin, few); });
          }
        });
  }
  table.finish();
}

void run(const StepContext& context, const plan::AddCounts& add) {
  const auto& layout = context.info(add.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank())[0];
  auto* out = reinterpret_cast<std::int64_t*>(context.own_block(add.out));
  std::fill_n(out, mine.size(), 0);
  for (int r = 0; r < add.ranks; ++r) {
    const auto* counts = reinterpret_cast<const std::int64_t*>(context.block(add.counts, r)) + mine.first;
    for (std::int64_t b = 0; b < mine.size(); ++b) out[b] += counts[b];
    context.progress();
  }
}

}  // namespace gamelan::engine::steps
