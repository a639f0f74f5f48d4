// SPDX-License-Identifier: BSD-3-Clause
// As many random words as one element needs. Block n of an element's substream has n in the third word of the
// counter, from 1 on (uniform and normal numbers use 0). So a rejection loop may draw as many words as it
// needs without changing the numbers of any other element.
#pragma once
#include "protocol/philox.hpp"

namespace gamelan::protocol::philox {

class Substream {
 public:
  Substream(std::uint64_t key, std::uint64_t counter) : key_(key), counter_(counter) {}

  std::uint64_t word() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const Block bits =
        block({static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32), ++block_, 0},
              {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
    second_ = bits[2] | std::uint64_t{bits[3]} << 32;
    has_second_ = true;
    return bits[0] | std::uint64_t{bits[1]} << 32;
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }
  /// In (0, 1].
  double positive() { return static_cast<double>((word() >> 11) + 1) * 0x1p-53; }
  /// In (0, 1), symmetric about 1/2.
  double inside() { return (static_cast<double>(word() >> 12) + 0.5) * 0x1p-52; }
  /// Standard exponential, by inversion.
  double exponential() { return -std::log(positive()); }
  /// Standard normal, by Box and Muller.
  double normal() {
    constexpr double two_pi = 6.283185307179586476925286766559;
    const double radius = std::sqrt(-2.0 * std::log(positive()));
    return radius * std::cos(two_pi * uniform());
  }

 private:
  std::uint64_t key_, counter_, second_ = 0;
  std::uint32_t block_ = 0;
  bool has_second_ = false;
};

}  // namespace gamelan::protocol::philox
