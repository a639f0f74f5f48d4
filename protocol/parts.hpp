// SPDX-License-Identifier: BSD-3-Clause
// Between frames and a socket: how a client names its connections, and how a long frame travels in parts.
// Parts are short so that a socket can refuse anything longer: before a stranger is known to be one, he may
// make the engine hold as much as the longest part. Pure; used by both ends.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "protocol/codec.hpp"

namespace gamelan::protocol {

/// A ROUTER knows a connection by its routing id, here the client's name and the number of its connection.
struct ConnectionName {
  Bytes client;                  ///< chosen at random when the client starts; it keeps it across connections
  std::uint32_t connection = 0;  ///< 1, 2, ...
};
Bytes random_client_name();
Bytes routing_id(const ConnectionName& name);
/// nullopt: not made by routing_id, so the connection is all that is known of the client.
std::optional<ConnectionName> parse_routing_id(const Bytes& routing_id);

/// A part of exactly so many bytes is continued by the next one; a shorter one, an empty one too, ends its
/// frame.
inline constexpr std::size_t part_bytes = std::size_t{1} << 20;
/// What a socket must take: a part and what encryption adds to it.
inline constexpr std::int64_t max_socket_part_bytes = part_bytes + 256;
inline std::size_t part_count(std::size_t frame_bytes) { return frame_bytes / part_bytes + 1; }
inline std::span<const std::byte> part(const Bytes& frame, std::size_t index) {
  return std::span(frame)
      .subspan(index * part_bytes)
      .first(std::min(part_bytes, frame.size() - index * part_bytes));
}

/// Makes frames of the parts of one message.
class Joiner {
 public:
  /// `max_bytes`: of all frames together. A reply is as long as what was asked for.
  explicit Joiner(std::size_t max_bytes = std::numeric_limits<std::size_t>::max()) : max_bytes_(max_bytes) {}
  /// Of a message with too many frames or bytes only the header is kept, for its number; is_too_long says so.
  void add(std::span<const std::byte> part);
  bool is_too_long() const { return is_too_long_; }
  Frames take() { return std::move(frames_); }

 private:
  void keep_the_header();

  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  Frames frames_;
  bool is_continued_ = false, is_too_long_ = false;
};

}  // namespace gamelan::protocol
