// SPDX-License-Identifier: BSD-3-Clause
// How a rank ends the whole job when it alone has met an error.
#pragma once
#include <exception>

#include "engine/ranks/comm.hpp"
#include "engine/serving/server.hpp"

namespace gamelan::engine {

/// Prints the error and ends all ranks, because the others wait in a collective that this rank will not join.
/// `server` (rank 0): it tells its clients first. Call this before anything in the heap is destroyed, because
/// those destructors wait for all ranks.
[[noreturn]] void end_job(const Comm& comm, const std::exception& error, Server* server = nullptr);

}  // namespace gamelan::engine
