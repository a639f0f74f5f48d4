// SPDX-License-Identifier: BSD-3-Clause
// Cuts a box into smaller boxes, for steps that work through a buffer: whole along the last axes, as many
// indices as fit.
#pragma once
#include <algorithm>

#include "engine/distribution/layout.hpp"

namespace gamelan::engine::steps {

/// Calls visit(part) for parts of `box` in C order of their corners, each of at most `most` elements. Axis
/// `whole` is never cut and does not count (-1: there is none).
template <class Visit>
void for_each_chunk(const distribution::Box& box, std::int64_t most, int whole, Visit visit) {
  if (distribution::is_empty(box)) return;
  protocol::Shape step(box.size());
  std::int64_t room = std::max<std::int64_t>(most, 1);
  for (std::size_t k = box.size(); k-- > 0;) {
    step[k] = static_cast<int>(k) == whole ? box[k].size() : std::min(box[k].size(), room);
    if (static_cast<int>(k) != whole)
      room = step[k] == box[k].size() ? std::max<std::int64_t>(room / step[k], 1) : 1;
  }
  distribution::Box part(box.size());
  const auto descend = [&](const auto& self, std::size_t k) -> void {
    if (k == box.size()) return visit(part);
    for (auto at = box[k].first; at < box[k].last; at += step[k]) {
      part[k] = {at, std::min(at + step[k], box[k].last)};
      self(self, k + 1);
    }
  };
  descend(descend, 0);
}

}  // namespace gamelan::engine::steps
