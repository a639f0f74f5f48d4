// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/datasets.hpp"

#include <algorithm>

#include "protocol/pieces.hpp"

namespace gamelan::protocol {
namespace {

constexpr std::size_t zarr_facts = 4;
constexpr std::size_t longest_name = 400;
constexpr std::string_view beginning = "pieces-";

/// Row `which` of numbers that stand one per axis, after `before` others.
Shape per_axis(const Command& command, std::size_t before, std::size_t which) {
  const auto dims = command.out.extents.size();
  const auto first = command.ints.begin() + static_cast<std::ptrdiff_t>(before + which * dims);
  return {first, first + static_cast<std::ptrdiff_t>(dims)};
}

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
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

int parts_of_piece_name(std::string_view name) {
  if (name.size() > longest_name || name.substr(0, beginning.size()) != beginning) return 0;
  int parts = 0;
  while (true) {
    const auto end = std::min(name.find('/'), name.size());
    const auto part = name.substr(0, end);
    if (part.empty() || part[0] == '.' || !std::all_of(part.begin(), part.end(), is_allowed)) return 0;
    if (++parts > 3) return 0;
    if (end == name.size()) return parts;
    name.remove_prefix(end + 1);
  }
}

std::string piece_name(const Bytes& payload) {
  const auto end = std::find(payload.begin(), payload.end(), std::byte{0});
  return {reinterpret_cast<const char*>(payload.data()), static_cast<std::size_t>(end - payload.begin())};
}

}  // namespace gamelan::protocol
