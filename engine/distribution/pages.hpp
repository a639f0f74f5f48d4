// SPDX-License-Identifier: BSD-3-Clause
// Asks the operating system for pages, returns them, and reads how much memory is left. A full tmpfs or an
// exhausted limit is found here, as a return value, and not later as a SIGBUS. Local calls only; it knows no
// heap and no other rank.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>

namespace gamelan::engine::distribution {

/// Makes [start, start + bytes) present and writable. False when the pages cannot be had; some may be present
/// then. Pages that were present keep their contents.
bool populate(std::byte* start, std::size_t bytes);
/// The same for kernels before 5.14. It writes zeros, so it is only for pages that are not in use yet.
bool populate_with_zeros(std::byte* start, std::size_t bytes);
/// Returns whole pages to the system; they read as zero afterwards.
void discard(std::byte* start, std::size_t bytes);

/// How many bytes this process may still use: the smaller of MemAvailable and what its memory cgroups (v1 or
/// v2, every level) leave, each less a reserve for the system and other processes: a twentieth of the whole,
/// at most 1 GiB. `root`: where /proc and /sys are looked for.
std::size_t memory_headroom(const std::filesystem::path& root = "/");
/// How many bytes the limit of this process's address space (ulimit -v) leaves.
std::size_t address_headroom();
/// True when each of the `ranks` ranks of this node can use so many bytes more. Small sizes are not checked.
bool has_room(std::size_t bytes, int ranks);
/// Free and total bytes of the file system that holds `directory`; nullopt when there is no such directory.
struct Space {
  std::size_t free_bytes = 0, total_bytes = 0;
};
std::optional<Space> file_system_space(const std::filesystem::path& directory);

}  // namespace gamelan::engine::distribution
