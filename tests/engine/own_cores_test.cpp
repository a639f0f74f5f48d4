// SPDX-License-Identifier: BSD-3-Clause
// Each rank of a machine gets CPUs of its own, all of them are dealt out, and a binding of somebody else's
// stays.
#include "engine/ranks/own_cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using Cpus = std::vector<int>;

int itself(int cpu) { return cpu; }

TEST(OwnCores, cores_are_dealt_in_turn) {
  const Cpus eight = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(share_of_cpus(eight, itself, 0, 3), (Cpus{0, 3, 6}));
  EXPECT_EQ(share_of_cpus(eight, itself, 1, 3), (Cpus{1, 4, 7}));
  EXPECT_EQ(share_of_cpus(eight, itself, 2, 3), (Cpus{2, 5}));
}

TEST(OwnCores, hyperthreads_of_a_core_stay_together) {
  const auto core = [](int cpu) { return cpu % 4; };  // 0 and 4, 1 and 5, ...
  const Cpus eight = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(share_of_cpus(eight, core, 1, 2), (Cpus{1, 3, 5, 7}));
  EXPECT_EQ(share_of_cpus(eight, core, 1, 4), (Cpus{1, 5}));
  EXPECT_EQ(share_of_cpus(eight, core, 5, 6), (Cpus{5})) << "not enough cores: a CPU for each";
}

TEST(OwnCores, more_ranks_than_cpus_share_them) {
  EXPECT_EQ(share_of_cpus({2, 5}, itself, 2, 3), (Cpus{2, 5}));
}

cpu_set_t allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

/// By how many ranks each CPU may be used. Collective.
std::vector<int> users(const Comm& comm) {
  const cpu_set_t set = allowed();
  std::vector<int> counts(CPU_SETSIZE);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) counts[static_cast<std::size_t>(cpu)] = CPU_ISSET(cpu, &set);
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), CPU_SETSIZE, MPI_INT, MPI_SUM, comm.world());
  return counts;
}

TEST(OwnCores, no_cpu_belongs_to_two_ranks) {
  Comm& comm = testing::comm();
  const cpu_set_t before = allowed();
  const std::vector<int> users_before = users(comm);
  const bool is_enough = CPU_COUNT(&before) >= comm.size();
  keep_to_own_cores(comm, comm.rank() > 0);
  EXPECT_EQ(users(comm), users_before) << "one rank does not want it";
  keep_to_own_cores(comm, true);
  const std::vector<int> users_after = users(comm);
  for (std::size_t cpu = 0; cpu < users_after.size(); ++cpu)
    EXPECT_EQ(users_after[cpu], is_enough ? std::min(users_before[cpu], 1) : users_before[cpu])
        << "CPU " << cpu;
  keep_to_own_cores(comm, true);
  EXPECT_EQ(users(comm), users_after) << "ranks that are bound stay where they are";
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace gamelan::engine
