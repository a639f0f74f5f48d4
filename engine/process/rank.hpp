// SPDX-License-Identifier: BSD-3-Clause
// The life of one rank between the start and the end of MPI. Called by main.cpp.
#pragma once
#include "engine/options.hpp"
#include "engine/ranks/comm.hpp"

namespace gamelan::engine {

/// Makes heap, board and session, then runs this rank's loop (loops.hpp) to its end. Rank 0 also serves the
/// socket. Collective. Throws on all ranks alike when the engines cannot start.
void run_rank(const Options& options, Comm& comm);

}  // namespace gamelan::engine
