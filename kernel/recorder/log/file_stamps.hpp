// SPDX-License-Identifier: BSD-3-Clause
// The files that commands read, as they were then: whether they may be read again.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// A file as it was when a command read it.
struct FileStamp {
  std::string path;
  std::int64_t bytes = -1;  ///< -1: there was none
  std::int64_t modified_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
/// The files that the commands of a batch read, as they are now.
std::vector<FileStamp> stamps_of(const protocol::Batch& batch);

bool reads_file(protocol::Op op);
/// The file that a command of this batch reads.
std::string path_of(const protocol::Command& command, const protocol::Batch& batch);
/// May the command read its file again? One that has been summed needs the same length only, because what is
/// read will be compared.
bool is_same_file(const protocol::Command& command, const protocol::Batch& batch,
                  std::span<const FileStamp> then);
/// Why a file cannot be read again that is not the same, for an error: it has changed, or is gone, with which
/// folder.
std::string why_not_read(const std::string& path);

}  // namespace gamelan::kernel
