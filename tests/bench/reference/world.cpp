// SPDX-License-Identifier: BSD-3-Clause
// MPI and memory for the cases. A single rank takes private memory instead of a window: only that may have
// huge pages where the system grants none to shared memory.
#include "tests/bench/reference/world.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

namespace gamelan::bench {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t line = 64;

double reduce(double mine, MPI_Op op) {
  double all = mine;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return all;
}

}  // namespace

World::World() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm node;
  int node_size = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &node_size);
  MPI_Comm_free(&node);
  is_one_node_ = min(node_size) == size_;
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  cache_bytes_ = cache > 0 ? cache : std::int64_t{32} << 20;
}

Block World::block(std::int64_t count, int of_rank, std::int64_t granule) const {
  const std::int64_t granules = (count + granule - 1) / granule;
  const std::int64_t each = granules / size_, more = granules % size_;
  const auto start = [&](std::int64_t of) {
    return std::min(count, (of * each + std::min(of, more)) * granule);
  };
  return {start(of_rank), start(of_rank + 1)};
}

void World::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }
double World::sum(double mine) const { return reduce(mine, MPI_SUM); }
double World::max(double mine) const { return reduce(mine, MPI_MAX); }
double World::min(double mine) const { return reduce(mine, MPI_MIN); }

void World::sum(std::vector<double>& mine) const {
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
}

double World::sum_before(double mine) const {
  double before = 0.0;
  MPI_Exscan(&mine, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return rank_ == 0 ? 0.0 : before;
}

void World::share_blocks(double* all, std::int64_t count) const {
  std::vector<int> counts, starts;
  for (int each = 0; each < size_; ++each) {
    const Block theirs = block(count, each);
    counts.push_back(static_cast<int>(theirs.count()));
    starts.push_back(static_cast<int>(theirs.first));
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts.data(), starts.data(), MPI_DOUBLE,
                 MPI_COMM_WORLD);
}

std::shared_ptr<std::byte> local_bytes(std::size_t bytes) {
  const std::size_t unit = bytes >= huge_page ? huge_page : line;
  const std::size_t rounded = std::max(unit, (bytes + unit - 1) / unit * unit);
  void* start = std::aligned_alloc(unit, rounded);
  if (!start) throw std::bad_alloc();
  if (unit == huge_page) madvise(start, rounded, MADV_HUGEPAGE);
  return {static_cast<std::byte*>(start), [](std::byte* each) { std::free(each); }};
}

std::shared_ptr<std::byte> shared_bytes(const World& world, std::size_t mine) {
  if (world.size() == 1) return local_bytes(mine);
  if (!world.is_one_node())
    throw std::runtime_error("[bench_reference] this case reads its neighbours' memory: run it on one node");
  void* start = nullptr;
  MPI_Win window;
  // Open MPI's window begins 8 bytes after a cache line: streaming stores want the next line, on every rank
  // the same.
  if (world.rank() == 0) mine += line;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(mine), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &start, &window);
  MPI_Aint size = 0;
  int unit = 1;
  // Rank 0 always has a part: empty blocks come last.
  MPI_Win_shared_query(window, 0, &size, &unit, &start);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  std::size_t room = line;
  void* aligned = start;
  std::align(line, 0, aligned, room);
  return {static_cast<std::byte*>(aligned), [window](std::byte*) mutable {
            MPI_Win_unlock_all(window);
            MPI_Win_free(&window);
          }};
}

}  // namespace gamelan::bench
