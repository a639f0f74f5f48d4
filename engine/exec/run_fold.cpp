// SPDX-License-Identifier: BSD-3-Clause
// Reductions in two halves. Values are computed into scratch region by region; a region holds whole bricks, and each brick
// is folded in an order that depends on the array's extents alone. Then the partials of each result are folded by a
// fixed tree. So the bits do not depend on how many ranks there are.
#include <algorithm>
#include <cstring>

#include "engine/exec/elementwise.hpp"
#include "engine/exec/fold.hpp"
#include "engine/exec/site.hpp"

namespace gamelan::engine::exec {
namespace {

using dist::Box;
using dist::Interval;
using dist::Piece;
using protocol::Shape;

constexpr std::int64_t region_elements = 16384;    // scratch stays in the second-level cache
constexpr std::int64_t finish_elements = 262144;   // partials finished at once

/// Calls visit(index) for every index of extents, in C order.
template <class Visit>
void for_each_index(const Shape& extents, Visit visit) {
  if (protocol::element_count(extents) == 0) return;
  Shape index(extents.size(), 0);
  while (true) {
    visit(index);
    std::size_t k = extents.size();
    while (k > 0 && ++index[k - 1] == extents[k - 1]) index[--k] = 0;
    if (k == 0) return;
  }
}

class BrickFolder {
 public:
  BrickFolder(const Site& site, const plan::FoldBricks& fold)
      : site_(site), fold_(fold), runner_(fold.values.program), dims_(fold.extents.size()), scratch_(fold.folds.size()),
        fold_of_(fold.values.operands.size(), -1) {
    for (const auto& operand : fold.values.operands)
      if (operand.source == plan::Operand::Source::slot) placements_.push_back(&operand.placement);
    for (std::size_t f = 0; f < fold.folds.size(); ++f) {
      fold_of_[static_cast<std::size_t>(fold.folds[f].scratch)] = static_cast<int>(f);
      scratch_[f].item = static_cast<std::int64_t>(protocol::size_of(fold.folds[f].loop));
    }
  }

  void run() {
    const auto& bricks = fold_.values.iterations;
    if (!bricks.takes_part(site_.rank())) return;
    const Box mine = bricks.box(site_.rank());
    if (is_empty(mine)) return;
    // A region grows from the last axis outwards: contiguous in scratch, and made of whole bricks.
    Shape chunk(dims_, 1);
    std::int64_t elements = 1;
    bool is_full = true;
    for (std::size_t k = dims_; k-- > 0;) {
      const auto per_brick = fold_.brick[k];
      const bool must_be_whole = fold_.is_complete && fold_.reduced[k];
      if (must_be_whole) chunk[k] = mine[k].size();
      else if (is_full) chunk[k] = std::clamp<std::int64_t>(region_elements / (elements * per_brick), 1, mine[k].size());
      elements *= chunk[k] * per_brick;
      is_full = is_full && chunk[k] == mine[k].size();
    }
    Shape chunks(dims_);
    std::vector<Box> later;
    for (std::size_t k = 0; k < dims_; ++k) chunks[k] = (mine[k].size() + chunk[k] - 1) / chunk[k];
    for_each_index(chunks, [&](const Shape& at) {
      Box region(dims_);  // in bricks
      for (std::size_t k = 0; k < dims_; ++k) {
        const auto first = mine[k].first + at[k] * chunk[k];
        region[k] = {first, std::min(first + chunk[k], mine[k].last)};
      }
      // The neighbours have the time of the interior to finish their part.
      if (is_local(elements_of(region))) fold_region(region);
      else later.push_back(std::move(region));
    });
    for (const auto& region : later) fold_region(region);
  }

 private:
  /// The values of one fold over a region, then its partials.
  struct Scratch {
    std::int64_t item = 0;
    std::vector<std::byte> values, partials;
  };

