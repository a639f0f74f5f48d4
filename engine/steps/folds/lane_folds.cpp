// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/lane_folds.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/steps/folds/block_folds.hpp"
#include "engine/steps/indices.hpp"
#include "engine/tiles/float_errors.hpp"

namespace gamelan::engine::steps {

using distribution::Box;
using protocol::Dtype;
using protocol::Shape;
using tiles::lane_count;

namespace {

constexpr std::size_t parts_of_factors = 2;  // of the workspace, behind the scratch of each fold's values
constexpr std::int64_t shortest_run = 4 * lane_count;  // to begin and to combine the lanes takes time, too

/// Writes `count` elements of a fold to which nothing has been added.
void make_neutral(const plan::FoldBlocks::Fold& fold, std::int64_t count, std::byte* to) {
  constexpr std::int64_t copied = 512;  // elements, in the first-level cache: copies use the widest vectors
  const double value = *tiles::neutral(fold.op);
  const auto fill = [&]<class T>(T* first) {
    std::fill_n(first, std::min(count, copied), static_cast<T>(value));
    for (auto done = copied; done < count; done += copied)
      std::copy_n(first, std::min(copied, count - done), first + done);
  };
  if (fold.loop == Dtype::float64) return fill(reinterpret_cast<double*>(to));
  if (fold.loop == Dtype::float32) return fill(reinterpret_cast<float*>(to));
  fill(reinterpret_cast<std::int64_t*>(to));
}

/// True where the elements of an operand are neighbours in memory along the last axis, or one element.
bool lies_in_rows(const plan::Operand& operand) {
  if (operand.source != plan::Operand::Source::slot || operand.placement.map.axes.empty()) return true;
  const auto& last = operand.placement.map.axes.back();
  return last.base_axis < 0 || (last.step == 1 && static_cast<std::size_t>(last.base_axis) + 1 ==
                                                      operand.placement.map.fixed.size());
}

/// True where a program reads nothing that it writes: it may be run again.
bool can_be_repeated(const plan::FusedLoop& loop) {
  std::set<int> read, written;  // slots
  for (const auto& instruction : loop.program.code) {
    if (instruction.operand < 0) continue;
    const auto& operand = loop.operands[static_cast<std::size_t>(instruction.operand)];
    if (operand.source != plan::Operand::Source::slot) continue;
    (instruction.kind == tiles::Instruction::Kind::store ? written : read).insert(operand.slot);
  }
  return std::none_of(written.begin(), written.end(), [&](int slot) { return read.contains(slot); });
}

}  // namespace

LaneFolds::LaneFolds(const StepContext& context, const plan::FoldBlocks& fold, FoldValues& values,
                     const BoxRunner& whole)
    : context_(context), fold_(fold), values_(values) {
  const auto& of_most = fold.values.interior ? *fold.values.interior : fold.values;  // of most elements
  if (!find_row_axis() || !can_be_repeated(fold.values) || !can_be_repeated(of_most) ||
      !std::all_of(of_most.operands.begin(), of_most.operands.end(), lies_in_rows))
    return;
  whole_folds_ = lane_folds(fold.values);
  if (!tiles::suits_lanes(whole.program(), whole_folds_)) return;
  counts_ = std::any_of(whole_folds_.begin(), whole_folds_.end(), [&](const tiles::LaneFold& each) {
    return fold.values.program.operands[static_cast<std::size_t>(each.operand)] != each.dtype;
  });
  if (const BoxRunner* interior = values.interior()) {
    interior_folds_ = lane_folds(*fold.values.interior);
    if (!tiles::suits_lanes(interior->program(), interior_folds_)) return;
    interior_.emplace(interior->program(), interior_folds_);
  }
  whole_.emplace(whole.program(), whole_folds_);
  lanes_.resize(fold.folds.size());
  lane_strides_.resize(fold.folds.size());
  for (const auto& each : fold.folds) adders_.push_back(tiles::find_fold_rows(each.op, each.loop));
}

/// False unless the elements of a reduction block are consecutive in C order: a piece of a row, or whole
/// rows.
bool LaneFolds::find_row_axis() {
  const auto dims = fold_.extents.size();
  if (dims == 0 || !fold_.reduced.back()) return false;
  const auto& block = fold_.block_extents;
  while (row_axis_ + 1 < dims && block[row_axis_] == 1) ++row_axis_;
  for (std::size_t k = row_axis_; k < dims; ++k) {
    if (k > row_axis_ && block[k] != fold_.extents[k]) return false;
    run_length_ *= block[k];
  }
  return run_length_ >= shortest_run;
}

std::vector<tiles::LaneFold> LaneFolds::lane_folds(const plan::FusedLoop& values) const {
  std::vector<tiles::LaneFold> result;
  for (std::size_t i = 0; i < values.operands.size(); ++i) {
    if (values.operands[i].source != plan::Operand::Source::scratch) continue;
    const auto& fold = fold_.folds[static_cast<std::size_t>(values.operands[i].fold)];
    const auto dtype = values.program.operands[i];
    const bool are_truths =  // which the planner leaves as they are (lower.cpp)
        dtype == Dtype::bool_ && fold.loop == Dtype::int64 && fold.op == protocol::Op::add;
    if ((dtype != fold.loop && !are_truths) || plan::has_moments(fold.op)) return {};
    result.push_back({static_cast<int>(i), fold.op, fold.loop});
  }
  return result.size() == fold_.folds.size() ? result : std::vector<tiles::LaneFold>{};
}

bool LaneFolds::fold(const Box& elements, const Shape& grid, int owner,
                     std::span<const tiles::Pointer> scratch,
                     std::span<std::vector<std::byte>* const> partials) {
  if (!exist() || has_failed_) return false;
  const auto found = values_.parts(elements);
  if (found.size() > 1 && row_axis_ + 1 < elements.size()) return false;  // no part has whole rows
  std::vector<const FoldValues::Part*> parts;
  for (const auto& part : found) parts.push_back(&part);
  std::stable_sort(parts.begin(), parts.end(),  // along each row in its order
                   [](const auto* x, const auto* y) { return x->from.back() < y->from.back(); });
  begin(elements, found);
  const auto counted = context_.bytes_shared();
  tiles::float_errors().clear();
  for (const auto* part : parts)
    if (!has_failed_) add_part(*part, owner, scratch);
  if (!has_failed_) {
    finish(grid, partials);
    has_failed_ = tiles::float_errors().look() != 0;
  }
  if (has_failed_) context_.count_again_from(counted);
  return !has_failed_;
}

std::size_t LaneFolds::part_of_lanes(std::size_t fold) const {
  return lanes_.size() + parts_of_factors + fold;
}

void LaneFolds::begin(const Box& elements, std::span<const FoldValues::Part> parts) {
  extents_ = distribution::extents_of(elements);
  rows_ = row_length_ = 1;
  for (std::size_t k = 0; k < extents_.size(); ++k) (k < row_axis_ ? rows_ : row_length_) *= extents_[k];
  runs_ = (row_length_ + run_length_ - 1) / run_length_;
  // Vectors begin at the first element of the interior, in every run that it begins within.
  first_lanes_.assign(static_cast<std::size_t>(runs_), 0);
  for (const auto& part : parts)
    if (part.runner == values_.interior())
      first_lanes_[static_cast<std::size_t>(part.from.back() / run_length_)] =
          part.from.back() % run_length_ % lane_count;
  for (std::size_t f = 0; f < lanes_.size(); ++f) {
    lanes_[f] = context_.workspace().at_least(static_cast<std::size_t>(rows_ * runs_ * lane_count * item(f)),
                                              part_of_lanes(f));
    make_neutral(fold_.folds[f], rows_ * runs_ * lane_count, lanes_[f]);
    auto& strides = lane_strides_[f] = Shape(extents_.size(), 0);
    std::int64_t stride = runs_ * lane_count * item(f);
    for (std::size_t k = row_axis_; k-- > 0;) {
      strides[k] = stride;
      stride *= extents_[k];
    }
  }
}

/// Where the cell begins, in C order of the axes first_axis <= k < last_axis alone.
std::int64_t LaneFolds::position(std::size_t first_axis, std::size_t last_axis) const {
  std::int64_t position = 0;
  for (std::size_t k = first_axis; k < last_axis; ++k) position = position * extents_[k] + at_[k];
  return position;
}

void LaneFolds::add_part(const FoldValues::Part& part, int owner, std::span<const tiles::Pointer> scratch) {
  const auto dims = extents_.size();
  part.runner->visit_cells(
      owner, part.box, values_.targets(part, scratch), [&](const Box& box, const tiles::Cell& cell) {
        if (has_failed_) return;
        at_ = part.from;
        sizes_ = distribution::extents_of(box);
        for (std::size_t k = 0; k < dims; ++k) at_[k] += box[k].first - part.box[k].first;
        for (std::size_t k = row_axis_ + 1; k < dims; ++k) has_failed_ |= sizes_[k] != extents_[k];
        if (has_failed_) return;
        if (!fold_cell(part, cell)) {
          has_failed_ = counts_ || 2 * protocol::element_count(sizes_) > protocol::element_count(extents_);
          if (has_failed_) return;
          part.runner->run_cell(cell);
          tiles::float_errors().clear();
          add_values(scratch);
        }
        has_failed_ = tiles::float_errors().look() != 0;
      });
}

bool LaneFolds::fold_cell(const FoldValues::Part& part, const tiles::Cell& cell) {
  const bool is_interior = part.runner == values_.interior();
  const auto& folds = is_interior ? interior_folds_ : whole_folds_;
  pointers_.assign(cell.operands.begin(), cell.operands.end());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const auto row = position(0, row_axis_);
    pointers_[static_cast<std::size_t>(folds[f].operand)] = {lanes_[f] + row * runs_ * lane_count * item(f),
                                                             lane_strides_[f].data()};
  }
  tiles::Cell in_lanes = cell;
  in_lanes.operands = pointers_;
  return (is_interior ? *interior_ : *whole_)
      .run(in_lanes, {row_axis_, position(row_axis_, extents_.size()), run_length_, first_lanes_});
}

