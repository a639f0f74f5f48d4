// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/ga_interposer.hpp"

#include <mpi.h>
extern "C" {
#include <armci.h>  // the header has no extern "C" of its own
}
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "engine/assert.hpp"
#include "engine/distribution/allocator.hpp"
#include "engine/ranks/comm.hpp"

namespace gamelan::engine::distribution {
namespace {

/// The windows and memory under a window over all ranks that was made by MPI_Win_create.
struct Beneath {
  MPI_Win node_window = MPI_WIN_NULL;
  void* memory = nullptr;
};

struct State {
  SharedWindow* sharing = nullptr;                   // not null only while GA allocates the heap
  const std::vector<std::byte*>* placing = nullptr;  // not null only while GA allocates a placed array
  std::set<void*> placed;                            // our addresses of placed arrays
  std::map<MPI_Win, Beneath> beneath;
  int window_count = 0;
};

State& state() {
  static State only;
  return only;
}

/// Sets a pointer for the length of a scope, also when GA throws.
template <class Pointer>
class Armed {
 public:
  Armed(Pointer& where, Pointer value) : where_(where) { where_ = value; }
  ~Armed() { where_ = nullptr; }
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;

 private:
  Pointer& where_;
};

/// For several nodes, and not for the heap: Open MPI's component osc/pt2pt, which works over TCP, supports
/// only win_create.
int allocate_over_nodes(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base_out,
                        MPI_Win* window) {
  void* memory = nullptr;
  MPI_Alloc_mem(bytes > 0 ? bytes : 8, MPI_INFO_NULL, &memory);
  const int status = PMPI_Win_create(memory, bytes, unit, info, comm, window);
  *static_cast<void**>(base_out) = memory;
  state().beneath[*window] = {MPI_WIN_NULL, memory};
  return status;
}

int allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base_out, MPI_Win* window) {
  SharedWindow& shared = *state().sharing;
  const bool is_one_node = is_on_one_node(comm);
  MPI_Comm node = split_by_node(comm);
  MPI_Info noncontiguous = MPI_INFO_NULL;
  MPI_Info_create(&noncontiguous);
  MPI_Info_set(noncontiguous, "alloc_shared_noncontig", "true");  // each rank's part starts on its own pages
  const auto whole_pages = static_cast<MPI_Aint>(round_up(static_cast<std::size_t>(bytes), page_bytes));
  MPI_Win node_window = MPI_WIN_NULL;
  int status = PMPI_Win_allocate_shared(whole_pages, unit, noncontiguous, is_one_node ? comm : node,
                                        static_cast<void*>(&shared.base), &node_window);
  MPI_Info_free(&noncontiguous);
  *static_cast<void**>(base_out) = shared.base;
  *window = node_window;
  if (!is_one_node) {
    status = PMPI_Win_create(shared.base, bytes, unit, info, comm, window);
    state().beneath[*window] = {node_window, nullptr};
  }

  int world_size = 0, near_size = 0;
  MPI_Group world_group = MPI_GROUP_NULL, near_group = MPI_GROUP_NULL;
  MPI_Comm_size(comm, &world_size);
  MPI_Comm_group(comm, &world_group);
  MPI_Comm_group(is_one_node ? comm : node, &near_group);
  MPI_Group_size(near_group, &near_size);
  shared.peers.assign(static_cast<std::size_t>(world_size), nullptr);
  for (int near = 0; near < near_size; ++near) {
    MPI_Aint part_bytes = 0;
    int part_unit = 0, world_rank = 0;
    void* part = nullptr;
    MPI_Win_shared_query(node_window, near, &part_bytes, &part_unit, static_cast<void*>(&part));
    MPI_Group_translate_ranks(near_group, 1, &near, world_group, &world_rank);
    shared.peers[static_cast<std::size_t>(world_rank)] = static_cast<std::byte*>(part);
  }
  MPI_Group_free(&near_group);
  MPI_Group_free(&world_group);
  MPI_Comm_free(&node);
  return status;
}

}  // namespace

SharedWindow share_window_of(const std::function<void()>& allocate) {
  SharedWindow shared;
  const Armed<SharedWindow*> armed(state().sharing, &shared);
  allocate();
  return shared;
}

void place_at(const std::vector<std::byte*>& addresses, const std::function<void()>& allocate) {
  const Armed<const std::vector<std::byte*>*> armed(state().placing, &addresses);
  allocate();
}

int ga_window_count() { return state().window_count; }

std::string window_directory() {
  // The tools interface (MPI_T) would also see parameter files, but opening it costs 0.2 s at every start.
  if (const char* chosen = std::getenv("OMPI_MCA_osc_sm_backing_directory")) return chosen;
  if (access("/dev/shm", W_OK) == 0) return "/dev/shm";
  return std::filesystem::temp_directory_path();
}

}  // namespace gamelan::engine::distribution

// ---- The symbols that GA and ARMCI-MPI call
// -------------------------------------------------------------------------

using gamelan::engine::distribution::state;

extern "C" {

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base_out,
                     MPI_Win* window) {
  using namespace gamelan::engine;
  if (state().sharing) return distribution::allocate_shared(bytes, unit, info, comm, base_out, window);
  if (is_on_one_node(comm)) {
    const auto whole = static_cast<MPI_Aint>(
        distribution::round_up(static_cast<std::size_t>(bytes), distribution::granule_bytes));
    return PMPI_Win_allocate(whole, unit, info, comm, base_out, window);  // docs/decisions/026
  }
  return distribution::allocate_over_nodes(bytes, unit, info, comm, base_out, window);
}

int MPI_Win_free(MPI_Win* window) {
  const auto found = state().beneath.find(*window);
  const int status = PMPI_Win_free(window);  // first the window over all ranks, then the memory under it
  if (found == state().beneath.end()) return status;
  gamelan::engine::distribution::Beneath beneath = found->second;
  state().beneath.erase(found);
  if (beneath.node_window != MPI_WIN_NULL) PMPI_Win_free(&beneath.node_window);
  if (beneath.memory) MPI_Free_mem(beneath.memory);
  return status;
}

int ARMCI_Malloc(void** addresses, armci_size_t bytes) {
  if (const auto* placing = state().placing) {
    for (std::size_t rank = 0; rank < placing->size(); ++rank) addresses[rank] = (*placing)[rank];
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state().placed.insert(addresses[rank]);
    return 0;
  }
  const int status = PARMCI_Malloc(addresses, bytes);
  ++state().window_count;
  if (auto* sharing = state().sharing) {
    for (std::size_t rank = 0; rank < sharing->peers.size(); ++rank) {
      sharing->owner_bases.push_back(static_cast<std::byte*>(addresses[rank]));
    }
  }
  return status;
}

int ARMCI_Free(void* address) { return state().placed.erase(address) > 0 ? 0 : PARMCI_Free(address); }

void __wrap_ARMCI_Error(const char* message, int code) {  // -Wl,--wrap=ARMCI_Error; the real one ends the job
  throw gamelan::protocol::Error(
      gamelan::protocol::ErrorKind::internal,
      "[global arrays] " + std::string(message) + " (code " + std::to_string(code) + ")");
}

}  // extern "C"
