// SPDX-License-Identifier: BSD-3-Clause
// A way to rank 0. The session chooses which ways there are and their order (gamelan/_launch/_routes.py), the
// channel takes the first that leads there.
#pragma once
#include <string>
#include <vector>

namespace gamelan::kernel {

struct Route {
  std::string name;  ///< as people are told: "direct", "srun relay through job 12"
  std::vector<std::string>
      command;  ///< empty: the addresses of the connection file; else a program that passes bytes on
};

}  // namespace gamelan::kernel
