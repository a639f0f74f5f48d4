// SPDX-License-Identifier: BSD-3-Clause
// accumulate. A row is cut into reduction blocks: each is folded, then each is scanned from where the ones
// before it end (Blelloch 1990). Arrays of more dimensions are scanned line by line, where each line lies
// with one rank.
#include <algorithm>
#include <vector>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/tiles/loops/scan.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

constexpr std::int64_t together =
    16384;  // elements that are read at a time: some reduction blocks side by side, in the caches
constexpr std::int64_t slab_bytes = 1 << 18;
constexpr std::int64_t lines_abreast = 4;  // that a vector computes (scan_loops.cpp)

/// Calls visit(data, first reduction block, reduction blocks, elements of each) for the reduction blocks of
/// this rank; a last one may be shorter.
template <class Visit>
void for_each_blocks(const StepContext& context, const plan::Scan& scan, const distribution::Interval& mine,
                     Visit visit) {
  Stream input(context, scan.input, scan.input_dtype, scan.loop, together);
  const auto whole = together / scan.block_length * scan.block_length;
  for (auto at = mine.first; at < mine.last;) {
    auto count = std::min(whole, mine.last - at);
    if (count > scan.block_length) count -= count % scan.block_length;
    visit(input.read(at, count), at / scan.block_length, std::max<std::int64_t>(count / scan.block_length, 1),
          std::min(count, scan.block_length));
    at += count;
  }
}

/// Where reduction blocks start: the fold of all before them, from the left.
class Starts {
 public:
  Starts(const plan::Scan& scan)
      : scan_(scan), item_(protocol::size_of(scan.loop)), loop_(tiles::find_loop(scan.op, scan.loop)) {}

  /// Adds the totals of the next reduction blocks. Afterwards data() holds where each of them starts (nothing
  /// for reduction block 0).
  void advance(const std::byte* totals, std::int64_t blocks) {
    starts_.resize(static_cast<std::size_t>(blocks) * item_);
    for (std::size_t q = 0; q < static_cast<std::size_t>(blocks); ++q) {
      std::copy_n(next_, item_, starts_.data() + q * item_);
      const std::byte* total = totals + q * item_;
      if (is_first_) {
        std::copy_n(total, item_, next_);
      } else {
        const void* operands[] = {next_, total};
        loop_(operands, next_, 1, nullptr);
      }
      is_first_ = false;
    }
  }
  const std::byte* data() const { return starts_.data(); }

 private:
  const plan::Scan& scan_;
  std::size_t item_;
  tiles::Loop loop_;
  bool is_first_ = true;
  alignas(16) std::byte next_[16];
  std::vector<std::byte> starts_;
};

void scan_by_blocks(const StepContext& context, const plan::Scan& scan, const distribution::Interval& mine) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(scan.loop));
  std::byte* out = context.own_block(scan.out);
  Starts starts(scan);
  const bool has_totals = scan.totals.slot >= 0;
  std::optional<Stream> totals;
  if (has_totals) {
    totals.emplace(context, scan.totals, scan.loop, scan.loop);
    const auto first = mine.first / scan.block_length;
    for (std::int64_t q = 0; q < first; q += Stream::chunk) {
      const auto blocks = std::min(Stream::chunk, first - q);
      starts.advance(totals->read(q, blocks), blocks);
    }
  }
  std::vector<std::byte> folds;
  for_each_blocks(
      context, scan, mine,
      [&](const std::byte* data, std::int64_t block, std::int64_t blocks, std::int64_t length) {
        if (has_totals) {
          for (std::int64_t done = 0; done < blocks;) {  // as many as the totals come in one piece
            const auto some = std::min(blocks - done, Stream::chunk);
            starts.advance(totals->read(block + done, some), some);
            const auto skipped = block + done == 0 ? 1 : 0;  // nothing comes before the first reduction block
            const auto bytes = length * item;
            if (skipped) tiles::scan_lines(scan.op, scan.loop, data, 1, length, nullptr, out);
            tiles::scan_lines(scan.op, scan.loop, data + (done + skipped) * bytes, some - skipped, length,
                              starts.data() + skipped * item, out + (done + skipped) * bytes);
            done += some;
          }
        } else {
          folds.resize(static_cast<std::size_t>(blocks * item));
          tiles::fold_lines(scan.op, scan.loop, data, blocks, length, folds.data());
          starts.advance(folds.data(), blocks);
          const auto skipped = block == 0 ? 1 : 0;
          if (skipped) tiles::scan_lines(scan.op, scan.loop, data, 1, length, nullptr, out);
          tiles::scan_lines(scan.op, scan.loop, data + skipped * length * item, blocks - skipped, length,
                            starts.data() + skipped * item, out + skipped * length * item);
        }
        out += blocks * length * item;
      });
}

