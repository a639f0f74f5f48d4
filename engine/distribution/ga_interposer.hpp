// SPDX-License-Identifier: BSD-3-Clause
// Stands between Global Arrays and MPI. GA (on ARMCI-MPI) calls MPI_Win_allocate, MPI_Win_free, ARMCI_Malloc
// and ARMCI_Free. ga_interposer.cpp defines these symbols in our executable, and the linker takes ours. So
// one GA can lie in memory that all ranks of the node map, and further GAs can be placed in it. ARMCI_Error
// becomes an exception. Called by Heap only. The state is global, because C symbols have no object; one
// thread makes all MPI calls.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gamelan::engine::distribution {

/// The window under a GA; vectors are indexed by rank of the world.
struct SharedWindow {
  std::byte* base = nullptr;  ///< this rank's part: 8 modulo 64 on Open MPI, any address when alone on a node
  std::vector<std::byte*> peers;  ///< base of each rank's part as mapped here; nullptr on another node
  std::vector<std::byte*>
      owner_bases;  ///< base in the owner's address space, which is what ARMCI calls its address
};

/// Runs `allocate`, which makes one GA, and makes its window one that the ranks of a node share. Collective.
SharedWindow share_window_of(const std::function<void()>& allocate);

/// Runs `allocate`, which makes one GA. Instead of a new window, its memory on rank r is addresses[r], in r's
/// own address space and inside the shared window. No message is sent for its memory, neither now nor when it
/// is destroyed. Collective.
void place_at(const std::vector<std::byte*>& addresses, const std::function<void()>& allocate);

/// How often GA has asked for a window of its own since MPI started: some at its own start, then once for the
/// heap.
int ga_window_count();

/// The directory in which Open MPI stores shared windows: its parameter osc_sm_backing_directory, as given on
/// mpiexec's command line or in the environment (parameter files are not read), else its default.
std::string window_directory();

}  // namespace gamelan::engine::distribution
