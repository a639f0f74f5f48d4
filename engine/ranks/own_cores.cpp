// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ranks/own_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>

namespace gamelan::engine {
namespace {

/// The lowest CPU of the core that a CPU belongs to.
int core_of_cpu(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  int first = cpu;
  return file >> first ? first : cpu;
}

}  // namespace

std::vector<int> share_of_cpus(const std::vector<int>& cpus, const std::function<int(int)>& core_of, int rank,
                               int ranks) {
  if (static_cast<int>(cpus.size()) < ranks) return cpus;
  std::vector<int> cores;
  for (const int cpu : cpus) cores.push_back(core_of(cpu));
  std::vector<int> known = cores;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  if (static_cast<int>(known.size()) < ranks) known = cores = cpus;  // a rank for each hyperthread
  std::vector<int> share;
  for (std::size_t index = 0; index < cpus.size(); ++index) {
    const auto place = std::lower_bound(known.begin(), known.end(), cores[index]) - known.begin();
    if (static_cast<int>(place % ranks) == rank) share.push_back(cpus[index]);
  }
  return share;
}

void keep_to_own_cores(const Comm& comm, bool is_wanted) {
  MPI_Comm machine = MPI_COMM_NULL;  // not comm.node(): of one machine, tests make several nodes
  MPI_Comm_split_type(comm.world(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &machine);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(machine, &rank);
  MPI_Comm_size(machine, &ranks);
  cpu_set_t mine, of_all, of_any;
  CPU_ZERO(&mine);
  if (is_wanted && sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
  MPI_Allreduce(&mine, &of_all, sizeof mine, MPI_BYTE, MPI_BAND, machine);
  MPI_Allreduce(&mine, &of_any, sizeof mine, MPI_BYTE, MPI_BOR, machine);
  MPI_Comm_free(&machine);
  if (ranks == 1 || !CPU_EQUAL(&of_all, &of_any)) return;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) cpus.push_back(cpu);
  const std::vector<int> share = share_of_cpus(cpus, core_of_cpu, rank, ranks);
  if (share.size() == cpus.size()) return;
  CPU_ZERO(&mine);
  for (const int cpu : share) CPU_SET(cpu, &mine);
  sched_setaffinity(0, sizeof mine, &mine);  // where it is not allowed, Linux goes on choosing
}

}  // namespace gamelan::engine
