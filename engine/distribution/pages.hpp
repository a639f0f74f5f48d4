// SPDX-License-Identifier: BSD-3-Clause
// Asks the operating system for pages, gives them back, and reads how much memory there still is. A full
// tmpfs or an exhausted limit is an answer here, never a SIGBUS later. Local calls only; knows no heap and no
// other rank.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>

namespace gamelan::engine::distribution {

/// Makes [start, start + bytes) present and writable; false when the pages cannot be had (some may be present
/// then). Contents of pages that were present stay.
bool populate(std::byte* start, std::size_t bytes);
/// The same for kernels before 5.14; it overwrites with zeros, so only for pages that nobody uses yet.
bool populate_with_zeros(std::byte* start, std::size_t bytes);
/// Gives whole pages back; they read as zero afterwards.
void discard(std::byte* start, std::size_t bytes);

/// Bytes that a process of ours may still use: the smaller of MemAvailable and what its memory cgroups (v1 or
/// v2, every level) leave. `root` is where /proc and /sys are looked for.
std::size_t memory_headroom(const std::filesystem::path& root = "/");
/// What the limit of this process's address space (ulimit -v) leaves.
std::size_t address_headroom();
/// Can each of the `ranks` ranks of this node take so many bytes more? Little is not worth a look.
bool has_room(std::size_t bytes, int ranks);
/// Free and total bytes of the file system that holds `directory`; nullopt when there is no such directory.
struct Space {
  std::size_t free_bytes = 0, total_bytes = 0;
};
std::optional<Space> file_system_space(const std::filesystem::path& directory);

}  // namespace gamelan::engine::distribution
