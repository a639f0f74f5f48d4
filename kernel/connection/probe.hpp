// SPDX-License-Identifier: BSD-3-Clause
// Finds out why an address does not answer, by asking the system; ZeroMQ does not tell. For messages only.
#pragma once
#include <string>
#include <vector>

namespace gamelan::kernel {

/// What a probe of one address has found.
struct ProbeAnswer {
  std::string text;              ///< "refuses the connection: nobody listens there", ...
  bool is_nobody_there = false;  ///< the host refuses the connection, or the socket file does not exist
};

/// Probes all addresses at once; takes at most 0.2 s. An address is ipc://path or tcp://ip:port.
std::vector<ProbeAnswer> probe(const std::vector<std::string>& addresses);

}  // namespace gamelan::kernel
