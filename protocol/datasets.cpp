// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/datasets.hpp"

#include <algorithm>

namespace gamelan::protocol {
namespace {

constexpr std::size_t zarr_facts = 4;

/// Row `which` of numbers that stand one per axis, after `before` others.
Shape per_axis(const Command& command, std::size_t before, std::size_t which) {
  const auto dims = command.out.extents.size();
  const auto first = command.ints.begin() + static_cast<std::ptrdiff_t>(before + which * dims);
  return {first, first + static_cast<std::ptrdiff_t>(dims)};
}

}  // namespace

Selection hdf5_selection(const Command& command) {
  return {per_axis(command, 0, 0), per_axis(command, 0, 1)};
}

std::pair<std::string, std::string> hdf5_names(const Bytes& payload) {
  const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
  const auto end = std::min(text.find('\0'), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

Selection zarr_selection(const Command& command) {
  return {per_axis(command, zarr_facts, 0), per_axis(command, zarr_facts, 1)};
}

ZarrChunks zarr_chunks(const Command& command) {
  return {static_cast<ChunkCodec>(command.ints[0]), command.ints[1] != 0, command.ints[2] != 0,
          command.ints[3] != 0, per_axis(command, zarr_facts, 2)};
}

}  // namespace gamelan::protocol
