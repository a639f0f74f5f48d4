// SPDX-License-Identifier: BSD-3-Clause
// A file that a rank reads or writes pieces of. What the system refuses becomes Error{os}, which says who
// could not do what, and why: "[Errno 2] node7 cannot open the file: No such file or directory". The path is
// the notebook's to name.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "protocol/message.hpp"

namespace gamelan::engine::steps {

class File {
 public:
  enum class Access : std::uint8_t { read, write };
  /// Only files that are there, and plain ones: nothing is made, and nobody waits for a pipe.
  File(const protocol::Bytes& path, Access access);
  ~File();
  /// To read; nothing where no such file is.
  static std::optional<File> find(const protocol::Bytes& path);
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::int64_t size() const;
  /// Throws Error{value} where the file ends before.
  void read(std::span<std::byte> bytes, std::int64_t offset) const;
  void write(std::span<const std::byte> bytes, std::int64_t offset) const;
  /// What is written has reached the disk; for a file that other nodes close and name.
  void synchronise() const;
  /// Some file systems say only now what went wrong. The destructor closes silently.
  void close();

 private:
  explicit File(int descriptor);
  int descriptor_;
};

}  // namespace gamelan::engine::steps
