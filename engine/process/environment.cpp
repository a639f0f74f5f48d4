// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/environment.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "protocol/error.hpp"

namespace gamelan::engine {

const char* environment_variable(const char* name) { return std::getenv(name); }

std::string rank_from_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = environment_variable(name)) return value;
  return "0";
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
