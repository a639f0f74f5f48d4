// SPDX-License-Identifier: BSD-3-Clause
// Random views for property tests: chains of what a notebook writes, done on the struct by the definition of
// each operation, and the plain list of bytes a view touches to compare with. The seed is printed and can be
// given again by GAMELAN_TEST_SEED.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/view.hpp"

namespace gamelan::test {

class Random {
 public:
  Random() : seed_(choose_seed()), engine_(seed_) {}
  /// From low to high, both included.
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool chance(int percent) { return number(1, 100) <= percent; }
  std::string seed() const { return "GAMELAN_TEST_SEED=" + std::to_string(seed_); }

 private:
  static std::uint32_t choose_seed() {
    const char* given = std::getenv("GAMELAN_TEST_SEED");
    return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10))
                            : std::random_device{}();
  }
  std::uint32_t seed_;
  std::mt19937 engine_;
};

inline protocol::Shape random_extents(Random& random, std::int64_t least = 0) {
  protocol::Shape extents(static_cast<std::size_t>(random.number(0, 4)));
  for (auto& extent : extents) extent = random.chance(25) ? random.number(least, 1) : random.number(1, 6);
  return extents;
}

/// view[first : ... : step] along one axis, with `count` elements; both must be in range.
inline void slice(protocol::View& view, std::size_t axis, std::int64_t first, std::int64_t step,
                  std::int64_t count) {
  view.offset += first * view.strides[axis];
  view.strides[axis] *= step;
  view.extents[axis] = count;
}

/// One basic operation: slice with any step, integer index, newaxis, exchange of axes, broadcast.
inline void random_step(Random& random, protocol::View& view) {
  const auto dims = static_cast<std::int64_t>(view.extents.size());
  const auto axis = static_cast<std::size_t>(random.number(0, std::max<std::int64_t>(dims - 1, 0)));
  const auto at = static_cast<std::ptrdiff_t>(axis);
  switch (random.number(0, 5)) {
    case 0:
    case 1: {
      if (dims == 0 || view.extents[axis] == 0) return;
      const std::int64_t extent = view.extents[axis];
      const std::int64_t first = random.number(0, extent - 1);
      const std::int64_t step = random.number(1, 3) * (random.chance(50) ? 1 : -1);
      const std::int64_t most = (step > 0 ? extent - 1 - first : first) / std::abs(step) + 1;
      slice(view, axis, first, step, random.chance(4) ? 0 : random.number(1, most));
      return;
    }
    case 2:
      if (dims == 0 || view.extents[axis] == 0) return;
      view.offset += random.number(0, view.extents[axis] - 1) * view.strides[axis];
      view.extents.erase(view.extents.begin() + at);
      view.strides.erase(view.strides.begin() + at);
      return;
    case 3:
      if (dims >= 6) return;
      view.extents.insert(view.extents.begin() + at, 1);
      view.strides.insert(view.strides.begin() + at, random.number(-99, 99));
      return;
    case 4: {
      if (dims == 0) return;
      const auto other = static_cast<std::size_t>(random.number(0, dims - 1));
      std::swap(view.extents[axis], view.extents[other]);
      std::swap(view.strides[axis], view.strides[other]);
      return;
    }
    default:
      if (dims == 0 || view.extents[axis] != 1) return;
      view.extents[axis] = random.number(1, 3);
      view.strides[axis] = 0;
  }
}

inline protocol::View random_chain(Random& random, const protocol::View& base) {
  protocol::View view = base;
  for (std::int64_t steps = random.number(0, 8); steps > 0; --steps) random_step(random, view);
  return view;
}

/// Byte address of every element, in C order: the definition of a view.
inline std::vector<std::int64_t> addresses(const protocol::View& view) {
  std::vector<std::int64_t> found{view.offset};
  for (std::size_t axis = 0; axis < view.extents.size(); ++axis) {
    std::vector<std::int64_t> next;
    for (const std::int64_t address : found) {
      for (std::int64_t index = 0; index < view.extents[axis]; ++index) {
        next.push_back(address + index * view.strides[axis]);
      }
    }
    found = std::move(next);
  }
  return found;
}

inline std::set<std::int64_t> touched_bytes(const protocol::View& view) {
  std::set<std::int64_t> bytes;
  for (const std::int64_t address : addresses(view)) {
    for (std::size_t byte = 0; byte < protocol::size_of(view.dtype); ++byte) {
      bytes.insert(address + static_cast<std::int64_t>(byte));
    }
  }
  return bytes;
}

}  // namespace gamelan::test
