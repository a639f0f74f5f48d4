// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "engine/assert.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace gamelan::engine::distribution {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The first number in a file; nullopt when there is none ("max").
std::optional<std::size_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::size_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// The number behind `key` in a file of "key number" lines.
std::optional<std::size_t> number_after(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size()));
  }
  return std::nullopt;
}

/// What is left of `available` beside the reserve.
std::size_t beside_reserve(std::size_t available, std::size_t total) {
  return available - std::min(available, std::min(total / 20, std::size_t{1} << 30));
}

/// How much the cgroup in `directory` and its parents up to `top` leave. File pages that the system can drop
/// count as free.
std::size_t group_headroom(fs::path directory, const fs::path& top, const char* limit_file,
                           const char* usage_file, std::string_view reclaimable_key) {
  // Inside a container the path of /proc/self/cgroup may be the host's: then only the mounted `top` is ours.
  if (!fs::exists(directory)) directory = top;
  std::size_t headroom = unlimited;
  for (;; directory = directory.parent_path()) {
    const auto limit = number_in(directory / limit_file), usage = number_in(directory / usage_file);
    if (limit && usage) {
      const std::size_t reclaimable = number_after(directory / "memory.stat", reclaimable_key).value_or(0);
      const std::size_t used = *usage - std::min(*usage, reclaimable);
      headroom = std::min(headroom, beside_reserve(*limit - std::min(*limit, used), *limit));
    }
    if (directory == top || !directory.has_relative_path()) return headroom;
  }
}

}  // namespace

bool populate(std::byte* start, std::size_t bytes) {
  while (madvise(start, bytes, MADV_POPULATE_WRITE) != 0) {
    if (errno == EINVAL) return populate_with_zeros(start, bytes);  // a kernel that does not know the advice
    if (errno != EAGAIN && errno != EINTR) return false;            // EFAULT: the tmpfs is full; ENOMEM
  }
  return true;
}

bool populate_with_zeros(std::byte* start, std::size_t bytes) {
  // A store into a full tmpfs raises SIGBUS, but a system call that stores there answers EFAULT.
  const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (zeros < 0) return false;
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t now = read(zeros, start + done, bytes - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) break;
    done += static_cast<std::size_t>(now);
  }
  close(zeros);
  return done == bytes;
}

void discard(std::byte* start, std::size_t bytes) {
  if (madvise(start, bytes, MADV_REMOVE) == 0) return;
  // A rank alone on its node has private memory, which has no file to punch a hole into.
  const bool is_discarded = madvise(start, bytes, MADV_DONTNEED) == 0;
  GAMELAN_ASSERT(cheap, is_discarded, "pages could not be given back");
}

std::size_t memory_headroom(const fs::path& root) {
  std::size_t headroom = unlimited;
  if (const auto kilobytes = number_after(root / "proc/meminfo", "MemAvailable:"))
    headroom = beside_reserve(*kilobytes * 1024,
                              number_after(root / "proc/meminfo", "MemTotal:").value_or(0) * 1024);

  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // hierarchy:controllers:path
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path path = fs::path(line.substr(second + 1)).relative_path();
    if (controllers == ",,") {
      const fs::path top = root / "sys/fs/cgroup";
      headroom = std::min(headroom,
                          group_headroom(top / path, top, "memory.max", "memory.current", "inactive_file "));
    } else if (controllers.find(",memory,") != std::string::npos) {
      const fs::path top = root / "sys/fs/cgroup/memory";
      headroom = std::min(headroom, group_headroom(top / path, top, "memory.limit_in_bytes",
                                                   "memory.usage_in_bytes", "total_inactive_file "));
    }
  }
  return headroom;
}

std::size_t address_headroom() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::size_t used =
      number_in("/proc/self/statm").value_or(0) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

bool has_room(std::size_t bytes, int ranks) {
  constexpr std::size_t not_worth_a_look = std::size_t{8} << 20;
  if (bytes <= not_worth_a_look) return true;
  return bytes <= address_headroom() && bytes <= memory_headroom() / static_cast<std::size_t>(ranks);
}

std::optional<Space> file_system_space(const fs::path& directory) {
  struct statvfs facts {};
  if (statvfs(directory.c_str(), &facts) != 0) return std::nullopt;
  const std::size_t block = facts.f_frsize;
  return Space{facts.f_bavail * block, facts.f_blocks * block};
}

}  // namespace gamelan::engine::distribution
