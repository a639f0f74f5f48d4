// SPDX-License-Identifier: BSD-3-Clause
// Iterates over the indices of a box, and turns a user's index into a position.
#pragma once
#include <algorithm>
#include <cstdint>

#include "protocol/view.hpp"

namespace gamelan::engine::steps {

/// Calls visit(index) for every index of extents, in C order.
template <class Visit>
void for_each_index(const protocol::Shape& extents, Visit visit) {
  if (protocol::element_count(extents) == 0) return;
  protocol::Shape index(extents.size(), 0);
  while (true) {
    visit(index);
    std::size_t k = extents.size();
    while (k > 0 && ++index[k - 1] == extents[k - 1]) index[--k] = 0;
    if (k == 0) return;
  }
}

/// A negative index counts from the end. An index out of range, which the kernel never sends, is moved
/// inside.
inline std::int64_t position_of(std::int64_t index, std::int64_t extent) {
  return std::clamp<std::int64_t>(index + (index < 0 ? extent : 0), 0, extent - 1);
}

}  // namespace gamelan::engine::steps
