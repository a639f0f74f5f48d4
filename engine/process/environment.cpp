// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/environment.hpp"

#include <mpi.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "protocol/error.hpp"

namespace gamelan::engine {
namespace {

/// Open MPI since 5; not 4, and not the MPICH family.
bool knows_pmix_alone(const std::string& library) {
  constexpr std::string_view before = "Open MPI v";
  return library.starts_with(before) && std::atoi(library.c_str() + before.size()) >= 5;
}

}  // namespace

const char* environment_variable(const char* name) { return std::getenv(name); }

std::string rank_from_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = environment_variable(name)) return value;
  return "0";
}

void end_with_launcher() {
  if (!environment_variable("PRTE_LAUNCHED")) return;
  const pid_t launcher = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != launcher) std::raise(SIGTERM);  // it died in between
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);  // may be called before MPI_Init
  std::string words;
  for (const char* letter = text; *letter != '\0' && *letter != ',' && *letter != '\n'; ++letter) {
    const bool is_gap = *letter == ' ' || *letter == '\t';
    if (!is_gap || (!words.empty() && words.back() != ' ')) words += is_gap ? ' ' : *letter;
  }
  return words;
}

void require_pmix(int expected_ranks) {
  const bool is_from_srun = environment_variable("SLURM_STEP_ID") && environment_variable("SLURM_PROCID");
  const bool has_pmix = environment_variable("PMIX_NAMESPACE") && environment_variable("PMIX_RANK");
  if (expected_ranks < 2 || !is_from_srun || has_pmix || !knows_pmix_alone(mpi_library())) return;
  throw protocol::Error(protocol::ErrorKind::os, "srun gave no PMIx to " + mpi_library() +
                                                     ", which knows nothing else: use srun --mpi=pmix");
}

void redirect_output(const std::string& directory, const std::string& rank) {
  const std::string path = directory + "/rank-" + rank + ".log";
  if (!std::freopen(path.c_str(), "a", stderr))
    throw protocol::Error(protocol::ErrorKind::os,
                          "--log: cannot write " + path + ": does the directory exist?");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  setvbuf(stderr, nullptr, _IOLBF, 0);
}

}  // namespace gamelan::engine
