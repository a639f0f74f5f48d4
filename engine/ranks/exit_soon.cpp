// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ranks/exit_soon.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace gamelan::engine {

void exit_soon() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    std::_Exit(EXIT_FAILURE);
  }).detach();
}

}  // namespace gamelan::engine
