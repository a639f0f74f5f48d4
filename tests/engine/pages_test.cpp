// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <string>

namespace gamelan::engine::distribution {
namespace {

namespace fs = std::filesystem;

/// A root directory with the /proc and /sys that a test writes.
class FakeRoot {
 public:
  FakeRoot() {
    std::string pattern = (fs::temp_directory_path() / "gamelan-pages.XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~FakeRoot() { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::size_t headroom() const { return memory_headroom(root_); }

 private:
  fs::path root_;
};

TEST(MemoryHeadroom, what_the_machine_has_without_groups) {
  const FakeRoot root;
  root.write("proc/meminfo", "MemTotal:       9000 kB\nMemFree:        100 kB\nMemAvailable:   5000 kB\n");
  EXPECT_EQ(root.headroom(), (5000u - 9000u / 20) * 1024);
  root.write("proc/meminfo", "MemTotal:       9000000000 kB\nMemAvailable:   5000000000 kB\n");
  EXPECT_EQ(root.headroom(), (std::size_t{5'000'000'000} - (1 << 20)) * 1024)
      << "the reserve is 1 GiB at most";
  root.write("proc/meminfo", "MemTotal:       9000 kB\nMemAvailable:   400 kB\n");
  EXPECT_EQ(root.headroom(), 0u);
}

TEST(MemoryHeadroom, every_level_of_a_group_of_version_2_counts) {
  const FakeRoot root;
  root.write("proc/meminfo", "MemAvailable:   1000000 kB\n");
  root.write("proc/self/cgroup", "0::/job/step\n");
  root.write("sys/fs/cgroup/job/step/memory.max", "max\n");
  root.write("sys/fs/cgroup/job/step/memory.current", "12345\n");
  root.write("sys/fs/cgroup/job/memory.max", "50000000\n");
  root.write("sys/fs/cgroup/job/memory.current", "20000000\n");
  root.write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 5000000\nactive_file 7\n");
  EXPECT_EQ(root.headroom(), 32'500'000u) << "file pages that can be dropped are not used memory";
  root.write("sys/fs/cgroup/job/step/memory.max", "14000\n");
  EXPECT_EQ(root.headroom(), 955u);
  root.write("sys/fs/cgroup/job/step/memory.current", "99999\n");
  EXPECT_EQ(root.headroom(), 0u) << "above the limit";
}

TEST(MemoryHeadroom, version_1_and_a_container_that_sees_only_its_own_top) {
  const FakeRoot root;
  root.write("proc/meminfo", "MemAvailable:   1000000 kB\n");
  root.write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n0::/docker/0123\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "30000000\n");
  root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "10000000\n");
  root.write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 4000000\n");
  EXPECT_EQ(root.headroom(), 22'500'000u);
}

TEST(MemoryHeadroom, of_this_machine) {
  EXPECT_GT(memory_headroom(), std::size_t{1} << 20);
  EXPECT_LT(memory_headroom(), std::size_t{1} << 50);
}

TEST(FileSystemSpace, of_something_and_of_nothing) {
  const auto space = file_system_space(fs::temp_directory_path());
  ASSERT_TRUE(space);
  EXPECT_LE(space->free_bytes, space->total_bytes);
  EXPECT_FALSE(file_system_space("/no/such/directory"));
}

/// Anonymous memory, shared (as a window on a node) or private (as the window of a rank alone).
struct Pages : testing::TestWithParam<int> {
  static constexpr std::size_t bytes = 64 * 4096;
  std::byte* start = static_cast<std::byte*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE | GetParam(), -1, 0));
  ~Pages() override { munmap(start, bytes); }
  std::size_t present() const {
    unsigned char is_present[64];
    EXPECT_EQ(mincore(start, bytes, is_present), 0);
    std::size_t count = 0;
    for (const unsigned char each : is_present) count += each & 1;
    return count;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Pages, testing::Values(MAP_SHARED, MAP_PRIVATE));

TEST_P(Pages, come_keep_their_contents_and_go) {
  EXPECT_EQ(present(), 0u);
  ASSERT_TRUE(populate(start + 4096, 4096));
  EXPECT_EQ(present(), 1u);
  std::memset(start + 4096, 7, 4096);
  ASSERT_TRUE(populate(start, bytes));
  EXPECT_EQ(present(), 64u);
  EXPECT_EQ(static_cast<int>(start[5000]), 7);
  discard(start, bytes);
  EXPECT_EQ(present(), 0u);
  EXPECT_EQ(static_cast<int>(start[5000]), 0);
}

TEST_P(Pages, come_by_zeros_where_the_advice_is_unknown) {
  ASSERT_TRUE(populate_with_zeros(start, 3 * 4096));
  EXPECT_EQ(present(), 3u);
}

TEST(PagesOfNobody, are_refused_without_a_signal) {
  auto* start = static_cast<std::byte*>(mmap(nullptr, 4096, PROT_NONE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0));
  EXPECT_FALSE(populate(start, 4096));
  EXPECT_FALSE(populate_with_zeros(start, 4096));
  munmap(start, 4096);
}

}  // namespace
}  // namespace gamelan::engine::distribution
