// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/heap.hpp"

#include <ga.h>
#include <macdecls.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "engine/assert.hpp"
#include "engine/distribution/bytes_text.hpp"
#include "engine/distribution/ga_interposer.hpp"
#include "engine/distribution/huge_pages.hpp"
#include "engine/distribution/pages.hpp"

namespace gamelan::engine::distribution {

using protocol::Error;
using protocol::ErrorKind;

namespace {

// Open MPI's own state at the head of the window's file, and the page that each rank loses to alignment.
constexpr std::size_t window_state_bytes = std::size_t{1} << 20;
// GA counts elements in int64: a block this large on 65,536 ranks is still countable.
constexpr std::size_t largest_block_bytes = std::size_t{1} << 46;
// Commits below this size are not checked: reading /proc and /sys would take longer.
constexpr std::size_t small_commit_bytes = std::size_t{1} << 20;
constexpr std::size_t max_ga_dims = 7;
// GA may shift an array's data by less than this to align it.
constexpr std::size_t ga_slack_bytes = 64;

std::byte* round_up(std::byte* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return address + (distribution::round_up(number, page_bytes) - number);
}

/// Why this node cannot give its ranks so much memory; nullopt when it can. Without this check Open MPI would
/// end the job.
std::optional<Error> refusal(const Comm& comm, std::size_t bytes_per_rank) {
  const auto ranks = static_cast<std::size_t>(comm.ranks_on_node());
  const std::string wanted = "[heap] cannot reserve " + bytes_text(bytes_per_rank) + " for each of " +
                             std::to_string(ranks) + " ranks on this node";
  if (bytes_per_rank == 0 || bytes_per_rank > largest_block_bytes) {
    return Error(ErrorKind::memory,
                 wanted + ": the size must lie between one page and " + bytes_text(largest_block_bytes));
  }
  const std::size_t total = ranks * (bytes_per_rank + 2 * page_bytes) + window_state_bytes;
  if (ranks > 1) {  // a rank alone on its node gets private memory, without a file
    const std::string directory = window_directory();
    const auto space = file_system_space(directory);
    if (!space) return Error(ErrorKind::memory, wanted + ": " + directory + " does not exist");
    if (total > space->free_bytes) {
      return Error(ErrorKind::memory,
                   wanted + " (" + bytes_text(total) + " in all): " + directory + " has " +
                       bytes_text(space->free_bytes) + " free of " + bytes_text(space->total_bytes) +
                       "; ask for less with --heap, enlarge it (mount -o remount,size=..., docker run "
                       "--shm-size) or name another directory (--mca osc_sm_backing_directory)");
    }
  }
  if (const std::size_t headroom = memory_headroom(); total > headroom) {
    return Error(ErrorKind::memory, wanted + " (" + bytes_text(total) + " in all): " + bytes_text(headroom) +
                                        " of memory are available; ask for less with --heap");
  }
  return std::nullopt;
}

/// Bytes of the largest block of an irregular distribution; throws Error{value} when it is not one.
std::size_t checked_block_bytes(std::size_t item_bytes, std::span<const std::int64_t> dims,
                                std::span<const std::int64_t> map, std::span<const std::int64_t> blocks,
                                int ranks) {
  const auto require = [](bool is_right, const char* what) {
    if (!is_right)
      throw Error(ErrorKind::value, std::string("[heap] bad distribution for a placed array: ") + what);
  };
  require(!dims.empty() && dims.size() <= max_ga_dims, "Global Arrays have 1 to 7 dimensions");
  require(blocks.size() == dims.size(), "one count of blocks per dimension expected");
  std::size_t largest = item_bytes, next = 0;
  std::int64_t block_count = 1;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    require(blocks[axis] >= 1 && blocks[axis] <= ranks, "block count out of range");
    const auto count = static_cast<std::size_t>(blocks[axis]);
    require(map.size() >= next + count, "the map is too short");
    const auto firsts = map.subspan(next, count);
    next += count;
    require(firsts[0] == 0, "the first block of an axis starts at 0");
    std::int64_t longest = 0;
    for (std::size_t block = 0; block < count; ++block) {
      const std::int64_t end = block + 1 < count ? firsts[block + 1] : dims[axis];
      require(end > firsts[block], "empty block");
      longest = std::max(longest, end - firsts[block]);
    }
    require(!__builtin_mul_overflow(largest, static_cast<std::size_t>(longest), &largest), "too large");
    require(!__builtin_mul_overflow(block_count, blocks[axis], &block_count) && block_count <= ranks,
            "more blocks than ranks");
  }
  require(next == map.size(), "the map is too long");
  return largest;
}

/// How many windows GA made for its own use when it started.
std::optional<int> windows_of_ga_itself;

}  // namespace

