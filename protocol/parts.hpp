// SPDX-License-Identifier: BSD-3-Clause
// How a client names its connections, and how a long frame travels over a socket in parts. Parts are short so
// that a socket can refuse anything longer: until a client has shown its key, it can make the engine store no
// more than one part. Pure; used by both ends.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "protocol/codec.hpp"

namespace gamelan::protocol {

/// The name of a connection: the client's name and the number of the connection. ZeroMQ's ROUTER knows it as
/// the routing id.
struct ConnectionName {
  Bytes client;                  ///< chosen at random when the client starts, and kept across its connections
  std::uint32_t connection = 0;  ///< 1, 2, ...
};
Bytes random_client_name();
Bytes routing_id(const ConnectionName& name);
/// nullopt when the id was not made by routing_id(): then only the connection is known, not the client.
std::optional<ConnectionName> parse_routing_id(const Bytes& routing_id);

/// A part of exactly this size is continued by the next part. A shorter one, also an empty one, ends its
/// frame.
inline constexpr std::size_t part_bytes = std::size_t{1} << 20;
/// What a socket must accept: a part and what encryption adds to it.
inline constexpr std::int64_t max_socket_part_bytes = part_bytes + 256;
inline std::size_t part_count(std::size_t frame_bytes) { return frame_bytes / part_bytes + 1; }
inline std::span<const std::byte> part(const Bytes& frame, std::size_t index) {
  return std::span(frame)
      .subspan(index * part_bytes)
      .first(std::min(part_bytes, frame.size() - index * part_bytes));
}

/// Joins the parts of one message into frames.
class Joiner {
 public:
  /// `max_bytes`: limit of all frames together. Replies have no limit, because they are as long as the client
  /// asked for.
  explicit Joiner(std::size_t max_bytes = std::numeric_limits<std::size_t>::max()) : max_bytes_(max_bytes) {}
  /// Takes the next part. Of a message with too many frames or bytes only the header is kept, because it has
  /// the sequence number; is_too_long() is true then.
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
