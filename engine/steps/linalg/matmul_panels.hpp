// SPDX-License-Identifier: BSD-3-Clause
// Parts of the operands of a matrix product as BLAS reads them, for run_matmul.cpp and run_matmul_chunks.cpp.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "engine/steps/box_copies.hpp"
#include "engine/tiles/loops/matmul.hpp"

namespace gamelan::engine::steps {

/// Panels of one operand: where a panel lies in one block as BLAS reads it, that memory; else a packed copy.
class Panels {
 public:
  Panels(const StepContext& context, const plan::Operand& operand, protocol::Dtype dtype)
      : context_(context),
        operand_(operand),
        placement_(&operand.placement),
        dtype_(dtype),
        item_(static_cast<std::int64_t>(protocol::size_of(dtype))),
        is_transposed_(lies_transposed(operand.placement.map)),
        row_length_(row_length_of(operand.placement, is_transposed_)) {}

  /// True when columns lie in memory as rows of the base do.
  bool is_transposed() const { return is_transposed_; }
  /// The matrix in the last two axes of `box`; it lives until the next call.
  tiles::MatrixInMemory at(const distribution::Box& box) {
    const auto dims = box.size();
    const auto rows = box[dims - 2].size(), columns = box[dims - 1].size();
    const auto leading = std::max(is_transposed_ ? rows : columns, std::min(row_length_, short_row));
    const protocol::Shape packed =
        is_transposed_ ? protocol::Shape{item_, leading * item_} : protocol::Shape{leading * item_, item_};
    std::optional<tiles::MatrixInMemory> direct;
    is_packed_ = false;
    distribution::for_each_cell(
        box, {&placement_, 1}, context_.rank(),
        [&](const distribution::Box& cell, std::span<const distribution::Piece> pieces) {
          const auto& piece = pieces[0];
          const protocol::Shape strides{piece.strides[dims - 2], piece.strides[dims - 1]};
          const std::byte* from = context_.address(operand_, piece);
          if (piece.owner != context_.rank())
            context_.count_shared(cell, piece, static_cast<std::size_t>(item_));
          if (cell == box && (direct = as_it_lies(from, rows, columns, strides))) return;
          const auto lines = is_transposed_ ? columns : rows;
          if (!is_packed_) memory_.resize(static_cast<std::size_t>(leading * lines * item_));
          is_packed_ = true;
          const auto row = cell[dims - 2].first - box[dims - 2].first,
                     column = cell[dims - 1].first - box[dims - 1].first;
          copy_box(dtype_, dtype_, protocol::Shape{cell[dims - 2].size(), cell[dims - 1].size()}, from,
                   strides, memory_.data() + row * packed[0] + column * packed[1], packed);
        });
    if (direct) return *direct;
    return {memory_.data(), leading, is_transposed_};
  }

  /// Cuts the columns of `box` at multiples of `tile` so that no piece but one of a single tile crosses the
  /// end of a block, and is packed.
  std::vector<distribution::Interval> cut_at_blocks(const distribution::Box& box, std::int64_t tile) const {
    const auto columns = box.back();
    std::vector<std::int64_t> cuts{columns.first, columns.last};
    distribution::for_each_cell(box, {&placement_, 1}, context_.rank(),
                                [&](const distribution::Box& cell, std::span<const distribution::Piece>) {
                                  const auto end = cell.back().last;
                                  for (const auto cut : {end / tile * tile, (end + tile - 1) / tile * tile})
                                    if (cut > columns.first && cut < columns.last) cuts.push_back(cut);
                                });
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<distribution::Interval> pieces;
    for (std::size_t k = 1; k < cuts.size(); ++k) pieces.push_back({cuts[k - 1], cuts[k]});
    return pieces;
  }

 private:
  /// True when columns lie as rows of the base do. This is the same for all ranks, whatever their blocks are,
  /// because BLAS may round otherwise.
  static bool lies_transposed(const protocol::AxisWise& map) {
    const auto dims = map.axes.size();
    const int row_axis = map.axes[dims - 2].base_axis, column_axis = map.axes[dims - 1].base_axis;
    return row_axis >= 0 && column_axis >= 0 && column_axis < row_axis;
  }

  /// OpenBLAS's gemv rounds otherwise where lines of fewer than this many elements have nothing between them.
  static constexpr std::int64_t short_row = 4;

  /// How far lines are apart in the whole base, in elements; 0 for a vector. Blocks are cut otherwise on
  /// other numbers of ranks: whether lines, or the elements of a vector, have something between them must
  /// not depend on that.
  static std::int64_t row_length_of(const distribution::Placement& placement, bool is_transposed) {
    const auto dims = placement.map.axes.size();
    const auto axis = is_transposed ? dims - 2 : dims - 1;
    const int base_axis = placement.map.axes[axis].base_axis;
    if (base_axis < 0 || placement.iterations.extents()[axis] == 1) return 0;
    return placement.base.extents()[static_cast<std::size_t>(base_axis)];
  }

  std::optional<tiles::MatrixInMemory> as_it_lies(const std::byte* from, std::int64_t rows,
                                                  std::int64_t columns,
                                                  const protocol::Shape& strides) const {
    const auto dense = is_transposed_ ? rows : columns, other = is_transposed_ ? columns : rows;
    const auto dense_step = strides[is_transposed_ ? 0 : 1], other_step = strides[is_transposed_ ? 1 : 0];
    if (dense_step != item_ && dense != 1) return std::nullopt;
    if (other != 1 && (other_step < dense * item_ || other_step % item_ != 0)) return std::nullopt;
    const auto leading = other_step / item_;
    const bool is_whole = row_length_ == 0          ? leading == 1
                          : row_length_ < short_row ? leading == row_length_
                                                    : leading >= short_row;
    if (other != 1 && !is_whole) return std::nullopt;
    return tiles::MatrixInMemory{from, other == 1 ? dense : leading, is_transposed_};
  }

  const StepContext& context_;
  const plan::Operand& operand_;
  const distribution::Placement* placement_;
  protocol::Dtype dtype_;
  std::int64_t item_;
  bool is_transposed_, is_packed_ = false;
  std::int64_t row_length_;
  std::vector<std::byte> memory_;
};

}  // namespace gamelan::engine::steps