  Box elements_of(const Box& region) const {
    Box elements(dims_);
    for (std::size_t k = 0; k < dims_; ++k)
      elements[k] = {region[k].first * fold_.brick[k], std::min(region[k].last * fold_.brick[k], fold_.extents[k])};
    return elements;
  }

  bool is_local(const Box& elements) const {
    bool is_local = true;
    dist::for_each_cell(elements, placements_, site_.rank(), [&](const Box&, std::span<const Piece> pieces) {
      for (const auto& piece : pieces) is_local = is_local && piece.owner == site_.rank();
    });
    return is_local;
  }

  void fold_region(const Box& region) {
    const Box elements = elements_of(region);
    Shape extents(dims_);
    for (std::size_t k = 0; k < dims_; ++k) extents[k] = elements[k].size();
    compute(elements, extents);
    for (std::size_t f = 0; f < scratch_.size(); ++f) {
      fold_bricks(fold_.folds[f], scratch_[f], region, extents);
      store_partials(fold_.folds[f], scratch_[f], region);
    }
  }

  /// The program over `elements`: values into scratch, C order.
  void compute(const Box& elements, const Shape& extents) {
    std::vector<Shape> scratch_strides;
    for (auto& scratch : scratch_) {
      scratch.values.resize(static_cast<std::size_t>(protocol::element_count(extents) * scratch.item));
      scratch_strides.push_back(protocol::contiguous_strides(extents, static_cast<std::size_t>(scratch.item)));
    }
    std::vector<Pointer> pointers(fold_.values.operands.size());
    std::vector<Shape> payload_strides(fold_.values.operands.size());
    dist::for_each_cell(elements, placements_, site_.rank(), [&](const Box& cell, std::span<const Piece> pieces) {
      Shape first(dims_), size(dims_);
      for (std::size_t k = 0; k < dims_; ++k) {
        first[k] = cell[k].first;
        size[k] = cell[k].size();
      }
      std::size_t p = 0;
      for (std::size_t i = 0; i < pointers.size(); ++i) {
        const auto& operand = fold_.values.operands[i];
        if (const int f = fold_of_[i]; f >= 0) {
          const auto& strides = scratch_strides[static_cast<std::size_t>(f)];
          std::int64_t offset = 0;
          for (std::size_t k = 0; k < dims_; ++k) offset += (cell[k].first - elements[k].first) * strides[k];
          pointers[i] = {scratch_[static_cast<std::size_t>(f)].values.data() + offset, strides.data()};
        } else if (operand.source == plan::Operand::Source::slot) {
          if (pieces[p].owner != site_.rank())
            site_.count_shared(cell, pieces[p], operand.placement.item_bytes);
          pointers[i] = {site_.address(operand, pieces[p]), pieces[p].strides.data()};
          ++p;
        } else {
          payload_strides[i] = protocol::contiguous_strides(fold_.extents, protocol::size_of(fold_.values.program.operands[i]));
          std::int64_t at = 0;
          for (std::size_t k = 0; k < dims_; ++k) at += first[k] * payload_strides[i][k];
          pointers[i] = {const_cast<std::byte*>(site_.payload(operand.payload).data()) + at, payload_strides[i].data()};
        }
      }
      runner_.run({size, first, fold_.extents, pointers});
    });
  }

