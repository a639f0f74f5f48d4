// SPDX-License-Identifier: BSD-3-Clause
// Copies the pieces that each rank has written for a checkpoint to the memory of the next node.
#pragma once
#include <string>

#include "engine/ranks/comm.hpp"

namespace gamelan::engine::steps {

/// What a rank has kept for others.
struct Copied {
  std::int64_t pieces = 0, bytes = 0;
};
/// Every rank sends its own pieces of the checkpoint, by name, to its buddy (piece_plan.hpp). The copies are
/// whole, and have the checksums of their originals, on all ranks or an error is thrown on all of them; then
/// some may be there. Collective.
Copied copy_pieces(Comm& comm, const std::string& checkpoint);

}  // namespace gamelan::engine::steps
