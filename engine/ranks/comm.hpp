// SPDX-License-Identifier: BSD-3-Clause
// The ensemble: starts and stops MPI and Global Arrays, and lets all ranks agree on bytes, numbers and
// errors. One per process, owned by main and handed down by reference; a function that takes a Comm& is
// collective. Knows no arrays; idle waiting is the Board's, because a rank that waits here burns its core.
#pragma once
#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/message.hpp"

namespace gamelan::engine {

using protocol::Bytes;

/// A communicator of the ranks of `comm` that share this rank's memory; the caller frees it. Collective on
/// `comm`. GAMELAN_RANKS_PER_NODE=k pretends that every k ranks are a node, so that one machine can test
/// several nodes.
MPI_Comm split_by_node(MPI_Comm comm);
/// True when all ranks of `comm` share one node; every rank gets the same answer. Collective on `comm` (the
/// answer is remembered on the communicator, so only the first call sends messages).
bool is_on_one_node(MPI_Comm comm);

/// Is what was posted done? Gives MPI the time to move it.
inline bool is_complete(MPI_Request& request) {
  int is_done = 0;
  MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  return is_done != 0;
}

class Comm {
 public:
  /// Initialises MPI (SERIALIZED: one thread does all MPI and GA) and Global Arrays. Collective.
  Comm(int* argc, char*** argv);
  /// Terminates both; everything that lives in GA memory must be gone. Collective. While an exception unwinds
  /// it aborts the job instead: other ranks may not be on their way here.
  ~Comm();
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Our own duplicate of the world, so that no message of ours meets one of GA's.
  MPI_Comm world() const { return world_; }
  bool is_one_node() const { return is_one_node_; }
  /// The ranks of this node, and how many they are.
  MPI_Comm node() const { return node_; }
  int ranks_on_node() const { return ranks_on_node_; }
  /// Ranks that share this one's memory, itself among them, ascending.
  const std::vector<int>& near_ranks() const { return near_ranks_; }
  bool is_near(int rank) const { return is_near_[static_cast<std::size_t>(rank)]; }
  /// The lowest rank of this node, which speaks with the other nodes. Rank 0 leads its own.
  int leader() const { return near_ranks_.front(); }
  bool is_leader() const { return rank_ == leader(); }
  /// How many nodes there are.
  int nodes() const { return nodes_; }
  /// The leaders of all nodes, rank 0 first; MPI_COMM_NULL on a rank that leads none.
  MPI_Comm leaders() const { return leaders_; }

  /// What a rank looks at once a second while it waits for others here; it may throw, because who is gone
  /// will never come. To be set while nobody waits.
  void set_watch(std::function<void()> watch) { watch_ = std::move(watch); }
  /// Until `is_ready()`, which calls MPI: spins shortly, then naps. Not collective.
  void wait_until(const std::function<bool()>& is_ready) const;
  void wait(MPI_Request request) const {
    wait_until([&request] { return is_complete(request); });
  }

  /// Rank 0's bytes, on every rank, any size. Collective; the other ranks' argument is ignored.
  Bytes broadcast(Bytes from_rank_0);
  std::int64_t agree_max(std::int64_t mine);   ///< collective
  std::int64_t agree_min(std::int64_t mine);   ///< collective
  bool same_on_all_ranks(std::uint64_t hash);  ///< collective
  /// When any rank brings an error, every rank throws the one of the lowest such rank; else nothing.
  /// Collective.
  void throw_together(const std::optional<protocol::Error>& mine);
  void barrier();  ///< collective

 private:
  Bytes broadcast_from(int root, Bytes bytes);
  void broadcast_from(int root, void* bytes, std::size_t count);
  void agree(std::size_t count, MPI_Op op);  // of numbers_

  void find_node();

  MPI_Comm world_ = MPI_COMM_NULL, node_ = MPI_COMM_NULL, leaders_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, ranks_on_node_ = 1, nodes_ = 1;
  std::vector<int> near_ranks_;
  std::vector<bool> is_near_;
  bool is_one_node_ = true;
  std::function<void()> watch_;
  std::array<std::int64_t, 2> numbers_{};  // these live on when the watch throws and MPI still writes
  Bytes bytes_;
};

}  // namespace gamelan::engine
