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

/// Where a thread of this process may run that is bound to no share.
cpu_set_t allowed() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);  // none where the system has more than the set has room for
  return cpus;
}

std::vector<int> listed(const cpu_set_t& set) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

/// Where the ranks of this machine may run.
cpu_set_t& cpus_of_machine() {
  static cpu_set_t cpus = allowed();
  return cpus;
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
  cpu_set_t mine = allowed(), of_all, of_any;
  MPI_Allreduce(&mine, &of_any, sizeof mine, MPI_BYTE, MPI_BOR, machine);
  cpus_of_machine() = of_any;
  if (!is_wanted) CPU_ZERO(&mine);
  MPI_Allreduce(&mine, &of_all, sizeof mine, MPI_BYTE, MPI_BAND, machine);
  MPI_Comm_free(&machine);
  if (ranks == 1 || !CPU_EQUAL(&of_all, &of_any)) return;
  const std::vector<int> cpus = listed(mine);
  const std::vector<int> share = share_of_cpus(cpus, core_of_cpu, rank, ranks);
  if (share.size() == cpus.size()) return;
  CPU_ZERO(&mine);
  for (const int cpu : share) CPU_SET(cpu, &mine);
  sched_setaffinity(0, sizeof mine, &mine);  // where it is not allowed, Linux goes on choosing
}

int cores_of_machine() {
  std::vector<int> cores;
  for (const int cpu : listed(cpus_of_machine())) cores.push_back(core_of_cpu(cpu));
  std::sort(cores.begin(), cores.end());
  const auto end = std::unique(cores.begin(), cores.end());
  return std::max(1, static_cast<int>(end - cores.begin()));
}

void on_cores_of_machine(const std::function<void()>& start) {
  const cpu_set_t own = allowed();
  sched_setaffinity(0, sizeof own, &cpus_of_machine());
  start();
  sched_setaffinity(0, sizeof own, &own);
}

}  // namespace gamelan::engine
