// SPDX-License-Identifier: BSD-3-Clause
// The CRC-32 of a whole array, from the parts that ranks have. Appending n bytes to a message multiplies its
// sum by x^(8n) in the polynomials over two elements, modulo that of the CRC. So the sum of the whole is that
// of the parts, each multiplied for the bytes that follow it, added up (by exclusive or) in any order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/distribution/axis_layout.hpp"

namespace gamelan::engine::steps {

/// The part of a box, whose elements come in C order.
class BoxSum {
 public:
  BoxSum(const distribution::Box& box, const distribution::Shape& extents, std::int64_t item_bytes);

  /// False where so few bytes of the box follow each other in the array that summing them would take long.
  bool is_quick() const { return counts_.empty() || run_bytes_ >= least_run_bytes; }
  /// The next elements of the box.
  void add(std::span<const std::byte> bytes);
  /// What the box adds to the sum of the array. To be called when all its elements have come.
  std::uint32_t part() const;

 private:
  void end_run();

  static constexpr std::int64_t least_run_bytes = 512;
  distribution::Shape counts_, index_;    // of runs, along the axes that lead
  std::vector<std::uint32_t> movements_;  // factor from a run to the next one, by the axis that is advanced
  std::int64_t run_bytes_ = 1, missing_ = 0;  // of a run; until this one ends
  std::int64_t bytes_behind_ = 0;             // in the array, behind the box
  std::uint32_t run_ = 0, sum_ = 0;
};

}  // namespace gamelan::engine::steps
