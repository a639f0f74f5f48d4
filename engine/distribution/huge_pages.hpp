// SPDX-License-Identifier: BSD-3-Clause
// Huge pages for memory that ranks share. Linux gives shared memory pages of 4 KiB unless an administrator
// has said otherwise (/sys/kernel/mm/transparent_hugepage/shmem_enabled). A file system of our own, in a
// namespace that ends with this function, may have pages of 2 MiB all the same; docs/decisions/003 says what
// that brings. Local calls only.
#pragma once
#include <cstddef>
#include <utility>

#include "protocol/message.hpp"

namespace gamelan::engine::distribution {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// A file without a name whose pages are huge ones where the system has them. Closes it at its end; what is
/// mapped stays.
class HugeFile {
 public:
  HugeFile() = default;  ///< none
  explicit HugeFile(int file) : file_(file) {}
  HugeFile(HugeFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  HugeFile& operator=(HugeFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~HugeFile();

  /// Where other processes of this user find the file, as long as it is open here; empty when there is none.
  protocol::Bytes place() const;
  /// Maps its first bytes, shared and writable, from the beginning of a huge page on. nullptr when there is
  /// no file, or no address space.
  std::byte* map(std::size_t bytes) const;
  /// Maps a part of it in the place of what is mapped at `address`. False when the system refuses.
  bool map_over(std::byte* address, std::size_t offset, std::size_t bytes) const;

 private:
  int file_ = -1;
};

/// A new file of this size. None of its memory is taken yet. There is none where the system does not let this
/// user mount a file system in a namespace.
HugeFile make_huge_file(std::size_t bytes);
/// The file of another process, by its place there; none where it cannot be opened.
HugeFile open_huge_file(const protocol::Bytes& place);

}  // namespace gamelan::engine::distribution
