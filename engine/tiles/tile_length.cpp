// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_length.hpp"

#include <algorithm>
#include <vector>

namespace gamelan::engine::tiles {
namespace {

constexpr std::int64_t room_bytes = 40 << 10;  // most of a first-level cache; slightly more than a small one
constexpr std::int64_t shortest = 512;         // elements
constexpr std::int64_t longest = 4096;         // elements of a byte

/// The most bytes per element that are held at once: values between their definition and their last use. A
/// store happens where its value is defined, and a constant is one element.
std::int64_t bytes_held(const Renamed& renamed) {
  std::vector<std::int64_t> change(renamed.steps.size() + 1, 0);
  std::vector<int> last_use(renamed.values.size(), -1);
  for (std::size_t index = 0; index < renamed.steps.size(); ++index) {
    if (renamed.steps[index].kind == Instruction::Kind::store) continue;
    for (const int value : renamed.steps[index].in) {
      if (value >= 0) last_use[static_cast<std::size_t>(value)] = static_cast<int>(index);
    }
  }
  for (std::size_t index = 0; index < renamed.steps.size(); ++index) {
    const Step& step = renamed.steps[index];
    if (step.out < 0 || step.kind == Instruction::Kind::constant) continue;
    const auto value = static_cast<std::size_t>(step.out);
    const auto bytes = static_cast<std::int64_t>(protocol::size_of(renamed.values[value].dtype));
    change[index] += bytes;
    change[std::max(index, static_cast<std::size_t>(std::max(last_use[value], 0))) + 1] -= bytes;
  }
  std::int64_t held = 0, most = 0;
  for (const std::int64_t each : change) most = std::max(most, held += each);
  return most;
}

}  // namespace

std::int64_t length_of_tiles(const Renamed& renamed) {
  const std::int64_t held = bytes_held(renamed);
  const bool has_bytes_only =
      std::all_of(renamed.values.begin(), renamed.values.end(),
                  [](const Value& value) { return protocol::size_of(value.dtype) == 1; });
  std::int64_t length = has_bytes_only ? longest : tile_elements;
  while (length > shortest && length * held > room_bytes) length /= 2;
  return length;
}

}  // namespace gamelan::engine::tiles
