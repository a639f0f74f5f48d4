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
  /// 1 to 2**53: the numerator of a fraction in (0, 1].
  std::uint64_t numerator() { return (word() >> 11) + 1; }
  /// In (0, 1].
  double positive() { return static_cast<double>(numerator()) * 0x1p-53; }
  /// Standard exponential, by inversion.
  double exponential() { return -log_of_fraction(numerator()); }
  /// Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * log_of_fraction(numerator()));
    return radius * cos_of_turn(word() >> 11);
  }

 private:
  std::uint64_t key_, counter_, second_ = 0;
  std::uint32_t block_ = 0;
  bool has_second_ = false;
};

}  // namespace gamelan::protocol::philox
