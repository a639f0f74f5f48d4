// SPDX-License-Identifier: BSD-3-Clause
// `gamelan-engine --relay HOST:PORT`: the far end of a client's tunnel (kernel/connection/tunnel.hpp). Runs
// on a node that can reach rank 0, started by srun or ssh for a client that cannot, and passes bytes between
// standard input and output and that port. It cannot read them: they are encrypted from end to end. Starts no
// MPI. Used by main.cpp.
#pragma once
#include <string>

namespace gamelan::engine {

/// Returns the exit code when either side has ended: 0 after a connection, 1 when there was none (stderr says
/// why).
int run_relay_proxy(const std::string& host_and_port);

}  // namespace gamelan::engine
