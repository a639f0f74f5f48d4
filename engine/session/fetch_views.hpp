// SPDX-License-Identifier: BSD-3-Clause
// Brings the elements that a batch fetches to rank 0. The session calls it on every rank after the last step
// of the batch.
#pragma once
#include <optional>
#include <vector>

#include "engine/session/array_table.hpp"

namespace gamelan::engine {

/// Rank 0 reads the views from the blocks of its node; ranks of other nodes send it the rest. An error is
/// returned on every rank, and rank 0 reports it; the other ranks send their part in any case. Collective.
/// Throws Error{engine_lost}.
std::optional<protocol::Error> fetch_views(const protocol::Batch& batch, Comm& comm, distribution::Heap& heap,
                                           Board& board, steps::Executor& executor, const ArrayTable& arrays,
                                           std::vector<protocol::Bytes>& payloads);

}  // namespace gamelan::engine
