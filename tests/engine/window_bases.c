// SPDX-License-Identifier: BSD-3-Clause
// window_bases [BYTES]: does every rank find every other rank's part of an MPI window where it is? Global
// Arrays rest on this. On MPICH 4.0 (Debian 12's) not, unless BYTES is a multiple of 16 (docs/decisions/026);
// the default is what Gamelan asks for. One file without anything of Gamelan, for a site that meets a new
// MPI: mpicc window_bases.c && mpiexec -n 3 ./a.out 72
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks, wrong = 0, bytes = argc > 1 ? atoi(argv[1]) : 64;
  char* part;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < bytes; ++i)
    part[i] = (char)(i + 50 * rank);  // in place, as NGA_Access lets its caller do
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int from = 0; from < ranks; ++from) {
    for (int i = 0; i < bytes; ++i) {
      char got = 0;
      MPI_Get(&got, 1, MPI_CHAR, from, i, 1, MPI_CHAR, window);
      MPI_Win_flush(from, window);
      wrong += got != (char)(i + 50 * from);
    }
  }
  printf("rank %d: %d of %d bytes are wrong\n", rank, wrong, ranks * bytes);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong != 0;
}
