// SPDX-License-Identifier: BSD-3-Clause
// The two loops of the engines. Rank 0 takes requests from its server and replies; the board carries each
// request to all ranks; every rank executes it. Called by rank.cpp. It knows nothing of arrays.
#pragma once
#include "engine/nodes/board.hpp"
#include "engine/serving/server.hpp"
#include "engine/session/session.hpp"

namespace gamelan::engine {

/// Runs on rank 0 until a client sends Shutdown, or no client was heard for --idle-timeout. Collective with
/// run_worker_loop on the other ranks.
void run_root_loop(Server& server, Board& board, Session& session);
/// Runs on all other ranks until rank 0's loop ends.
void run_worker_loop(Board& board, Session& session);

}  // namespace gamelan::engine
