// SPDX-License-Identifier: BSD-3-Clause
// A file of which a rank reads or writes parts. When the system refuses a call, Error{os} says which node
// could not do what, and why: "[Errno 2] node7 cannot open the file: No such file or directory". The notebook
// chooses the path.
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
  /// Opens a file that exists and is a regular file. It creates no file, and never blocks on a pipe.
  File(const protocol::Bytes& path, Access access);
  ~File();
  /// Makes a file that was not there, for this user alone, to be written.
  static File create(const std::string& path);
  /// Opens a file for reading; nullopt when it does not exist.
  static std::optional<File> find(const protocol::Bytes& path);
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::int64_t size() const;
  /// Throws Error{value} when the file ends before.
  void read(std::span<std::byte> bytes, std::int64_t offset) const;
  void write(std::span<const std::byte> bytes, std::int64_t offset) const;
  /// Returns when what was written has reached the disk. For a file that other nodes close and rename.
  void synchronise() const;
  /// Closes the file and throws what some file systems report only now. The destructor closes without a
  /// report.
  void close();

 private:
  explicit File(int descriptor);
  int descriptor_;
};

}  // namespace gamelan::engine::steps
