// SPDX-License-Identifier: BSD-3-Clause
// Structs <-> frames. Frame 0 is a JSON header (type, seq, small fields). Frame 1 of a batch has its commands
// in binary form (docs/decisions/002). The other frames are payloads. Pure: no socket, no state. Decoding
// accepts any bytes: the result is a struct or an Error{protocol}, in time and memory linear in the input.
#pragma once
#include <span>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::protocol {

using Frames = std::vector<Bytes>;

inline constexpr std::size_t max_frames = 65'536;
inline constexpr std::size_t max_commands = 1'000'000;
inline constexpr std::size_t max_header_bytes = 1 << 20;
inline constexpr std::size_t max_request_bytes = std::size_t{4} << 30;

// A message that is moved in gives its payloads away: they may be large.
Frames encode(Request request);
Request decode_request(Frames frames);  ///< throws Error{protocol}
Frames encode(Reply reply);
Reply decode_reply(Frames frames);  ///< throws Error{protocol}
/// The sequence number of a request that may be malformed; 0 when it cannot be read. Never throws.
std::uint64_t peek_sequence(const Frames& frames) noexcept;

/// One contiguous buffer for a broadcast, and back. `unpack` throws Error{protocol} on any inconsistency.
Bytes pack(const Frames& frames);
std::size_t packed_bytes(const Frames& frames);
/// The same into memory of exactly that many bytes.
void pack_into(std::span<std::byte> buffer, const Frames& frames);
Frames unpack(std::span<const std::byte> buffer);

}  // namespace gamelan::protocol
