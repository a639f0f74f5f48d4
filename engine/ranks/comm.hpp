// SPDX-License-Identifier: BSD-3-Clause
// All ranks of the job: starts and stops MPI and Global Arrays, and lets all ranks agree on bytes, numbers
// and errors. There is one per process, owned by main and passed down by reference; a function that takes a
// Comm& is collective. It knows no arrays. Idle ranks wait in the Board, because a rank that waits here keeps
// its core busy.
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

/// Returns a communicator of the ranks of `comm` that share this rank's memory; the caller frees it.
/// Collective on `comm`. With GAMELAN_RANKS_PER_NODE=k every k ranks count as a node, so that one machine can
/// test several nodes.
MPI_Comm split_by_node(MPI_Comm comm);
/// True when all ranks of `comm` share one node; every rank gets the same answer. Collective on `comm` (the
/// answer is remembered on the communicator, so only the first call sends messages).
bool is_on_one_node(MPI_Comm comm);

/// True when the request is complete. Also gives MPI time to make progress.
inline bool is_complete(MPI_Request& request) {
  int is_done = 0;
  MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  return is_done != 0;
}

class Comm {
 public:
  /// Initialises MPI (SERIALIZED: one thread does all MPI and GA) and Global Arrays. Collective.
  Comm(int* argc, char*** argv);
  /// Ends both; everything that lies in GA memory must be destroyed before. Collective. While an exception
  /// unwinds the stack it aborts the job instead, because the other ranks may never reach this call.
  ~Comm();
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// A duplicate of MPI_COMM_WORLD, so that our messages and those of Global Arrays cannot be confused.
  MPI_Comm world() const { return world_; }
  bool is_one_node() const { return is_one_node_; }
  /// The communicator of this node's ranks.
  MPI_Comm node() const { return node_; }
  int ranks_on_node() const { return ranks_on_node_; }
  /// The ranks that share this one's memory, this one among them, ascending.
  const std::vector<int>& near_ranks() const { return near_ranks_; }
  bool is_near(int rank) const { return is_near_[static_cast<std::size_t>(rank)]; }
  /// The lowest rank of this node, which exchanges messages with other nodes. Rank 0 is the leader of its
  /// node.
  int leader() const { return near_ranks_.front(); }
  bool is_leader() const { return rank_ == leader(); }
  /// How many nodes there are.
  int nodes() const { return nodes_; }
  /// The communicator of all leaders, rank 0 first; MPI_COMM_NULL on a rank that is not a leader.
  MPI_Comm leaders() const { return leaders_; }

  /// A function that is called once a second while a rank waits here for others. It may throw, because a rank
  /// that has died will never come. To be set while no rank waits.
  void set_watch(std::function<void()> watch) { watch_ = std::move(watch); }
  /// Waits until `is_ready()`, which calls MPI: spins shortly, then sleeps for short times. Not collective.
  void wait_until(const std::function<bool()>& is_ready) const;
  void wait(MPI_Request request) const {
    wait_until([&request] { return is_complete(request); });
  }

  /// Returns rank 0's bytes on every rank. Any size. Collective; the argument of the other ranks is ignored.
  Bytes broadcast(Bytes from_rank_0);
  std::int64_t agree_max(std::int64_t mine);   ///< collective
  std::int64_t agree_min(std::int64_t mine);   ///< collective
  bool same_on_all_ranks(std::uint64_t hash);  ///< collective
  /// When any ranks bring an error, every rank throws that of the lowest of them; otherwise nothing happens.
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
  std::array<std::int64_t, 2> numbers_{};  // members: MPI may still write to them after the watch threw
  Bytes bytes_;
};

}  // namespace gamelan::engine
