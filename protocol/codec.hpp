// SPDX-License-Identifier: BSD-3-Clause
// Structs <-> frames. Frame 0 is a JSON header (type, seq, small fields), frame 1 of a batch its commands in
// a compact little-endian form (docs/decisions/002), the rest raw payloads. Pure: no socket, no state.
// Decoding trusts nothing: whatever the bytes, the result is a struct or an Error{protocol}, in time and
// memory linear in the input.
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
/// Of one array in a batch; the rest is for its commands, and for smaller payloads recorded before it.
inline constexpr std::size_t max_payload_bytes = max_request_bytes - (std::size_t{256} << 20);

Frames encode(const Request& request);
Request decode_request(const Frames& frames);  ///< throws Error{protocol}
Frames encode(const Reply& reply);
Reply decode_reply(const Frames& frames);  ///< throws Error{protocol}
/// Best effort: the sequence number of a malformed request, 0 when it cannot be read. Never throws.
std::uint64_t peek_sequence(const Frames& frames) noexcept;

/// One contiguous buffer for a broadcast, and back; `unpack` throws Error{protocol} on any inconsistency.
Bytes pack(const Frames& frames);
Frames unpack(std::span<const std::byte> buffer);

}  // namespace gamelan::protocol
