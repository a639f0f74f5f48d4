// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ranks/comm.hpp"

#include <ga.h>
#include <macdecls.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "engine/assert.hpp"

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

namespace {

// MPI counts are int; a gigabyte a time also keeps Open MPI's own arithmetic far from 2^31.
constexpr std::size_t largest_message_bytes = std::size_t{1} << 30;
constexpr int yields_before_naps = 200;
constexpr int nap_us = 20;
// GA's gather, scatter and dgemm take their scratch memory from MA (in doubles).
constexpr int ma_stack_doubles = 1 << 20, ma_heap_doubles = 1 << 16;

int one_node_keyval() {
  static const int keyval = [] {
    int created = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &created, nullptr);
    return created;
  }();
  return keyval;
}

}  // namespace

MPI_Comm split_by_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const char* pretended = std::getenv("GAMELAN_RANKS_PER_NODE");
  const int ranks_per_node = pretended ? std::atoi(pretended) : 0;
  if (ranks_per_node > 0) {
    MPI_Comm_split(comm, rank / ranks_per_node, rank, &node);
  } else {
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  }
  return node;
}

bool is_on_one_node(MPI_Comm comm) {
  static char yes, no;  // attribute values are pointers; only their identity counts
  void* known = nullptr;
  int is_known = 0;
  MPI_Comm_get_attr(comm, one_node_keyval(), static_cast<void*>(&known), &is_known);
  if (is_known) return known == &yes;
  MPI_Comm node = split_by_node(comm);
  int node_size = 0, comm_size = 0;
  MPI_Comm_size(node, &node_size);
  MPI_Comm_size(comm, &comm_size);
  MPI_Comm_free(&node);
  // All ranks agree on this: with 2 + 1 ranks on two nodes, they would see different sizes and decide
  // differently.
  int is_one = node_size == comm_size;
  MPI_Allreduce(MPI_IN_PLACE, &is_one, 1, MPI_INT, MPI_MIN, comm);
  MPI_Comm_set_attr(comm, one_node_keyval(), is_one ? &yes : &no);
  return is_one != 0;
}

Comm::Comm(int* argc, char*** argv) {
#ifndef OPEN_MPI
  // MPICH 4.0 looks at every page of a large window (msync) for an address that is free on all ranks: a
  // second per GB of heap.
  setenv("MPIR_CVAR_SHM_SYMHEAP_RETRY", "0", 0);
#endif
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED) {
    std::fprintf(stderr, "gamelan: this MPI does not provide MPI_THREAD_SERIALIZED\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  // As ARMCI-MPI 0.3 does by itself. 0.4 takes MPI's datatypes, and warns that Open MPI's are broken there.
  setenv("ARMCI_IOV_METHOD", "BATCHED", 0);
  GA_Initialize();
  if (!MA_init(C_DBL, ma_stack_doubles, ma_heap_doubles)) {
    std::fprintf(stderr, "gamelan: no memory for the scratch space of Global Arrays\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &size_);
  find_node();
}

void Comm::find_node() {
  node_ = split_by_node(world_);
  MPI_Comm_size(node_, &ranks_on_node_);
  is_one_node_ = is_on_one_node(world_);
  near_ranks_.resize(static_cast<std::size_t>(ranks_on_node_));
  MPI_Allgather(&rank_, 1, MPI_INT, near_ranks_.data(), 1, MPI_INT,
                node_);  // ascending: the split kept the order
  is_near_.assign(static_cast<std::size_t>(size_), false);
  for (const int near : near_ranks_) is_near_[static_cast<std::size_t>(near)] = true;
  MPI_Comm_split(world_, is_leader() ? 0 : MPI_UNDEFINED, rank_, &leaders_);
  const int leads = is_leader() ? 1 : 0;
  MPI_Allreduce(&leads, &nodes_, 1, MPI_INT, MPI_SUM, world_);
}

Comm::~Comm() {
  if (std::uncaught_exceptions() > 0) {
    std::fprintf(stderr, "gamelan: rank %d leaves by an exception; the job ends\n", rank_);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
  MPI_Comm_free(&node_);
  MPI_Comm_free(&world_);
  GA_Terminate();
  MPI_Finalize();
}

void Comm::wait_until(const std::function<bool()>& is_ready) const {
  using Clock = std::chrono::steady_clock;
  auto next_look = Clock::now() + std::chrono::seconds(1);
  for (int turn = 0; !is_ready(); ++turn) {
    if (turn < yields_before_naps)
      sched_yield();
    else
      usleep(nap_us);
    if (!watch_ || turn % 256 != 255 || Clock::now() < next_look) continue;
    watch_();
    next_look += std::chrono::seconds(1);
  }
}

void Comm::broadcast_from(int root, void* bytes, std::size_t count) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, root, world_, &request);
  wait(request);
}

Bytes Comm::broadcast_from(int root, Bytes bytes) {
  numbers_[0] = static_cast<std::int64_t>(bytes.size());
  broadcast_from(root, numbers_.data(), sizeof numbers_[0]);
  bytes_ = std::move(bytes);
  bytes_.resize(static_cast<std::size_t>(numbers_[0]));
  for (std::size_t done = 0; done < bytes_.size(); done += largest_message_bytes)
    broadcast_from(root, bytes_.data() + done, std::min(largest_message_bytes, bytes_.size() - done));
  return std::exchange(bytes_, {});
}

Bytes Comm::broadcast(Bytes from_rank_0) { return broadcast_from(0, std::move(from_rank_0)); }

void Comm::agree(std::size_t count, MPI_Op op) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, numbers_.data(), static_cast<int>(count), MPI_INT64_T, op, world_, &request);
  wait(request);
}

std::int64_t Comm::agree_max(std::int64_t mine) {
  numbers_[0] = mine;
  agree(1, MPI_MAX);
  return numbers_[0];
}

std::int64_t Comm::agree_min(std::int64_t mine) {
  numbers_[0] = mine;
  agree(1, MPI_MIN);
  return numbers_[0];
}

bool Comm::same_on_all_ranks(std::uint64_t hash) {
  // The least complement is the complement of the greatest, so one message finds both.
  numbers_ = {static_cast<std::int64_t>(hash), static_cast<std::int64_t>(~hash)};
  agree(2, MPI_MIN);
  return numbers_[0] == ~numbers_[1];
}

void Comm::throw_together(const std::optional<Error>& mine) {
  const auto lowest = static_cast<int>(agree_min(mine ? rank_ : size_));
  if (lowest == size_) return;
  Bytes text_bytes;
  numbers_ = {0, -1};
  if (rank_ == lowest) {
    const std::string text = mine->what();
    text_bytes.resize(text.size());
    std::memcpy(text_bytes.data(), text.data(), text.size());
    numbers_ = {static_cast<std::int64_t>(mine->kind()), mine->command()};
  }
  broadcast_from(lowest, numbers_.data(), sizeof numbers_);
  const auto [kind, command] = numbers_;
  text_bytes = broadcast_from(lowest, std::move(text_bytes));
  throw Error(static_cast<ErrorKind>(kind),
              std::string(reinterpret_cast<const char*>(text_bytes.data()), text_bytes.size()), command);
}

void Comm::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world_, &request);
  wait(request);
}

}  // namespace gamelan::engine
