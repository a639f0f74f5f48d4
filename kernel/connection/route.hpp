// SPDX-License-Identifier: BSD-3-Clause
// A route to rank 0. kernel/gamelan/_launch/_routes.py decides which routes there are and in which order. The
// channel takes the first that works.
#pragma once
#include <string>
#include <vector>

namespace gamelan::kernel {

/// One route: its name, and how to connect.
struct Route {
  std::string name;  ///< as people are told: "direct", "srun relay through job 12"
  std::vector<std::string>
      command;  ///< empty: the addresses of the connection file; else a program that passes bytes on
};

}  // namespace gamelan::kernel
