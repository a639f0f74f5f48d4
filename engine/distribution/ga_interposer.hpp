// SPDX-License-Identifier: BSD-3-Clause
// The seam between Global Arrays and MPI. GA (on ARMCI-MPI) calls MPI_Win_allocate, MPI_Win_free,
// ARMCI_Malloc and ARMCI_Free; ga_interposer.cpp defines those symbols in our executable, and the linker
// prefers ours. So one GA can live in memory that the whole node maps, and further GAs can be laid into it.
// ARMCI_Error becomes an exception. Called by Heap only. The state is the process's, as it is behind C
// symbols; one thread does all MPI.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gamelan::engine::distribution {

/// The window under a GA, by rank of the world.
struct SharedWindow {
  std::byte* base = nullptr;  ///< this rank's part: 8 modulo 64 on Open MPI, anything when alone on a node
  std::vector<std::byte*> peers;  ///< base of each rank's part as mapped here, nullptr on another node
  std::vector<std::byte*>
      owner_bases;  ///< base in the owner's own address space: what ARMCI calls its address
};

/// Runs `allocate`, which makes one GA; its window becomes one that the ranks of a node share. Collective.
SharedWindow share_window_of(const std::function<void()>& allocate);

/// Runs `allocate`, which makes one GA; its memory on rank r is addresses[r], in r's own address space and
/// inside the shared window, instead of a new window. No message is sent for memory, and none when it is
/// destroyed. Collective.
void place_at(const std::vector<std::byte*>& addresses, const std::function<void()>& allocate);

/// How often GA asked for a window of its own since MPI started: 1 is the heap.
int ga_window_count();

/// Directory in which Open MPI backs shared windows: its parameter osc_sm_backing_directory, as given on
/// mpiexec's command line or in the environment (parameter files are not looked at), else its default.
std::string window_directory();

}  // namespace gamelan::engine::distribution
