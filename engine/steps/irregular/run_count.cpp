// SPDX-License-Identifier: BSD-3-Clause
// bincount and histogram: each rank counts its elements in a table of its own; the owner of a bin adds the
// tables. Integers add exactly, so the result does not depend on which rank counts what.
#include <algorithm>
#include <vector>

#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t most_replicated_bins = 8192;
constexpr std::size_t replicas =
    4;  // of a small table: equal neighbours then do not wait for each other's increment

class Table {
 public:
  Table(std::int64_t* counts, std::int64_t bins) : counts_(counts), bins_(bins) {
    std::fill_n(counts, bins, 0);
    if (bins <= most_replicated_bins) copies_.assign(static_cast<std::size_t>(bins) * (replicas - 1), 0);
    for (std::size_t k = 0; k < replicas; ++k)
      table_[k] =
          k == 0 || copies_.empty() ? counts : copies_.data() + static_cast<std::size_t>(bins) * (k - 1);
  }

  void add_all(const std::int64_t* bin, std::int64_t count) {
    const auto bins = static_cast<std::uint64_t>(bins_);
    for (std::int64_t i = 0; i < count; ++i)
      if (static_cast<std::uint64_t>(bin[i]) < bins) ++table_[static_cast<std::size_t>(i) % replicas][bin[i]];
  }
  void finish() {
    for (std::size_t i = 0; i < copies_.size(); ++i)
      counts_[i % static_cast<std::size_t>(bins_)] += copies_[i];
  }

 private:
  std::int64_t* counts_;
  std::int64_t bins_;
  std::vector<std::int64_t> copies_;
  std::int64_t* table_[replicas];
};

/// Finds the bin of a number exactly as the edges say. Division gives a guess that is off by one at most, as
/// in NumPy.
class Edges {
 public:
  Edges(const StepContext& context, const plan::Operand& edges, std::int64_t bins) : bins_(bins) {
    Stream stream(context, edges, protocol::Dtype::float64, protocol::Dtype::float64);
    for (std::int64_t at = 0; at <= bins; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, bins + 1 - at);
      const auto* values = stream.read_as<double>(at, count);
      edges_.insert(edges_.end(), values, values + count);
    }
    scale_ = static_cast<double>(bins) / (edges_.back() - edges_.front());
  }

  /// -1 for a number outside.
  std::int64_t find(double x) const {
    if (!(x >= edges_.front() && x <= edges_.back())) return -1;
    auto bin =
        std::clamp<std::int64_t>(static_cast<std::int64_t>((x - edges_.front()) * scale_), 0, bins_ - 1);
    bin -= x < edges_[static_cast<std::size_t>(bin)];
    return bin + (bin + 1 < bins_ && x >= edges_[static_cast<std::size_t>(bin + 1)]);
  }

 private:
  std::int64_t bins_;
  std::vector<double> edges_;
  double scale_;
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
    std::vector<std::int64_t> bin(static_cast<std::size_t>(Stream::chunk));
    for_each_own<double>(context, count, protocol::Dtype::float64,
                         [&](const double* values, std::int64_t some) {
                           for (std::int64_t i = 0; i < some; ++i)
                             bin[static_cast<std::size_t>(i)] = edges.find(values[i]);
                           table.add_all(bin.data(), some);
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
