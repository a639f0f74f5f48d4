// SPDX-License-Identifier: BSD-3-Clause
// A heap whose backing file system is too small from the start, or is filled by somebody else later: an
// answer, and never a SIGBUS. mpi_run.sh gives this test a tmpfs of its own (160 MB).
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "engine/distribution/ga_interposer.hpp"
#include "engine/distribution/heap.hpp"
#include "engine/distribution/pages.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine::distribution {
namespace {

using testing::comm;
constexpr std::size_t megabyte = std::size_t{1} << 20;

/// Somebody else's file beside the heap's, as long as it lives; made by rank 0 alone.
class Filler {
 public:
  Filler(const Heap& heap, std::size_t leave_bytes) {
    const auto directory = std::filesystem::path(heap.backing_file()).parent_path();
    if (comm().rank() == 0) {
      const std::size_t free_bytes = file_system_space(directory).value().free_bytes;
      file_ = open((directory / "filler").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
      unlink((directory / "filler").c_str());
      EXPECT_EQ(posix_fallocate(file_, 0, static_cast<off_t>(free_bytes - leave_bytes)), 0);
    }
    comm().barrier();
  }
  ~Filler() {
    if (file_ >= 0) close(file_);
    comm().barrier();
  }

 private:
  int file_ = -1;
};

struct HeapFull : ::testing::Test {
  void SetUp() override {  // never fill a machine's real shared memory
    const auto space = file_system_space(window_directory());
    if (!space || space->total_bytes > 200 * megabyte) GTEST_SKIP() << "needs MPI_TEST_TMPFS=160m";
  }
};

TEST_F(HeapFull, a_heap_larger_than_the_file_system_is_refused) {
  try {
    Heap heap(comm(), 100 * megabyte);
    ADD_FAILURE() << "reserved";
  } catch (const protocol::Error& error) {
    EXPECT_EQ(error.kind(), protocol::ErrorKind::memory);
    const std::string text = error.what();
    for (const char* part : {"100.0 MiB for each of", "free of 160.0 MiB", "--shm-size"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

TEST_F(HeapFull, the_default_size_fits) {
  const std::size_t bytes = Heap::default_bytes(comm());
  EXPECT_LT(bytes * static_cast<std::size_t>(comm().size()), 160 * megabyte);
  Heap heap(comm(), bytes);
  const Allocator::Block all{0, heap.bytes_per_rank(), 0};
  EXPECT_TRUE(heap.commit({&all, 1}));
}

/// Free bytes of the heap's file system while no rank changes anything.
std::size_t settled_free_bytes(const Heap& heap) {
  comm().barrier();
  const auto space = file_system_space(std::filesystem::path(heap.backing_file()).parent_path());
  comm().barrier();
  return space.value().free_bytes;
}

TEST_F(HeapFull, commit_fails_on_all_ranks_and_works_again_after_trim) {
  constexpr std::size_t block_bytes = 2 * megabyte;
  Heap heap(comm(), 20 * megabyte);
  std::vector<Allocator::Block> blocks;
  const Filler filler(heap, static_cast<std::size_t>(comm().size()) * 3 * block_bytes + megabyte);
  std::size_t free_bytes = 0;
  bool is_committed = true;
  while (is_committed) {
    const auto block = heap.allocator().allocate(block_bytes);
    free_bytes = settled_free_bytes(heap);
    ASSERT_TRUE(block) << "the file system must be full before the heap is";
    is_committed = heap.commit(heap.allocator().take_uncommitted());
    if (is_committed) {
      std::memset(heap.address(comm().rank(), block->offset), 1, block->bytes);
      blocks.push_back(*block);
    } else {
      heap.allocator().release(*block);
    }
  }
  EXPECT_EQ(blocks.size(), 3u);
  EXPECT_EQ(comm().agree_max(static_cast<std::int64_t>(blocks.size())), 3);

  ASSERT_TRUE(
      heap.allocator().allocate(block_bytes));  // the failed commit left nothing half done: it fails again
  EXPECT_FALSE(heap.commit(heap.allocator().take_uncommitted()));
  const auto expect_free = [&](std::size_t expected) {
    EXPECT_NEAR(static_cast<double>(settled_free_bytes(heap)), static_cast<double>(expected), 65536);
  };
  expect_free(free_bytes);  // ranks that got some of their pages did not keep them ...
  heap.allocator().release(blocks.back());
  heap.trim();
  expect_free(free_bytes + static_cast<std::size_t>(comm().size()) * block_bytes);  // ... and this makes room
  const auto block = heap.allocator().allocate(block_bytes);
  ASSERT_TRUE(block);
  EXPECT_TRUE(heap.commit(heap.allocator().take_uncommitted()));
  std::memset(heap.address(comm().rank(), block->offset), 2, block->bytes);
}

TEST_F(HeapFull, commit_without_the_advice_of_new_kernels) {
  Heap heap(comm(), 20 * megabyte);
  const Filler filler(heap, static_cast<std::size_t>(comm().size()) * 4 * megabyte);
  auto* mine = heap.address(comm().rank(), 0);
  EXPECT_TRUE(populate_with_zeros(mine, megabyte));
  std::memset(mine, 1, megabyte);
  comm().barrier();
  const bool is_mine = populate_with_zeros(mine + megabyte, 19 * megabyte);
  EXPECT_EQ(comm().agree_min(is_mine), 0);
  discard(mine + megabyte, 19 * megabyte);
  EXPECT_EQ(static_cast<int>(mine[megabyte - 1]), 1);
  comm().barrier();
  EXPECT_TRUE(populate_with_zeros(mine + megabyte, megabyte));
}

}  // namespace
}  // namespace gamelan::engine::distribution