/// Adds values of the cell that lie in scratch memory.
void LaneFolds::add_values(std::span<const tiles::Pointer> scratch) {
  const auto dims = extents_.size();
  const Shape begin = at_;
  for (std::size_t f = 0; f < lanes_.size(); ++f)
    for_each_index(Shape(sizes_.begin(), sizes_.end() - 1), [&](const Shape& index) {
      std::int64_t offset = begin.back() * scratch[f].strides[dims - 1];
      for (std::size_t k = 0; k + 1 < dims; ++k) {
        at_[k] = begin[k] + index[k];
        offset += at_[k] * scratch[f].strides[k];
      }
      add_run(f, scratch[f].address + offset, position(0, row_axis_), position(row_axis_, dims),
              sizes_.back());
    });
}

/// Adds consecutive values, from a column of a row on.
void LaneFolds::add_run(std::size_t fold, const std::byte* values, std::int64_t row, std::int64_t column,
                        std::int64_t count) {
  const auto add = adders_[fold];
  const auto bytes = item(fold);
  while (count > 0) {
    const auto run = column / run_length_;
    auto left = std::min(count, (run + 1) * run_length_ - column);
    count -= left;
    std::byte* const lanes = lanes_[fold] + (row * runs_ + run) * lane_count * bytes;
    while (left > 0) {
      const auto from = column - run * run_length_ - first_lanes_[static_cast<std::size_t>(run)];
      const auto lane = (from + lane_count) % lane_count;
      const auto together = lane == 0 ? std::max(left / lane_count, std::int64_t{1}) : 1;
      const auto width = std::min(left, lane_count - lane);
      add(lanes + lane * bytes, values, together, width, width, lanes + lane * bytes);
      values += together * width * bytes;
      column += together * width;
      left -= together * width;
    }
  }
}

