// SPDX-License-Identifier: BSD-3-Clause
// Frame 1 of a batch: commands, frees, fetches and origins in compact little-endian form (docs/decisions/002
// compares it with JSON and CBOR). The header has the number of each. Used by codec.cpp, and by who keeps
// encoded batches.
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
/// The batch in these frames (codec.hpp), to be looked at: payloads of 65,536 bytes or more, elements of
/// constants, are empty, so that nobody copies what he does not read, and so it counts as one to be planned
/// only. Throws Error{protocol}, also where the frames hold no batch.
Batch decode_without_elements(const std::vector<Bytes>& frames);

}  // namespace gamelan::protocol
