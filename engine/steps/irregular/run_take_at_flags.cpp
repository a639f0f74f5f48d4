// SPDX-License-Identifier: BSD-3-Clause
// x[mask], rows of x by a row of flags, where the ranks share the memory of one node: each rank finds by the
// counts where its block of the result begins, and reads flags and rows from there on where they lie. So
// ranks do equal parts, however the true flags lie. Without an x the result are the positions of what is
// true.
#include <algorithm>

#include "engine/steps/irregular/flag_counts.hpp"
#include "engine/steps/irregular/flagged_rows.hpp"
#include "engine/steps/irregular/segments.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

class FlagTaker {
 public:
  FlagTaker(const StepContext& context, const plan::TakeAtFlags& take, distribution::Box box)
      : context_(context),
        take_(take),
        box_(std::move(box)),
        item_(static_cast<std::int64_t>(protocol::size_of(context.info(take.out).dtype))),
        length_(take.flags.placement.iterations.axes[0].extent),
        strides_(
            protocol::contiguous_strides(distribution::extents_of(box_), static_cast<std::size_t>(item_))),
        flags_(context, take.flags, protocol::Dtype::bool_, protocol::Dtype::bool_) {
    first_ = FlagCounts(context, take.counts, take.flags).position_after(box_[0].first);
  }

  void run() {
    auto taken = box_[0].size();
    if (!take_.source)
      taken = take_positions();
    else
      for (const auto& part : rows_along(context_, *take_.source, box_, 0))
        taken = std::min(taken, take_part(part));
    // There are as many, because the notebook has counted. Nothing is left to chance all the same.
    std::memset(context_.own_block(take_.out) + taken * strides_[0], 0,
                static_cast<std::size_t>((box_[0].size() - taken) * strides_[0]));
    context_.counters().bytes_shared += static_cast<std::uint64_t>(shared_ * item_);
  }

 private:
  /// Calls take_chunk(at, count, flags, done) for chunks of the flags in an interval, until the rows of this
  /// rank are full. It returns how many rows there are then; so does this.
  template <class TakeChunk>
  std::int64_t take_chunks(std::int64_t first, std::int64_t last, std::int64_t done, TakeChunk take_chunk) {
    for (auto at = std::max(first, first_); at < last && done < box_[0].size(); at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, last - at);
      done = take_chunk(at, count, flags_.read_as<unsigned char>(at, count), done);
    }
    return done;
  }

  std::int64_t take_positions() {
    auto* out = reinterpret_cast<std::int64_t*>(context_.own_block(take_.out));
    return take_chunks(0, length_, 0, [&](auto at, auto count, const auto* flags, auto done) {
      return append_true(
          flags, count, [at](std::int64_t i) { return at + i; }, out, done, box_[0].size());
    });
  }

  /// Returns how many rows of the part were found.
  std::int64_t take_part(const RowPart& part) {
    Shape extents;
    std::byte* out = context_.own_block(take_.out);
    for (std::size_t k = 1; k < box_.size(); ++k) {
      extents.push_back(part.box[k].size());
      out += (part.box[k].first - box_[k].first) * strides_[k];
    }
    const auto elements = protocol::element_count(extents);
    const RowsTo list{out, strides_[0], strides_.data() + 1};
    std::int64_t done = 0;
    for (std::size_t s = 0; s < part.segments.size(); ++s) {
      const auto& segment = part.segments[s];
      const auto last = s + 1 < part.segments.size() ? part.segments[s + 1].first : length_;
      const auto before = done;
      if (strides_[0] == item_)
        with_item(static_cast<std::size_t>(item_),
                  [&]<class Element>(Element) { done = take_elements<Element>(segment, last, done); });
      else
        done = take_rows(segment, last, extents, list, done);
      if (segment.is_remote) shared_ += (done - before) * elements;
    }
    return done;
  }

  /// Rows of one element, straight to their places.
  template <class Element>
  std::int64_t take_elements(const Segment& segment, std::int64_t last, std::int64_t done) {
    auto* out = reinterpret_cast<Element*>(context_.own_block(take_.out));
    const auto stride = segment.stride;
    return take_chunks(segment.first, last, done, [&](auto at, auto count, const auto* flags, auto before) {
      const auto* from = segment.origin + at * stride;
      const auto append = [&](auto element_at) {
        return append_true(flags, count, element_at, out, before, box_[0].size());
      };
      if (stride == sizeof(Element))
        return append([from](std::int64_t i) { return reinterpret_cast<const Element*>(from)[i]; });
      return append(
          [from, stride](std::int64_t i) { return *reinterpret_cast<const Element*>(from + i * stride); });
    });
  }

  std::int64_t take_rows(const Segment& segment, std::int64_t last, const Shape& extents, const RowsTo& list,
                         std::int64_t done) {
    const RowCopier copier(extents, item_);
    return take_chunks(segment.first, last, done, [&](auto at, auto count, const auto* flags, auto before) {
      const RowsFrom rows{segment.origin + at * segment.stride, segment.stride, segment.strides.data() + 1};
      RowsTo rest = list;
      rest.first = list.row(before);
      return before + copier.take(flags, count, rows, rest, box_[0].size() - before);
    });
  }

  const StepContext& context_;
  const plan::TakeAtFlags& take_;
  distribution::Box box_;
  std::int64_t item_, length_, first_ = 0, shared_ = 0;
  Shape strides_;  // of this rank's block of the result
  Stream flags_;
};

}  // namespace

void run(const StepContext& context, const plan::TakeAtFlags& take) {
  const auto& layout = context.info(take.out).layout;
  if (!layout.takes_part(context.rank())) return;
  auto box = layout.box(context.rank());
  if (distribution::is_empty(box)) return;
  FlagTaker(context, take, std::move(box)).run();
}

}  // namespace gamelan::engine::steps
