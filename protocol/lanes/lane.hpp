// SPDX-License-Identifier: BSD-3-Clause
// Lanes: shared memory through which clients on rank 0's machine send requests and get replies, without a
// socket and its threads. Rank 0 makes the memory and offers it in its greeting; a client claims one lane of
// it. This file says what lies where, how a message is written and read, and what is lent in it. Who maps the
// memory and who waits is in engine/serving/lanes.cpp and kernel/connection/lane.cpp.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "protocol/check.hpp"
#include "protocol/codec.hpp"
#include "protocol/lanes/shared_counter.hpp"

namespace gamelan::protocol {

/// Where rank 0's memory is found by a process of the same machine and user: a descriptor of its process. The
/// number `proof` lies at its beginning, so that another memory is not taken for it.
struct LaneOffer {
  std::int64_t process_id = 0;
  int descriptor = -1;
  std::uint64_t proof = 0;
  int layout = 0;  ///< LaneRegion::layout of rank 0's build
};

/// How many bytes one side of a ring has written and the other has read, since the beginning. Nothing unread
/// lies before `start`, which the writer moves when the ring is empty.
struct RingWords {
  alignas(cache_line_bytes) std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> start{0};
  alignas(cache_line_bytes) std::atomic<std::uint64_t> read{0};
};

/// One direction of a lane: messages in a ring of bytes. One writer and one reader at a time, in different
/// processes. A message lies in one piece. One that is written into an empty ring lies at its beginning, so
/// that short messages touch few pages.
class Ring {
 public:
  /// `data`: `bytes` bytes, a multiple of 8.
  Ring(RingWords& words, std::byte* data, std::size_t bytes) : words_(&words), data_(data), bytes_(bytes) {}

  /// For the writer: the message, packed. False, and nothing is written, when there is no room.
  bool write(const Frames& frames);
  /// For the reader: the oldest message, in place, until release(). nullopt when there is none. Throws
  /// Error{protocol} when the ring holds no message where one must begin.
  std::optional<std::span<const std::byte>> read();
  void release();

 private:
  RingWords* words_;
  std::byte* data_;
  std::size_t bytes_;
  std::uint64_t end_of_read_ = 0;
};

enum class LaneState : std::uint8_t {
  free,
  claimed,  ///< a client has it
  leaving,  ///< the client will not touch it again; rank 0 frees it when its requests are read
};

/// The words of one lane. Its client writes the first group, rank 0 the second.
struct LaneWords {
  static constexpr std::size_t max_name_bytes = 64;

  std::atomic<std::uint64_t> owner{0};  ///< process id << 8 | LaneState
  std::uint32_t name_bytes = 0;
  std::byte name[max_name_bytes] = {};  ///< the client's, as in ConnectionName
  std::atomic<bool> is_named{false};

  SharedCounter replies;                    ///< rises with every reply
  std::atomic<std::uint64_t> by_socket{0};  ///< replies up to this number may come over the socket
  std::atomic<bool> is_refused{false};      ///< no message began where one must: rank 0 reads no more

  RingWords request_words, reply_words;
};
inline std::uint64_t lane_owner(std::int64_t process_id, LaneState state) {
  return static_cast<std::uint64_t>(process_id) << 8 | static_cast<std::uint64_t>(state);
}
inline LaneState lane_state(std::uint64_t owner) { return static_cast<LaneState>(owner & 0xff); }
inline std::int64_t lane_process(std::uint64_t owner) { return static_cast<std::int64_t>(owner >> 8); }

/// The beginning of the memory. The rings' bytes follow on their own pages.
struct LaneRegion {
  static constexpr int layout = 2;  ///< to be raised when anything here changes its place or meaning
  static constexpr std::size_t lane_count = 8, request_bytes = std::size_t{32} << 20,
                               reply_bytes = std::size_t{64} << 20, lent_bytes = std::size_t{32} << 20;
  static constexpr std::size_t header_bytes = 1 << 16;
  static constexpr std::size_t lane_bytes = request_bytes + reply_bytes + lent_bytes;
  /// Of all; a page takes memory when it is written.
  static constexpr std::size_t total_bytes = header_bytes + lane_count * lane_bytes;

  std::atomic<std::uint64_t> proof{0};
  /// All ranks map this memory, and read there what clients lend (LentBytes).
  std::atomic<bool> takes_lent{false};
  SharedCounter bell;  ///< rung by clients for every request; rank 0 sleeps here
  LaneWords lanes[lane_count];

  /// The bytes of a lane, on pages of their own: both rings, and what its client lends.
  std::span<std::byte> bytes(std::size_t lane) { return {data(lane), lane_bytes}; }
  Ring requests(std::size_t lane) { return {lanes[lane].request_words, data(lane), request_bytes}; }
  Ring replies(std::size_t lane) {
    return {lanes[lane].reply_words, data(lane) + request_bytes, reply_bytes};
  }
  /// True for a place at which a client may lend elements.
  static constexpr bool holds(const LentBytes& place) {
    return place.offset >= header_bytes && place.bytes <= total_bytes &&
           place.offset <= total_bytes - place.bytes;
  }
  /// Where what the lane's client lends begins, from the beginning of this memory.
  static constexpr std::size_t lent_begin(std::size_t lane) {
    return header_bytes + lane * lane_bytes + request_bytes + reply_bytes;
  }

 private:
  std::byte* data(std::size_t lane) {
    return reinterpret_cast<std::byte*>(this) + header_bytes + lane * lane_bytes;
  }
};
static_assert(sizeof(LaneRegion) <= LaneRegion::header_bytes);

}  // namespace gamelan::protocol