  /// Values -> partials, one element per brick of the region, C order over the brick grid.
  void fold_bricks(const plan::FoldBricks::Fold& fold, Scratch& scratch, const Box& region, const Shape& extents) {
    const auto item = scratch.item;
    Shape grid(dims_);
    for (std::size_t k = 0; k < dims_; ++k) grid[k] = region[k].size();
    scratch.partials.resize(static_cast<std::size_t>(protocol::element_count(grid) * item));
    const Shape strides = protocol::contiguous_strides(extents, static_cast<std::size_t>(item));
    std::byte* out = scratch.partials.data();
    const bool runs_are_kept = dims_ > 0 && !fold_.reduced[dims_ - 1];
    if (runs_are_kept) {  // vectors along the last axis, one row of the brick after the other
      const auto length = extents.back();
      Shape outer(grid.begin(), grid.end() - 1);
      for_each_index(outer, [&](const Shape& at) {
        Shape rows(dims_ - 1);
        std::int64_t start = 0;
        for (std::size_t k = 0; k + 1 < dims_; ++k) {
          rows[k] = std::min(fold_.brick[k], extents[k] - at[k] * fold_.brick[k]);
          start += at[k] * fold_.brick[k] * strides[k];
        }
        bool is_first = true;
        for_each_index(rows, [&](const Shape& row) {
          std::int64_t offset = start;
          for (std::size_t k = 0; k + 1 < dims_; ++k) offset += row[k] * strides[k];
          if (is_first) std::memcpy(out, scratch.values.data() + offset, static_cast<std::size_t>(length * item));
          else fold_rows(fold.op, fold.loop, scratch.values.data() + offset, 1, static_cast<std::size_t>(length), out);
          is_first = false;
        });
        out += length * item;
      });
      return;
    }
    // A brick is one contiguous run of scratch, whole rows or the piece of one.
    for_each_index(grid, [&](const Shape& at) {
      std::int64_t start = 0, length = 1;
      for (std::size_t k = 0; k < dims_; ++k) {
        start += at[k] * fold_.brick[k] * strides[k];
        length *= std::min(fold_.brick[k], extents[k] - at[k] * fold_.brick[k]);
      }
      fold_runs(fold.op, fold.loop, scratch.values.data() + start, 1, static_cast<std::size_t>(length), out);
      out += item;
    });
    if (fold_.is_complete) complete(fold, scratch, grid);
  }

  /// Folds all bricks of each result: the reduced axes of the region hold all of them.
  void complete(const plan::FoldBricks::Fold& fold, Scratch& scratch, const Shape& grid) {
    const auto item = scratch.item;
    Shape kept_grid = grid, brick_grid = grid;
    for (std::size_t k = 0; k < dims_; ++k) (fold_.reduced[k] ? kept_grid : brick_grid)[k] = 1;
    const auto bricks = protocol::element_count(brick_grid);
    if (bricks == 1) return;
    const Shape strides = protocol::contiguous_strides(grid, static_cast<std::size_t>(item));
    std::vector<std::byte> row(static_cast<std::size_t>(bricks * item));
    for_each_index(kept_grid, [&](const Shape& kept) {
      std::byte* to = row.data();
      for_each_index(brick_grid, [&](const Shape& brick) {
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < dims_; ++k) offset += (kept[k] + brick[k]) * strides[k];
        std::memcpy(to, scratch.partials.data() + offset, static_cast<std::size_t>(item));
        to += item;
      });
      fold_pairs(fold.op, fold.loop, row.data(), static_cast<std::size_t>(bricks), 1);
      results_.insert(results_.end(), row.begin(), row.begin() + item);
    });
    std::memcpy(scratch.partials.data(), results_.data(), results_.size());
    results_.clear();
  }

  void store_partials(const plan::FoldBricks::Fold& fold, const Scratch& scratch, const Box& region) {
    const auto& info = site_.info(fold.partials);
    const auto item = static_cast<std::size_t>(scratch.item);
    const Box block = info.layout.box(site_.rank());
    Box part = region;
    Shape extents(dims_), block_extents(dims_);
    for (std::size_t k = 0; k < dims_; ++k) {
      if (fold_.is_complete && fold_.reduced[k]) part[k] = {0, 1};
      extents[k] = part[k].size();
      block_extents[k] = block[k].size();
    }
    const Shape to = protocol::contiguous_strides(block_extents, item);
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < dims_; ++k) offset += (part[k].first - block[k].first) * to[k];
    copy_box(fold.loop, fold.loop, extents, scratch.partials.data(), protocol::contiguous_strides(extents, item),
             site_.own_block(fold.partials) + offset, to);
  }

