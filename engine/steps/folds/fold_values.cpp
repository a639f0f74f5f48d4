// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/fold_values.hpp"

#include <algorithm>

namespace gamelan::engine::steps {

using distribution::Box;
using protocol::Shape;

FoldValues::FoldValues(const StepContext& context, const plan::FoldBlocks& fold, BoxRunner& whole)
    : whole_(whole), targets_(fold.folds.size()) {
  if (!fold.values.interior) return;
  const Shape extents = fold.values.interior->iterations.extents();
  interior_.emplace(context, *fold.values.interior, extents);
  interior_first_ = fold.values.interior_first;
  for (const auto extent : extents) interior_box_.push_back({0, extent});
  interior_box_ = distribution::moved(std::move(interior_box_), interior_first_);
}

/// Whether some of the elements are the interior's: `part_` is these.
bool FoldValues::has_interior(const Box& elements) {
  part_ = elements;
  for (std::size_t k = 0; k < part_.size(); ++k) {
    part_[k].first = std::max(part_[k].first, interior_box_[k].first) - interior_first_[k];
    part_[k].last = std::min(part_[k].last, interior_box_[k].last) - interior_first_[k];
    if (part_[k].first >= part_[k].last) return false;
  }
  return true;
}

bool FoldValues::is_local(const Box& elements) {
  if (!interior_) return whole_.is_local(elements);
  if (has_interior(elements) && !interior_->is_local(part_)) return false;
  bool is_local = true;
  if (!whole_.is_local(elements))
    distribution::for_each_slab(elements, interior_box_,
                                [&](const Box& slab) { is_local = is_local && whole_.is_local(slab); });
  return is_local;
}

void FoldValues::find_parts(const Box& elements) {
  parts_.clear();
  const auto add = [&](BoxRunner& runner, const Box& box, const Shape* first) {
    Part part{&runner, box, Shape(box.size())};
    for (std::size_t k = 0; k < box.size(); ++k)
      part.from[k] = box[k].first + (first ? (*first)[k] : 0) - elements[k].first;
    parts_.push_back(std::move(part));
  };
  if (has_interior(elements)) add(*interior_, part_, &interior_first_);
  distribution::for_each_slab(elements, interior_box_, [&](const Box& slab) { add(whole_, slab, nullptr); });
  last_ = elements;
}

/// Elements as far along the other axes, and like the last ones among the rows of the interior, have the same
/// parts in other rows. False: they must be found.
bool FoldValues::move_parts(const Box& elements) {
  if (last_.empty() || last_.size() != elements.size() || last_[0].size() != elements[0].size() ||
      !std::equal(last_.begin() + 1, last_.end(), elements.begin() + 1))
    return false;
  for (const auto& rows : {last_[0], elements[0]})
    if (rows.first < interior_box_[0].first || rows.last > interior_box_[0].last) return false;
  const auto rows = elements[0].first - last_[0].first;
  for (auto& part : parts_) {
    part.box[0].first += rows;
    part.box[0].last += rows;
  }
  last_[0] = elements[0];
  return true;
}

std::span<const FoldValues::Part> FoldValues::parts(const Box& elements) {
  if (!interior_)
    parts_.assign(1, {&whole_, elements, Shape(elements.size())});
  else if (!move_parts(elements))
    find_parts(elements);
  return parts_;
}

std::span<const tiles::Pointer> FoldValues::targets(const Part& part,
                                                    std::span<const tiles::Pointer> scratch) {
  for (std::size_t f = 0; f < scratch.size(); ++f) {
    targets_[f] = scratch[f];
    for (std::size_t k = 0; k < part.from.size(); ++k)
      targets_[f].address += part.from[k] * scratch[f].strides[k];
  }
  return targets_;
}

void FoldValues::compute(const Box& elements, int owner, std::span<const tiles::Pointer> scratch) {
  if (!interior_) return whole_.run_for(owner, elements, scratch);
  for (const auto& part : parts(elements)) part.runner->run_for(owner, part.box, targets(part, scratch));
}

}  // namespace gamelan::engine::steps
