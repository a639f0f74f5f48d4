// SPDX-License-Identifier: BSD-3-Clause
// Frame 1 of a batch: commands, frees, fetches and origins in compact little-endian form (docs/decisions/002
// compares it with JSON and CBOR). The header has the number of each. Used by codec.cpp only.
#pragma once
#include <span>

#include "protocol/message.hpp"

namespace gamelan::protocol {

/// How many of each a frame has, as its header says.
struct CommandCounts {
  std::size_t commands = 0, frees = 0, fetches = 0, origins = 0;
};

/// Throws Error{protocol} for a command that decode_commands would refuse (too many dimensions or operands).
Bytes encode_commands(const Batch& batch);
/// Fills commands, frees, fetches and origins of `batch`, whose payloads are already there; each command is
/// `check`ed. Throws Error{protocol}, with the index of the command at fault where there is one.
void decode_commands(std::span<const std::byte> frame, const CommandCounts& counts, Batch& batch);

}  // namespace gamelan::protocol