bool is_associative(const plan::Scan& scan) {
  return (protocol::info(scan.op).traits & protocol::associative) != 0;
}

/// Scans lines that lie in the block, in place: `before` lines of `length` rows of `inner` elements.
void scan_in_place(const plan::Scan& scan, std::byte* data, std::int64_t before, std::int64_t length,
                   std::int64_t inner, bool continues) {
  const auto row_bytes = inner * static_cast<std::int64_t>(protocol::size_of(scan.loop));
  if (inner == 1 && !continues && is_associative(scan))
    return tiles::scan_lines(scan.op, scan.loop, data, before, length, nullptr, data);
  const auto loop = tiles::find_loop(scan.op, scan.loop);
  for (std::int64_t line = 0; line < before; ++line, data += length * row_bytes)
    for (std::int64_t i = continues ? 0 : 1; i < length; ++i) {
      const void* operands[] = {data + (i - 1) * row_bytes, data + i * row_bytes};
      loop(operands, data + i * row_bytes, static_cast<std::size_t>(inner), nullptr);
    }
}

/// Where the elements of a box lie as they would lie in the result; null where they do not.
const std::byte* in_place(const StepContext& context, const plan::Scan& scan, const distribution::Box& box,
                          const Shape& strides) {
  if (scan.input_dtype != scan.loop) return nullptr;
  const std::byte* data = nullptr;
  const distribution::Placement* placement = &scan.input.placement;
  distribution::for_each_cell(
      box, {&placement, 1}, context.rank(),
      [&](const distribution::Box& cell, std::span<const distribution::Piece> pieces) {
        if (cell == box && pieces[0].owner == context.rank() && pieces[0].strides == strides)
          data = context.address(scan.input, pieces[0]);
      });
  return data;
}

/// The block in slabs along its first axis: copied and cast, unless lines can be read where they lie, then
/// scanned while they are in the cache.
void scan_block(const StepContext& context, const plan::Scan& scan, const distribution::Box& mine) {
  Shape extents;
  for (const auto& interval : mine) extents.push_back(interval.size());
  const auto strides = protocol::contiguous_strides(extents, protocol::size_of(scan.loop));
  std::int64_t before = 1, inner = 1;
  for (std::size_t k = 1; k < scan.axis; ++k) before *= extents[k];
  for (std::size_t k = scan.axis + 1; k < extents.size(); ++k) inner *= extents[k];
  auto slab = std::max<std::int64_t>(slab_bytes / strides[0], 1);
  if (slab > lines_abreast) slab -= slab % lines_abreast;
  const bool are_lines = scan.axis > 0 && inner == 1 && is_associative(scan);
  for (auto at = mine[0].first; at < mine[0].last; at += slab) {
    distribution::Box box = mine;
    box[0] = {at, std::min(at + slab, mine[0].last)};
    std::byte* to = context.own_block(scan.out) + (at - mine[0].first) * strides[0];
    if (const auto* from = are_lines ? in_place(context, scan, box, strides) : nullptr) {
      tiles::scan_lines(scan.op, scan.loop, from, box[0].size() * before, extents[scan.axis], nullptr, to);
      context.progress();
      continue;
    }
    copy_operand(context, scan.input, scan.input_dtype, scan.loop, box, to, strides);
    if (scan.axis == 0)
      scan_in_place(scan, to, 1, box[0].size(), inner, at > mine[0].first);
    else
      scan_in_place(scan, to, box[0].size() * before, extents[scan.axis], inner, false);
    context.progress();
  }
}

}  // namespace

void run(const StepContext& context, const plan::ScanTotals& totals) {
  if (!totals.layout.takes_part(context.rank())) return;
  const auto item = static_cast<std::int64_t>(protocol::size_of(totals.scan.loop));
  std::byte* out = context.own_block(totals.totals);
  for_each_blocks(context, totals.scan, totals.layout.box(context.rank())[0],
                  [&](const std::byte* data, std::int64_t, std::int64_t blocks, std::int64_t length) {
                    tiles::fold_lines(totals.scan.op, totals.scan.loop, data, blocks, length, out);
                    out += blocks * item;
                  });
}

void run(const StepContext& context, const plan::Scan& scan) {
  const auto& layout = context.info(scan.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (is_empty(mine)) return;
  scan.block_length > 0 ? scan_by_blocks(context, scan, mine[0]) : scan_block(context, scan, mine);
}

}  // namespace gamelan::engine::steps