std::size_t Heap::default_bytes(Comm& comm) {
  const auto ranks = static_cast<std::size_t>(comm.ranks_on_node());
  std::size_t room = memory_headroom();
  if (ranks > 1) {
    const auto space = file_system_space(window_directory());
    room = std::min(room, space ? space->free_bytes : 0);
  }
  const std::size_t mine = std::min(room / 5 * 4 / ranks, largest_block_bytes);
  const auto agreed = static_cast<std::size_t>(comm.agree_min(static_cast<std::int64_t>(mine)));
  const std::size_t overhead = 2 * page_bytes + window_state_bytes;
  return std::max(page_bytes, round_down(agreed - std::min(agreed, overhead), page_bytes));
}

Heap::Heap(Comm& comm, std::size_t bytes_per_rank, bool wants_huge)
    : comm_(comm), bytes_per_rank_(round_up(bytes_per_rank, page_bytes)), allocator_(bytes_per_rank_) {
  comm.throw_together(sysconf(_SC_PAGESIZE) == static_cast<long>(page_bytes)
                          ? refusal(comm, bytes_per_rank_)
                          : Error(ErrorKind::not_implemented,
                                  "[heap] memory pages of 4096 bytes are needed; this system has others"));
  if (!comm.same_on_all_ranks(bytes_per_rank_)) {
    throw Error(ErrorKind::value, "[heap] every rank must ask for the same number of bytes");
  }
  const std::int64_t ranks = comm.size();
  const auto each =
      static_cast<std::int64_t>(bytes_per_rank_ + page_bytes);  // a page more: blocks are rounded up to one
  std::int64_t total = each * ranks, block_count = ranks;
  std::vector<std::int64_t> firsts(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank) firsts[static_cast<std::size_t>(rank)] = rank * each;
  if (!windows_of_ga_itself) windows_of_ga_itself = ga_window_count();
  SharedWindow window = share_window_of([&] {
    handle_ = GA_Create_handle();
    GA_Set_data64(handle_, 1, &total, C_CHAR);
    GA_Set_irreg_distr64(handle_, firsts.data(), &block_count);
    if (!GA_Allocate(handle_))
      throw Error(ErrorKind::memory, "[heap] Global Arrays could not allocate the heap");
  });
  GAMELAN_ASSERT(
      cheap, window.base != nullptr,
      "Global Arrays did not allocate through our MPI_Win_allocate: is ga_interposer.cpp linked in?");
  owner_bases_ = std::move(window.owner_bases);
  for (std::byte* base : window.peers) origins_.push_back(base ? round_up(base) : nullptr);
  if (wants_huge) take_huge_pages();
}

Heap::~Heap() {
  for (const auto& [rank, ghost] : ghosts_) munmap(ghost, bytes_per_rank_);
  GA_Destroy(handle_);
  if (huge_ != nullptr) munmap(huge_, huge_bytes());
}

std::size_t Heap::huge_bytes() const {
  return round_up(bytes_per_rank_, huge_page_bytes) * static_cast<std::size_t>(comm_.size());
}

void Heap::take_huge_pages() {
  if (comm_.ranks_on_node() == 1) {
    madvise(address(comm_.rank(), 0), bytes_per_rank_, MADV_HUGEPAGE);  // what this refuses works as well
    return;
  }
  if (!comm_.is_one_node()) return;  // pages that a network card knows must stay
  HugeFile file;
  if (comm_.rank() == 0) file = make_huge_file(huge_bytes());
  const auto place = comm_.broadcast(file.place());
  if (comm_.rank() != 0) file = open_huge_file(place);
  std::byte* const huge = file.map(huge_bytes());
  if (comm_.agree_min(huge != nullptr) == 0) {
    if (huge != nullptr) munmap(huge, huge_bytes());
    return;
  }
  huge_ = huge;
  bool is_same = true;
  for (std::size_t rank = 0; rank < origins_.size(); ++rank) {
    const std::size_t offset = rank * (huge_bytes() / origins_.size());
    // What Global Arrays take for their memory shows the same pages.
    is_same = file.map_over(origins_[rank], offset, bytes_per_rank_) && is_same;
    origins_[rank] = huge + offset;
  }
  comm_.throw_together(is_same ? std::nullopt
                               : std::optional(Error(ErrorKind::memory,
                                                     "[heap] the system does not map huge pages twice; start "
                                                     "engines with --huge-pages off")));
}

