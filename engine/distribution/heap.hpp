// SPDX-License-Identifier: BSD-3-Clause
// The memory of all distributed arrays: one Global Array of bytes, with one part per rank, made once. On a
// node every rank maps every part, so a neighbour's array is reached by a pointer. The Allocator decides
// where blocks lie inside it; this file has the addresses, the pages beneath them, and true GA handles laid
// over them. It knows bytes, not arrays.
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
  /// Reserves address space; pages are committed later. Collective; at most one heap exists at a time. Throws
  /// Error{memory} on every rank, with the numbers, when a node has less room than its ranks ask for.
  /// `wants_huge`: pages are huge ones, if the system has them for this user (decision 003).
  Heap(Comm& comm, std::size_t bytes_per_rank, bool wants_huge = false);
  /// Collective; placed arrays must be destroyed before.
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// The default size per rank: 80 % of what the node with the least room has (for shared windows, free
  /// memory, cgroup limit). Collective.
  static std::size_t default_bytes(Comm& comm);

  /// The address in this process of `offset` in a rank's part; nullptr when that rank is on another node.
  std::byte* address(int rank, std::size_t offset) const {
    std::byte* origin = origins_[static_cast<std::size_t>(rank)];
    return origin ? origin + offset : nullptr;
  }
  /// The address of `offset` in the ghost buffer for a rank of another node: room for copies of its elements
  /// at the same offsets as there. Private to this process; pages are taken when they are written. Throws
  /// Error{memory} when there is no address space for it.
  std::byte* ghost_address(int rank, std::size_t offset);
  /// Returns the pages of all ghost buffers to the system; their contents are lost.
  void drop_ghosts();
  Allocator& allocator() { return allocator_; }
  const Allocator& allocator() const { return allocator_; }
  std::size_t bytes_per_rank() const { return bytes_per_rank_; }

  /// Makes page ranges (Allocator::take_uncommitted) writable on all ranks or on none. Returns false when
  /// some rank cannot get its pages; then they are returned everywhere, and the allocator is told.
  /// Collective; sends no message when `pages` is empty.
  bool commit(std::span<const Allocator::Block> pages);
  /// Returns the pages of free blocks to the system. All ranks call it alike, at a time when no rank reads
  /// freed memory.
  void trim();

  /// Makes a typed n-dimensional GA over the heap's bytes at `offset`, without a copy, and returns its
  /// handle. There are `blocks[d]` blocks along axis d; `map` has their first indices axis after axis (as for
  /// NGA_Create_irreg); block k is on rank k in C order; no block is empty. Block data start at address(rank,
  /// offset); with huge pages, Global Arrays have them at another address of the same pages. The caller
  /// reserves the bytes of the largest block and 64 more. Collective; throws Error{value}.
  int place(int ga_type, std::span<const std::int64_t> dims, std::span<const std::int64_t> map,
            std::span<const std::int64_t> blocks, std::size_t offset);
  /// Ends the handle of a placed GA; the bytes stay. Collective.
  void unplace(int handle);

  /// The heap's own handle: a GA of bytes, one part per rank. Offset 0 of rank r's part is index ga_index(r,
  /// 0).
  int handle() const { return handle_; }
  std::int64_t ga_index(int rank, std::size_t offset) const;
  /// True where the ranks of a node share huge pages, in a file system of their own.
  bool has_huge_pages() const { return huge_ != nullptr; }
  /// The file that backs the heap ("... (deleted)", because Open MPI unlinks it at once; "/..." where the
  /// ranks share huge pages); empty when it is private memory.
  std::string backing_file() const;
  /// How many GA arrays have got a window of their own since the process started: 1, the heap.
  static int ga_creates();

 private:
  void take_huge_pages();
  std::size_t huge_bytes() const;  // of all ranks

  Comm& comm_;
  std::size_t bytes_per_rank_;
  int handle_ = 0;
  std::vector<std::byte*> origins_;      // page-aligned start of each rank's part, as mapped here
  std::vector<std::byte*> owner_bases_;  // start of each rank's part in its owner's address space
  std::byte* huge_ = nullptr;            // the parts of all ranks, each from a huge page on
  std::unordered_map<int, std::byte*> ghosts_;
  Allocator allocator_;
};

}  // namespace gamelan::engine::distribution
