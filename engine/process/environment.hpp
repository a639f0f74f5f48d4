// SPDX-License-Identifier: BSD-3-Clause
// An engine's surroundings: environment variables, launcher, MPI library, log file. Before MPI is started.
#pragma once
#include <string>

namespace gamelan::engine {

/// Value of an environment variable; nullptr when it is not set.
const char* environment_variable(const char* name);
/// The rank, read from the launcher's environment; "0" for a process that was started by hand. It is needed
/// before MPI_Init, and only MPI could tell it reliably.
std::string rank_from_launcher();
/// Ends this process, by SIGTERM, together with the mpiexec of Open MPI 5 that started it, whose ranks would
/// outlive it. (Those of Open MPI 4 end by themselves, and Slurm ends its own.)
void end_with_launcher();
/// The MPI library that this program was linked with, as "Open MPI v4.1.4".
std::string mpi_library();
/// Refuses, with Error{os}, what Open MPI 5 would take for a program started by hand: srun started this rank
/// as one of several, and gave it no PMIx. Each such rank would be alone, and would leave files in /dev/shm
/// when its step ends. (Open MPI 4 may have been built with another PMI: check_rank_count sees it there.)
void require_pmix(int expected_ranks);
/// Sends standard output and standard error to DIRECTORY/rank-RANK.log. Throws Error{os}.
void redirect_output(const std::string& directory, const std::string& rank);

}  // namespace gamelan::engine