  const Site& site_;
  const plan::FoldBricks& fold_;
  Runner runner_;
  std::size_t dims_;
  std::vector<const dist::Placement*> placements_;
  std::vector<Scratch> scratch_;  // by fold
  std::vector<int> fold_of_;      // operand -> the fold whose values go there, or -1
  std::vector<std::byte> results_;
};

}  // namespace

void run(const Site& site, const plan::FoldBricks& fold) {
  for (const auto& each : fold.values.carries) carry(site, each);
  if (protocol::element_count(fold.extents) == 0) return;
  BrickFolder(site, fold).run();
}

void run(const Site& site, const plan::FoldFinish& fold) {
  if (!fold.iterations.takes_part(site.rank())) return;
  const Box mine = fold.iterations.box(site.rank());
  if (is_empty(mine)) return;
  const auto item = static_cast<std::int64_t>(protocol::size_of(fold.loop));
  const Shape all = fold.input.placement.iterations.extents();
  const Shape reduced(all.begin() + static_cast<std::ptrdiff_t>(fold.kept_axes), all.end());
  const auto bricks = fold.is_empty ? 1 : protocol::element_count(reduced);

  // The results of this rank in boxes small enough for scratch, cut along the first axes.
  Shape chunk(fold.kept_axes, 1);
  std::int64_t elements = std::max<std::int64_t>(bricks, 1);
  for (std::size_t k = fold.kept_axes; k-- > 0;) {
    chunk[k] = std::clamp<std::int64_t>(finish_elements / elements, 1, mine[k].size());
    elements *= chunk[k];
  }
  Shape chunks(fold.kept_axes);
  for (std::size_t k = 0; k < fold.kept_axes; ++k) chunks[k] = (mine[k].size() + chunk[k] - 1) / chunk[k];
  std::vector<std::byte> values;
  for_each_index(chunks, [&](const Shape& at) {
    Box kept(fold.kept_axes);
    Shape extents(fold.kept_axes), first(fold.kept_axes);
    for (std::size_t k = 0; k < fold.kept_axes; ++k) {
      first[k] = mine[k].first + at[k] * chunk[k];
      kept[k] = {first[k], std::min(first[k] + chunk[k], mine[k].last)};
      extents[k] = kept[k].size();
    }
    const auto row = protocol::element_count(extents);
    values.resize(static_cast<std::size_t>(row * bricks * item));
    const Shape row_strides = protocol::contiguous_strides(extents, static_cast<std::size_t>(item));
    if (fold.is_empty) {
      const auto identity = exec::identity(fold.fold, fold.loop);
      for (std::int64_t i = 0; i < row; ++i) std::memcpy(values.data() + i * item, identity->bytes.data(), static_cast<std::size_t>(item));
    } else {
      // Partials of this box, one row of results per brick.
      Shape scratch_strides = row_strides;
      for (const auto stride : protocol::contiguous_strides(reduced, static_cast<std::size_t>(row * item))) scratch_strides.push_back(stride);
      Box box = kept;
      for (const auto extent : reduced) box.push_back({0, extent});
      const dist::Placement* placement = &fold.input.placement;
      dist::for_each_cell(box, {&placement, 1}, site.rank(), [&](const Box& cell, std::span<const Piece> pieces) {
        std::int64_t offset = 0;
        Shape size;
        for (std::size_t k = 0; k < cell.size(); ++k) {
          offset += (cell[k].first - box[k].first) * scratch_strides[k];
          size.push_back(cell[k].size());
        }
        copy_box(fold.loop, fold.loop, size, site.address(fold.input, pieces[0]), pieces[0].strides, values.data() + offset, scratch_strides);
      });
      fold_pairs(fold.fold, fold.loop, values.data(), static_cast<std::size_t>(bricks), static_cast<std::size_t>(row));
    }
    const auto piece = dist::locate(fold.output.placement, first, site.rank());
    copy_box(fold.loop, fold.output_dtype, extents, values.data(), row_strides,
             site.address(fold.output, piece), piece.strides);
  });
}

}  // namespace gamelan::engine::exec
