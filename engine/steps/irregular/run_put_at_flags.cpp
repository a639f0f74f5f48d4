// SPDX-License-Identifier: BSD-3-Clause
// put through a row of flags: every rank reads the flags beside its own rows of the target. Values that are
// one for each true flag follow those of the rows before, which are counted; then the ranks share the memory
// of one node. A number or a row that all get needs no count.
#include <algorithm>
#include <limits>

#include "engine/steps/irregular/flag_counts.hpp"
#include "engine/steps/irregular/flagged_rows.hpp"
#include "engine/steps/irregular/segments.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

class FlagPutter {
 public:
  FlagPutter(const StepContext& context, const plan::PutAtFlags& put, distribution::Box mine)
      : context_(context),
        put_(put),
        mine_(std::move(mine)),
        item_(static_cast<std::int64_t>(protocol::size_of(put.dtype))),
        flags_(context, put.flags, protocol::Dtype::bool_, protocol::Dtype::bool_) {}

  void run() {
    if (put_.number) return put_number();
    const auto parts = rows_along(context_, put_.values, mine_, 0);
    if (!put_.counts) {
      for (const auto& part : parts) {
        const auto& segment = part.segments.front();
        put_part(part.box, {segment.origin, 0, segment.strides.data() + 1});
      }
      return;
    }
    const auto before = FlagCounts(context_, *put_.counts, put_.flags).before(mine_[0].first);
    for (const auto& part : parts) put_values(part, before);
  }

 private:
  /// Calls put_chunk(at, count, flags) for chunks of the flags of this rank's rows.
  template <class PutChunk>
  void for_each_chunk(PutChunk put_chunk) {
    for (auto at = mine_[0].first; at < mine_[0].last; at += Stream::chunk) {
      const auto count = std::min(Stream::chunk, mine_[0].last - at);
      put_chunk(at, count, flags_.read_as<unsigned char>(at, count));
    }
  }

  /// The rows of the target in a box of the other axes, from the rank's first row on.
  distribution::Piece piece_of(const distribution::Box& box) const {
    Shape index{mine_[0].first};
    for (std::size_t k = 1; k < box.size(); ++k) index.push_back(box[k].first);
    return distribution::locate(put_.target.placement, index, context_.rank());
  }
  RowsTo rows_from(const distribution::Piece& piece, std::int64_t at) const {
    return {context_.address(put_.target, piece) + (at - mine_[0].first) * piece.strides[0], piece.strides[0],
            piece.strides.data() + 1};
  }
  static Shape extents_of_row(const distribution::Box& box) {
    auto extents = distribution::extents_of(box);
    extents.erase(extents.begin());
    return extents;
  }

  /// The same row, or number, to every row.
  void put_part(const distribution::Box& box, const RowsFrom& row) {
    const auto piece = piece_of(box);
    const auto extents = extents_of_row(box);
    const RowCopier copier(extents, item_);
    for_each_chunk([&](std::int64_t at, std::int64_t count, const unsigned char* flags) {
      copier.put(flags, count, row, rows_from(piece, at), count);
    });
  }

  /// Short rows are written whole, as if the number were a row.
  void put_number() {
    const auto extents = extents_of_row(mine_);
    const auto elements = protocol::element_count(extents);
    constexpr std::int64_t longest = 1024;
    const auto* number = put_.number->bytes.data();
    if (elements > longest) {
      const Shape zeros(extents.size(), 0);
      return put_part(mine_, {number, 0, zeros.data()});
    }
    std::vector<std::byte> row(static_cast<std::size_t>(elements * item_));
    for (std::int64_t i = 0; i < elements; ++i)
      std::memcpy(row.data() + i * item_, number, static_cast<std::size_t>(item_));
    const auto strides = protocol::contiguous_strides(extents, static_cast<std::size_t>(item_));
    put_part(mine_, {row.data(), 0, strides.data()});
  }

  /// Values one after another, of which `next` belong to ranks before. No more are read than there are,
  /// whatever the flags say.
  void put_values(const RowPart& part, std::int64_t next) {
    const auto piece = piece_of(part.box);
    const auto extents = extents_of_row(part.box);
    const RowCopier copier(extents, item_);
    const auto values_in_all = put_.values.placement.iterations.axes[0].extent;
    std::size_t s = 0;
    for_each_chunk([&](std::int64_t at, std::int64_t count, const unsigned char* flags) {
      auto rows = rows_from(piece, at);
      while (next < values_in_all && count > 0) {
        while (s + 1 < part.segments.size() && part.segments[s + 1].first <= next) ++s;
        const auto& segment = part.segments[s];
        const auto last = s + 1 < part.segments.size() ? part.segments[s + 1].first : values_in_all;
        const RowsFrom list{segment.origin + next * segment.stride, segment.stride,
                            segment.strides.data() + 1};
        const auto done = copier.put(flags, count, list, rows, last - next);
        if (segment.is_remote)
          context_.counters().bytes_shared +=
              static_cast<std::uint64_t>(done * protocol::element_count(extents) * item_);
        next += done;
        if (next < last) return;
        // The values go on in another block: so do the flags, behind the one that got the last value.
        std::int64_t passed = 0;
        for (std::int64_t left = done; left > 0; ++passed) left -= flags[passed] != 0;
        flags += passed;
        count -= passed;
        rows.first = rows.row(passed);
      }
    });
  }

  const StepContext& context_;
  const plan::PutAtFlags& put_;
  distribution::Box mine_;
  std::int64_t item_;
  Stream flags_;
};

}  // namespace

void run(const StepContext& context, const plan::PutAtFlags& put) {
  const auto& layout = put.target.placement.iterations;
  if (!layout.takes_part(context.rank())) return;
  auto mine = layout.box(context.rank());
  if (distribution::is_empty(mine)) return;
  FlagPutter(context, put, std::move(mine)).run();
}

}  // namespace gamelan::engine::steps
