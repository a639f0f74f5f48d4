// SPDX-License-Identifier: BSD-3-Clause
// What the cases share of MPI and memory: who has which block, sums over ranks, local and shared arrays.
// Shared arrays are MPI-3 shared-memory windows: one address range that every rank of the node reads and
// writes in place.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace gamelan::bench {

/// Elements or rows [first, last) of one rank.
struct Block {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t count() const { return last - first; }
};

/// The ranks of a run. Every method but block() and is_large() is collective.
class World {
 public:
  World();
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_one_node() const { return is_one_node_; }

  /// What `of_rank` has of `count` things: cut at multiples of `granule`, empty blocks last.
  Block block(std::int64_t count, int of_rank, std::int64_t granule = 1) const;
  Block block(std::int64_t count) const { return block(count, rank_); }
  /// Cut at whole cache lines of doubles, so that streaming stores are aligned and no two ranks write one
  /// line.
  Block line_block(std::int64_t count) const { return block(count, rank_, 8); }
  /// Whether this many bytes of all ranks together leave the last-level cache, so that streaming stores pay.
  bool is_large(std::int64_t bytes) const { return bytes > cache_bytes_; }

  void barrier() const;
  double sum(double mine) const;
  double max(double mine) const;
  double min(double mine) const;
  /// Replaces each element by its sum over the ranks.
  void sum(std::vector<double>& mine) const;
  /// The sum over the ranks before this one.
  double sum_before(double mine) const;
  /// Completes `all`, of which each rank has filled its block(count).
  void share_blocks(double* all, std::int64_t count) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  bool is_one_node_ = true;
  std::int64_t cache_bytes_ = 0;
};

/// Bytes of this process alone: aligned to 2 MiB and advised as huge pages where large. Throws
/// std::bad_alloc.
std::shared_ptr<std::byte> local_bytes(std::size_t bytes);
/// `mine` bytes of a range that all ranks map, in the order of the ranks and without gaps; gives its start.
/// Collective. Throws std::runtime_error where the ranks are on several nodes.
std::shared_ptr<std::byte> shared_bytes(const World& world, std::size_t mine);

template <typename T>
class Array {
 public:
  Array() = default;
  static Array local(std::int64_t count) { return Array(local_bytes(bytes_of(count))); }
  /// The whole array, of which this rank brings `mine` elements; element k is [k] on every rank. Collective.
  static Array shared(const World& world, std::int64_t mine) {
    return Array(shared_bytes(world, bytes_of(mine)));
  }
  T* data() const { return data_; }
  T& operator[](std::int64_t at) const { return data_[at]; }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  explicit Array(std::shared_ptr<std::byte> bytes)
      : bytes_(std::move(bytes)), data_(reinterpret_cast<T*>(bytes_.get())) {}
  static std::size_t bytes_of(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); }
  std::shared_ptr<std::byte> bytes_;
  T* data_ = nullptr;
};

}  // namespace gamelan::bench
