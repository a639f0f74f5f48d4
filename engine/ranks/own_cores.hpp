// SPDX-License-Identifier: BSD-3-Clause
// Cores of a machine are dealt out to its ranks. Left to itself, Linux lets two ranks that are woken together
// share one core while the other is idle: a rank that has just run is not moved until a tick of the clock,
// and a batch may be over before. (docs/decisions/052)
#pragma once
#include <functional>
#include <vector>

#include "engine/ranks/comm.hpp"

namespace gamelan::engine {

/// The CPUs of one of `ranks` ranks that may all run on `cpus` (ascending). Hyperthreads of one core, for
/// which `core_of` gives the same number, stay together where there are enough cores. Cores are dealt in
/// turn, so that each rank gets some of every kind, and no CPU belongs to two ranks. All of them where there
/// are fewer CPUs than ranks.
std::vector<int> share_of_cpus(const std::vector<int>& cpus, const std::function<int(int)>& core_of, int rank,
                               int ranks);

/// Has the calling thread, and those that it starts from now on, run on its rank's share only. Does nothing
/// on a machine where somebody has bound ranks (they may run on different CPUs: Slurm, mpiexec --bind-to),
/// where there are fewer CPUs than ranks, or where a rank does not want it. Collective.
void keep_to_own_cores(const Comm& comm, bool is_wanted);

/// How many cores, without their hyperthreads, the ranks of this machine have together. Before
/// keep_to_own_cores those of this process.
int cores_of_machine();
/// Calls a function that starts threads: they may run where any rank of this machine may.
void on_cores_of_machine(const std::function<void()>& start);

}  // namespace gamelan::engine
