// SPDX-License-Identifier: BSD-3-Clause
// Elements as bytes of a known size. Code that moves elements without computing needs no dtype.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace gamelan::engine::steps {

template <std::size_t bytes>
struct Item {
  alignas(bytes < 8 ? bytes : 8) std::array<std::byte, bytes> data;
};

/// Calls `visit` with an Item of 1, 2, 4, 8 or 16 bytes: the sizes that dtypes have.
template <class Visit>
auto with_item(std::size_t bytes, Visit visit) {
  switch (bytes) {
    case 1:
      return visit(Item<1>{});
    case 2:
      return visit(Item<2>{});
    case 4:
      return visit(Item<4>{});
    case 8:
      return visit(Item<8>{});
    default:
      return visit(Item<16>{});
  }
}

}  // namespace gamelan::engine::steps
