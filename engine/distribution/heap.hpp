// SPDX-License-Identifier: BSD-3-Clause
// The memory of all distributed arrays: one Global Array of bytes, one block per rank, made once. On a node
// every rank maps every block, so a neighbour's array is a pointer. Blocks inside it are the Allocator's
// arithmetic; here are the addresses, the pages beneath them, and true GA handles laid over them. Knows
// bytes, not arrays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/distribution/allocator.hpp"
#include "engine/ranks/comm.hpp"

namespace gamelan::engine::distribution {

class Heap {
 public:
  /// Reserves address space (pages are committed later). Collective; at most one heap lives at a time. Throws
  /// Error{memory} with the arithmetic, on every rank, when a node has less room than its ranks ask for.
  Heap(Comm& comm, std::size_t bytes_per_rank);
  /// Collective; placed arrays must be gone.
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// 80 % of what the tightest node has (room for shared windows, free memory, cgroup limit), per rank.
  /// Collective.
  static std::size_t default_bytes(Comm& comm);

  /// Where `offset` of a rank's block lies in this process; nullptr when that rank is on another node.
  std::byte* address(int rank, std::size_t offset) const {
    std::byte* origin = origins_[static_cast<std::size_t>(rank)];
    return origin ? origin + offset : nullptr;
  }
  /// Room for copies of another node's block, at the same offsets as there: a place for what arrives by
  /// messages. Private to this process; pages are taken when written. Throws Error{memory} when there is no
  /// address space for it.
  std::byte* ghost_address(int rank, std::size_t offset);
  /// Gives the pages of all ghost buffers back: what they held is gone.
  void drop_ghosts();
  Allocator& allocator() { return allocator_; }
  const Allocator& allocator() const { return allocator_; }
  std::size_t bytes_per_rank() const { return bytes_per_rank_; }

  /// Makes page ranges (Allocator::take_uncommitted) writable on all ranks or on none; false when some rank
  /// cannot have its pages: they are given back everywhere and the allocator knows. Collective; no message
  /// when `pages` is empty.
  bool commit(std::span<const Allocator::Block> pages);
  /// Gives the pages of free blocks back to the system. Every rank calls it alike, when no rank reads freed
  /// memory.
  void trim();

  /// A typed n-dimensional GA over the heap's bytes at `offset`, without a copy: `blocks[d]` blocks along
  /// axis d, `map` their first indices axis after axis (as NGA_Create_irreg), block k on rank k in C order;
  /// no empty block. Block data start at address(rank, offset). Reserve the largest block's bytes and 64
  /// more. Collective; throws Error{value}.
  int place(int ga_type, std::span<const std::int64_t> dims, std::span<const std::int64_t> map,
            std::span<const std::int64_t> blocks, std::size_t offset);
  /// Ends a placed handle; the bytes stay. Collective.
  void unplace(int handle);

  /// The heap's own handle: bytes, one block per rank; offset 0 of rank r's block is index ga_index(r, 0).
  int handle() const { return handle_; }
  std::int64_t ga_index(int rank, std::size_t offset) const;
  /// The file beneath the heap ("... (deleted)": Open MPI unlinks it at once); empty when it is private
  /// memory.
  std::string backing_file() const;
  /// GA arrays that got a window of their own since the process started: 1 is the heap.
  static int ga_creates();

 private:
  Comm& comm_;
  std::size_t bytes_per_rank_;
  int handle_ = 0;
  std::vector<std::byte*> origins_;      // page-aligned start of each rank's block, as mapped here
  std::vector<std::byte*> owner_bases_;  // start of each rank's GA block in the owner's address space
  std::unordered_map<int, std::byte*> ghosts_;
  Allocator allocator_;
};

}  // namespace gamelan::engine::distribution
