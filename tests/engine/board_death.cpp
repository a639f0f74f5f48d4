// SPDX-License-Identifier: BSD-3-Clause
// Not a gtest: the last rank is killed while the others sleep on it. mpiexec must end the job (and the script
// finds nothing left over); where mpiexec is told to let the others live, they must notice by themselves.
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "engine/nodes/board.hpp"

int main(int argc, char** argv) {
  gamelan::engine::Comm comm(&argc, &argv);
  gamelan::engine::distribution::Heap heap(comm, std::size_t{1} << 20);
  gamelan::engine::Board board(comm, heap);
  const int victim = comm.size() - 1;
  comm.barrier();
  if (comm.rank() == victim) {
    usleep(200'000);
    raise(SIGKILL);
  }
  try {
    board.await(victim, 1);
  } catch (const gamelan::protocol::Error& error) {
    std::printf("rank %d noticed: %s\n", comm.rank(), error.what());
    std::fflush(stdout);
    _exit(3);  // MPI cannot be finalised without the dead
  }
  return 0;
}
