// SPDX-License-Identifier: BSD-3-Clause
// MPI and nothing else: how many ranks there are, how many share a host, how fast bytes go round. What this
// says when Slurm starts it is the ground on which engines over several hosts stand. Usage: mpi_probe BYTES
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const int bytes = argc > 1 ? std::atoi(argv[1]) : 0;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, together = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &together);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  // Every rank sends to the one opposite: with ranks placed node by node all of it crosses.
  std::vector<char> sent(static_cast<std::size_t>(bytes), static_cast<char>(rank)), got(sent.size());
  const int opposite = (rank + size / 2) % size, its_opposite = (rank + size - size / 2) % size;
  const double start = MPI_Wtime();
  MPI_Sendrecv(sent.data(), bytes, MPI_CHAR, opposite, 0, got.data(), bytes, MPI_CHAR, its_opposite, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double seconds = MPI_Wtime() - start;
  if (rank == 0)
    std::printf("{\"ranks\": %d, \"together\": %d, \"sum\": %d, \"seconds\": %g}\n", size, together, sum,
                seconds);
  MPI_Comm_free(&node);
  MPI_Finalize();
}
