// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/end_job.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "engine/host_name.hpp"
#include "engine/ranks/exit_soon.hpp"

namespace gamelan::engine {

void end_job(const Comm& comm, const std::exception& error, Server* server) {
  std::fprintf(stderr, "gamelan-engine: rank %d of %d on %s: %s\n", comm.rank(), comm.size(),
               host_name().c_str(), error.what());
  std::fflush(stderr);
  exit_soon();
  if (server) {
    server->leave(error.what());  // tells waiting clients, removes the connection file, ends this process
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  MPI_Abort(comm.world(), EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace gamelan::engine