/// The lanes of a fold, those of each run in order, the first first. Where they are not, they are copied:
/// within a run what has just been stored would be waited for.
const std::byte* LaneFolds::in_order(std::size_t fold) const {
  if (std::count(first_lanes_.begin(), first_lanes_.end(), 0) == runs_) return lanes_[fold];
  const auto all = lane_count * item(fold);
  std::byte* const result = context_.workspace().at_least(static_cast<std::size_t>(rows_ * runs_ * all),
                                                          part_of_lanes(lanes_.size()));
  for (std::int64_t i = 0; i < rows_ * runs_; ++i) {
    const auto before = first_lanes_[static_cast<std::size_t>(i % runs_)] * item(fold);
    std::memcpy(result + i * all, lanes_[fold] + (i + 1) * all - before, static_cast<std::size_t>(before));
    std::memcpy(result + i * all + before, lanes_[fold] + i * all, static_cast<std::size_t>(all - before));
  }
  return result;
}

/// Combines the lanes.
void LaneFolds::finish(const Shape& grid, std::span<std::vector<std::byte>* const> partials) {
  for (std::size_t f = 0; f < lanes_.size(); ++f) {
    const auto& fold = fold_.folds[f];
    partials[f]->resize(static_cast<std::size_t>(rows_ * runs_ * item(f)));
    tiles::find_fold_runs(fold.op, fold.loop, tiles::Streams::one)(in_order(f), rows_ * runs_, lane_count,
                                                                   partials[f]->data());
    complete_blocks(fold_, fold, grid, *partials[f]);
  }
}

}  // namespace gamelan::engine::steps
