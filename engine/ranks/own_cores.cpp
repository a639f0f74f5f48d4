// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ranks/own_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace gamelan::engine {
namespace {

constexpr int words = CPU_SETSIZE / 64;
using Mask = std::array<std::uint64_t, words>;

/// The lowest CPU of the core that a CPU belongs to.
int core_of_cpu(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  int first = cpu;
  return file >> first ? first : cpu;
}

Mask allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  Mask mask{};
  if (sched_getaffinity(0, sizeof set, &set) != 0) return mask;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set))
      mask[static_cast<std::size_t>(cpu / 64)] |= std::uint64_t{1} << static_cast<unsigned>(cpu % 64);
  return mask;
}

}  // namespace

std::vector<int> share_of_cpus(std::vector<int> cpus, const std::function<int(int)>& core_of, int rank,
                               int ranks) {
  std::vector<int> cores;
  for (const int cpu : cpus) cores.push_back(core_of(cpu));
  std::vector<int> known = cores;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  if (static_cast<int>(known.size()) < ranks) known = cores = cpus;  // a rank for each hyperthread
  if (static_cast<int>(cpus.size()) < ranks) return cpus;
  std::vector<int> share;
  for (std::size_t index = 0; index < cpus.size(); ++index) {
    const auto place = std::lower_bound(known.begin(), known.end(), cores[index]) - known.begin();
    if (static_cast<int>(place % ranks) == rank) share.push_back(cpus[index]);
  }
  return share;
}

void keep_to_own_cores(const Comm& comm) {
  MPI_Comm machine = MPI_COMM_NULL;  // not comm.node(): of one machine, tests make several nodes
  MPI_Comm_split_type(comm.world(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &machine);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(machine, &rank);
  MPI_Comm_size(machine, &ranks);
  const Mask mine = allowed_cpus();
  Mask of_all{}, of_any{};
  MPI_Allreduce(mine.data(), of_all.data(), words, MPI_UINT64_T, MPI_BAND, machine);
  MPI_Allreduce(mine.data(), of_any.data(), words, MPI_UINT64_T, MPI_BOR, machine);
  MPI_Comm_free(&machine);
  if (ranks == 1 || of_all != of_any) return;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if ((mine[static_cast<std::size_t>(cpu / 64)] >> static_cast<unsigned>(cpu % 64) & 1U) != 0)
      cpus.push_back(cpu);
  const std::vector<int> share = share_of_cpus(cpus, core_of_cpu, rank, ranks);
  if (share.size() == cpus.size()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : share) CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);  // where it is not allowed, Linux goes on choosing
}

}  // namespace gamelan::engine
