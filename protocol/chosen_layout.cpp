// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/chosen_layout.hpp"

#include <algorithm>
#include <limits>

namespace gamelan::protocol {
namespace {

constexpr std::int64_t most_ranks = std::int64_t{1} << 24;

/// Gives integers one by one; nullopt when there are no more.
class Words {
 public:
  explicit Words(std::span<const std::int64_t> words) : words_(words) {}
  /// The next, when it lies in [low, high].
  std::optional<std::int64_t> next(std::int64_t low, std::int64_t high) {
    if (words_.empty() || words_[0] < low || words_[0] > high) return std::nullopt;
    const auto word = words_[0];
    words_ = words_.subspan(1);
    return word;
  }
  bool is_empty() const { return words_.empty(); }

 private:
  std::span<const std::int64_t> words_;
};

std::optional<ChosenLayout::Axis> axis_of(Words& words, std::int64_t extent) {
  ChosenLayout::Axis axis;
  const auto parts = words.next(1, most_ranks);
  if (!parts) return std::nullopt;
  axis.parts = static_cast<int>(*parts);
  const auto inner = words.next(0, *parts - 1);
  if (!inner || (*inner != 0 && *inner != *parts - 1)) return std::nullopt;
  if (*inner == 0) return axis;
  axis.cuts.push_back(0);
  for (std::int64_t c = 0; c < *inner; ++c) {
    const auto cut = words.next(axis.cuts.back(), extent);
    if (!cut) return std::nullopt;
    axis.cuts.push_back(*cut);
  }
  axis.cuts.push_back(extent);
  return axis;
}

}  // namespace

std::int64_t ChosenLayout::ranks() const {
  std::int64_t product = 1;
  for (const auto& axis : axes) product = std::min(product * axis.parts, most_ranks);
  return product;
}

std::optional<ChosenLayout> chosen_layout(std::span<const std::int64_t> integers) {
  Words words(integers);
  ChosenLayout layout;
  const auto first = words.next(0, most_ranks), replicated = words.next(0, 1), dims = words.next(0, max_dims);
  if (!first || !replicated || !dims) return std::nullopt;
  layout.first_rank = static_cast<int>(*first);
  layout.is_replicated = *replicated == 1;
  std::int64_t elements = 1;
  for (std::int64_t k = 0; k < *dims; ++k) {
    const auto extent = words.next(0, std::numeric_limits<std::int64_t>::max());
    if (!extent) return std::nullopt;
    if (__builtin_mul_overflow(elements, *extent, &elements)) return std::nullopt;
    auto axis = axis_of(words, *extent);
    if (!axis) return std::nullopt;
    layout.extents.push_back(*extent);
    layout.axes.push_back(std::move(*axis));
  }
  if (!words.is_empty() || layout.ranks() >= most_ranks) return std::nullopt;
  if (layout.is_replicated && (layout.ranks() > 1 || layout.first_rank > 0)) return std::nullopt;
  return layout;
}

}  // namespace gamelan::protocol
