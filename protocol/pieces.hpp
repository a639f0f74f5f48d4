// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints in the memory of the nodes: how commands name them, and what all ranks do with their folders.
// A name is no path: every node has such folders below one of its own (engine/steps/files/piece_files.hpp).
#pragma once
#include <string>
#include <string_view>

#include "protocol/message.hpp"

namespace gamelan::protocol {

/// What all ranks do together with the folder of a checkpoint; ints[0] of tend_pieces.
enum class PieceAction : std::uint8_t {
  prepare,  ///< makes it on each node, where there is memory for the checkpoint: ints[1] bytes in all
  copy,     ///< copies each node's pieces to its buddy node
  remove,   ///< on all nodes
  count
};

/// The parts of "pieces-SESSION/CHECKPOINT/ARRAY"; the last ones may be missing. 0: it is no such name.
int parts_of_piece_name(std::string_view name);
/// The name at the beginning of a payload: what follows a zero is a note.
std::string piece_name(const Bytes& payload);

}  // namespace gamelan::protocol