std::byte* Heap::ghost_address(int rank, std::size_t offset) {
  auto found = ghosts_.find(rank);
  if (found == ghosts_.end()) {
    void* reserved = mmap(nullptr, bytes_per_rank_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
      throw Error(ErrorKind::memory,
                  "[heap] no address space for a copy of what lies with rank " + std::to_string(rank));
    found = ghosts_.emplace(rank, static_cast<std::byte*>(reserved)).first;
  }
  return found->second + offset;
}

void Heap::drop_ghosts() {
  for (const auto& [rank, ghost] : ghosts_) madvise(ghost, bytes_per_rank_, MADV_DONTNEED);
}

bool Heap::commit(std::span<const Allocator::Block> pages) {
  if (pages.empty()) return true;
  std::size_t bytes = 0;
  for (const auto& range : pages) {
    GAMELAN_ASSERT(cheap, range.offset % page_bytes == 0 && range.bytes % page_bytes == 0,
                   "whole pages are committed");
    bytes += range.bytes;
  }
  const std::size_t on_node = bytes * static_cast<std::size_t>(comm_.ranks_on_node());
  // When a cgroup exceeds its limit, the system does not fail a call but kills a process.
  bool is_mine = on_node < small_commit_bytes || on_node <= memory_headroom();
  for (auto range = pages.begin(); is_mine && range != pages.end(); ++range) {
    is_mine = populate(address(comm_.rank(), range->offset), range->bytes);
  }
  const bool is_everywhere = comm_.agree_min(is_mine) == 1;
  if (is_everywhere) {
    allocator_.remember_committed(pages);
  } else {
    for (const auto& range : pages) discard(address(comm_.rank(), range.offset), range.bytes);
    allocator_.forget_committed(pages);
  }
  return is_everywhere;
}

void Heap::trim() {
  for (const auto& range : allocator_.take_idle()) discard(address(comm_.rank(), range.offset), range.bytes);
}

int Heap::place(int ga_type, std::span<const std::int64_t> dims, std::span<const std::int64_t> map,
                std::span<const std::int64_t> blocks, std::size_t offset) {
  const auto item_bytes = static_cast<std::size_t>(MA_sizeof(ga_type, 1, C_CHAR));
  const std::size_t block_bytes = checked_block_bytes(item_bytes, dims, map, blocks, comm_.size());
  if (offset % granule_bytes != 0 || offset > bytes_per_rank_ ||
      block_bytes + ga_slack_bytes > bytes_per_rank_ - offset) {
    throw Error(ErrorKind::value, "[heap] a placed array of " + bytes_text(block_bytes) +
                                      " per rank does not fit at offset " + std::to_string(offset) + " of " +
                                      std::to_string(bytes_per_rank_));
  }
  std::vector<std::byte*> addresses;
  for (std::byte* base : owner_bases_) addresses.push_back(round_up(base) + offset);
  std::vector<std::int64_t> dims_copy(dims.begin(), dims.end()), map_copy(map.begin(), map.end()),
      blocks_copy(blocks.begin(), blocks.end());  // GA's signatures are not const
  int placed = 0;
  place_at(addresses, [&] {
    placed = GA_Create_handle();
    GA_Set_data64(placed, static_cast<int>(dims.size()), dims_copy.data(), ga_type);
    GA_Set_irreg_distr64(placed, map_copy.data(), blocks_copy.data());
    if (!GA_Allocate(placed)) throw Error(ErrorKind::internal, "[heap] Global Arrays refused a placed array");
  });
  return placed;
}

void Heap::unplace(int handle) { GA_Destroy(handle); }

std::int64_t Heap::ga_index(int rank, std::size_t offset) const {
  // The distance from a block's base to its origin is that of its owner: it differs between nodes.
  std::byte* base = owner_bases_[static_cast<std::size_t>(rank)];
  return rank * static_cast<std::int64_t>(bytes_per_rank_ + page_bytes) + (round_up(base) - base) +
         static_cast<std::int64_t>(offset);
}

std::string Heap::backing_file() const {
  const auto origin = reinterpret_cast<std::uintptr_t>(address(comm_.rank(), 0));
  std::ifstream maps("/proc/self/maps");  // first-last permissions offset device inode path
  for (std::string line; std::getline(maps, line);) {
    const std::size_t first = std::stoull(line, nullptr, 16);
    const std::size_t last = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    if (origin < first || origin >= last) continue;
    const auto path = line.find('/');
    return path == std::string::npos ? "" : line.substr(path);
  }
  return "";
}

int Heap::ga_creates() { return ga_window_count() - windows_of_ga_itself.value_or(0); }

}  // namespace gamelan::engine::distribution
