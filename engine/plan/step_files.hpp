// SPDX-License-Identifier: BSD-3-Clause
// Steps that read or write a file, whose path is a payload.
#pragma once
#include "engine/plan/slot.hpp"
#include "protocol/datasets.hpp"
#include "protocol/pieces.hpp"

namespace gamelan::engine::plan {

/// Every rank reads its block of a new array from a file whose path is a payload.
struct ReadFile {
  int payload = -1;
  std::int64_t offset = 0;
  Shape strides;  ///< bytes in the file, per axis
  bool is_swapped = false;
  Dtype dtype{};
  int out = -1;
};

/// Every rank reads its block of a part of an HDF5 dataset, which may be stored in chunks and compressed.
struct ReadHdf5 {
  int payload = -1;
  protocol::Selection part;
  Dtype dtype{};
  int out = -1;
};

/// Every rank reads the chunks of a Zarr array that overlap its block of the result.
struct ReadZarr {
  int payload = -1;
  protocol::Selection part;
  protocol::ZarrChunks chunks;
  protocol::Scalar filling;  ///< what chunks hold that have no file
  Dtype dtype{};
  int out = -1;
};

/// Every rank writes its share of the elements, which are in C order in the file.
struct WriteFile {
  int payload = -1;  ///< -1: nothing is written nor read, ranks tell the sums that they know from reading
  std::int64_t offset = 0;
  bool has_checksum = false;
  Operand input;
  Dtype dtype{};
  Layout shares;  ///< who writes what
  int out = -1;
  bool is_in_pieces = false;  ///< the payload names pieces: each rank's share is one, in its node's memory
};

/// All ranks together fill a new array with the pieces that lie in the memory of their nodes.
struct ReadPieces {
  int payload = -1;
  Dtype dtype{};
  int out = -1;
};

/// All ranks together tend the folder of a checkpoint in the memory of their nodes.
struct TendPieces {
  int payload = -1;
  protocol::PieceAction action{};
  std::int64_t bytes = 0;
  int out = -1;
};

}  // namespace gamelan::engine::plan
