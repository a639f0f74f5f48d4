// SPDX-License-Identifier: BSD-3-Clause
// Why nobody answers at an address, asked of the system itself: ZeroMQ does not tell. For messages only.
#pragma once
#include <string>

namespace gamelan::kernel {

struct Knock {
  std::string text;              ///< "refuses the connection: nobody listens there", ...
  bool is_nobody_there = false;  ///< the host says so, or the socket is no more
};

/// Takes at most 0.2 s. `address`: ipc://path or tcp://ip:port.
Knock knock(const std::string& address);

}  // namespace gamelan::kernel
