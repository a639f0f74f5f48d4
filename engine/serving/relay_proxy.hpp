// SPDX-License-Identifier: BSD-3-Clause
// `gamelan-engine --relay HOST:PORT`: the far end of a client's tunnel (kernel/connection/tunnel.hpp). It
// runs on a node that can reach rank 0. A client that cannot reach rank 0 starts it through srun or ssh. It
// passes bytes between standard input and output and that port. It cannot read them, because they are
// encrypted from end to end. It starts no MPI. Used by main.cpp.
#pragma once
#include <string>

namespace gamelan::engine {

/// Runs until either side has ended. Returns the exit code: 0 after a connection, 1 when there was none
/// (standard error says why).
int run_relay_proxy(const std::string& host_and_port);

}  // namespace gamelan::engine
