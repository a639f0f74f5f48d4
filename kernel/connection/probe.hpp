// SPDX-License-Identifier: BSD-3-Clause
// Why nobody answers at an address, asked of the system itself: ZeroMQ does not tell. For messages only.
#pragma once
#include <string>
#include <vector>

namespace gamelan::kernel {

struct ProbeAnswer {
  std::string text;              ///< "refuses the connection: nobody listens there", ...
  bool is_nobody_there = false;  ///< the host says so, or the socket is no more
};

/// Asks at all of them at once and takes at most 0.2 s. An address is ipc://path or tcp://ip:port.
std::vector<ProbeAnswer> probe(const std::vector<std::string>& addresses);

}  // namespace gamelan::kernel
