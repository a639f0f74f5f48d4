// SPDX-License-Identifier: BSD-3-Clause
// The values that a batch asks for, brought to rank 0. The session calls it on every rank, when all steps of
// the batch are over.
#pragma once
#include <optional>
#include <vector>

#include "engine/session/array_table.hpp"

namespace gamelan::engine {

/// Rank 0 reads the views where they lie; ranks of other nodes send what it cannot reach. What goes wrong is
/// returned on every rank, and rank 0's to tell; the others send all the same. Throws Error{engine_lost}.
std::optional<protocol::Error> fetch_views(const protocol::Batch& batch, Comm& comm, distribution::Heap& heap,
                                           Board& board, steps::Executor& executor, const ArrayTable& arrays,
                                           std::vector<protocol::Bytes>& payloads);

}  // namespace gamelan::engine
