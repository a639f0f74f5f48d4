// SPDX-License-Identifier: BSD-3-Clause
// Names of connections and the joining of parts.
#include "protocol/parts.hpp"

#include <random>

namespace gamelan::protocol {
namespace {

constexpr std::byte mark{'g'};  // ZeroMQ's own names begin with 0
constexpr std::size_t name_bytes = 16, route_bytes = name_bytes + 4;

}  // namespace

Bytes random_client_name() {
  std::random_device random;
  Bytes name(name_bytes, mark);
  for (std::size_t index = 1; index < name.size(); ++index)
    name[index] = static_cast<std::byte>(random() & 0xff);
  return name;
}

Bytes routing_id(const ConnectionName& name) {
  Bytes id = name.client;
  for (int shift = 24; shift >= 0; shift -= 8)
    id.push_back(static_cast<std::byte>(name.connection >> shift & 0xff));
  return id;
}

std::optional<ConnectionName> parse_routing_id(const Bytes& routing_id) {
  if (routing_id.size() != route_bytes || routing_id[0] != mark) return std::nullopt;
  ConnectionName name;
  name.client.assign(routing_id.begin(), routing_id.begin() + name_bytes);
  for (std::size_t index = name_bytes; index < route_bytes; ++index)
    name.connection = name.connection << 8 | std::to_integer<std::uint32_t>(routing_id[index]);
  return name;
}

void Joiner::add(std::span<const std::byte> part) {
  bytes_ += part.size();
  if (!is_too_long_ && (bytes_ > max_bytes_ || (!is_continued_ && frames_.size() == max_frames)))
    keep_the_header();
  if (!is_too_long_) {
    if (!is_continued_) frames_.emplace_back();
    frames_.back().insert(frames_.back().end(), part.begin(), part.end());
  }
  is_continued_ = part.size() == part_bytes;
}

void Joiner::keep_the_header() {
  is_too_long_ = true;
  frames_.resize(std::min<std::size_t>(frames_.size(), 1));
  if (!frames_.empty() && frames_[0].size() > max_header_bytes) frames_.clear();  // it is none
  frames_.shrink_to_fit();
}

}  // namespace gamelan::protocol
