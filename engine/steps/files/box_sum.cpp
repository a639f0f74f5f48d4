// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/box_sum.hpp"

#include <algorithm>

#include "engine/steps/files/checksum.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::uint32_t polynomial = 0xEDB88320;  // bits reversed: the highest power is the lowest bit
constexpr std::uint32_t one = std::uint32_t{1} << 31;

std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t result = 0;
  for (int bit = 31; bit >= 0; --bit) {  // of a, from the constant on
    result ^= b & (0 - (a >> bit & 1));
    b = (b >> 1) ^ (polynomial & (0 - (b & 1)));
  }
  return result;
}

/// x to the power of so many bits.
std::uint32_t power(std::int64_t bits) {
  std::uint32_t result = one, square = one >> 1;
  for (auto rest = static_cast<std::uint64_t>(bits); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

}  // namespace

BoxSum::BoxSum(const distribution::Box& box, const distribution::Shape& extents, std::int64_t item_bytes) {
  distribution::Shape strides(box.size());
  std::int64_t bytes = item_bytes, last = item_bytes;  // last: where the box ends
  for (std::size_t k = box.size(); k-- > 0;) {
    strides[k] = bytes;
    bytes *= extents[k];
    last += (box[k].last - 1) * strides[k];
  }
  bytes_behind_ = bytes - last;
  std::size_t leading = box.size();  // axes, of which each index begins a run
  for (run_bytes_ = item_bytes; leading > 0; --leading) {
    run_bytes_ *= box[leading - 1].size();
    if (box[leading - 1].size() == extents[leading - 1]) continue;
    --leading;
    break;
  }
  missing_ = run_bytes_;
  std::int64_t before = 0;  // from the first run of an axis to its last
  movements_.resize(leading);
  counts_.resize(leading);
  index_.resize(leading);
  for (std::size_t k = leading; k-- > 0;) {
    counts_[k] = box[k].size();
    movements_[k] = power(8 * (strides[k] - before));
    before += (counts_[k] - 1) * strides[k];
  }
}

void BoxSum::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto some = std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(missing_));
    run_ = checksum(run_, bytes.first(some));
    bytes = bytes.subspan(some);
    missing_ -= static_cast<std::int64_t>(some);
    if (missing_ == 0) end_run();
  }
}

void BoxSum::end_run() {
  sum_ ^= run_;
  run_ = 0;
  missing_ = run_bytes_;
  std::size_t axis = index_.size();
  while (axis > 0 && ++index_[axis - 1] == counts_[axis - 1]) index_[--axis] = 0;
  if (axis > 0) sum_ = product(movements_[axis - 1], sum_);
}

std::uint32_t BoxSum::part() const { return product(power(8 * bytes_behind_), sum_); }

}  // namespace gamelan::engine::steps
