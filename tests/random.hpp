// SPDX-License-Identifier: BSD-3-Clause
// Small random choices for property tests; a seed repeats them.
#pragma once
#include <random>
#include <vector>

namespace gamelan::testing {

class Choices {
 public:
  explicit Choices(unsigned seed) : engine_(seed) {}
  /// 0 <= result < limit.
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(engine_); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

}  // namespace gamelan::testing
