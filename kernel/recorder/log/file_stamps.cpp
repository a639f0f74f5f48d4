// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/log/file_stamps.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "kernel/recorder/log/sums.hpp"
#include "protocol/datasets.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Command;
using protocol::Op;

namespace {

std::int64_t nanoseconds_of(const struct stat& facts) {
  return std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

/// Of a folder of chunks: all their bytes, and the newest time.
void add_files_below(FileStamp& stamp) {
  std::error_code error;
  stamp.bytes = 0;
  for (std::filesystem::recursive_directory_iterator file(stamp.path, error), end; file != end;
       file.increment(error)) {
    struct stat facts {};
    if (error || stat(file->path().c_str(), &facts) != 0) continue;
    stamp.bytes += facts.st_size;
    stamp.modified_ns = std::max(stamp.modified_ns, nanoseconds_of(facts));
  }
}

FileStamp stamp_of(std::string path) {
  struct stat facts {};
  FileStamp stamp{std::move(path)};
  if (stat(stamp.path.c_str(), &facts) != 0) return stamp;
  stamp.bytes = facts.st_size;
  stamp.modified_ns = nanoseconds_of(facts);
  if (S_ISDIR(facts.st_mode)) add_files_below(stamp);
  return stamp;
}

}  // namespace

bool reads_file(Op op) { return op == Op::read_file || op == Op::read_hdf5 || op == Op::read_zarr; }

std::string path_of(const Command& command, const Batch& batch) {
  return protocol::hdf5_names(batch.payloads[static_cast<std::size_t>(command.payload)]).first;
}

std::vector<FileStamp> stamps_of(const Batch& batch) {
  std::vector<FileStamp> stamps;
  if (batch.payloads.empty()) return stamps;
  for (const auto& command : batch.commands)
    if (reads_file(command.op))
      stamps.push_back(stamp_of(path_of(command, batch)));
    else if (command.op == Op::read_pieces)  // which the nodes have
      stamps.push_back({path_of(command, batch)});
  return stamps;
}

bool is_same_file(const Command& command, const Batch& batch, std::span<const FileStamp> then) {
  const auto now = stamp_of(path_of(command, batch));
  const bool has_sum = command.op == Op::read_file &&
                       sum_of(batch.payloads[static_cast<std::size_t>(command.payload)]).has_value();
  return std::any_of(then.begin(), then.end(), [&](const FileStamp& stamp) {
    return has_sum && now.bytes >= 0 ? stamp.path == now.path && stamp.bytes == now.bytes : stamp == now;
  });
}

std::string why_not_read(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return "its file " + path + " has changed";
  if (error) return "its file " + path + " cannot be looked at: " + error.message();
  auto gone = std::filesystem::path(path);  // or the highest of the folders above it that is gone
  for (auto above = gone.parent_path(); !above.empty() && !std::filesystem::exists(above, error);
       above = above.parent_path())
    gone = above;
  const auto why = "its file " + path + " is gone";
  return gone == path
             ? why
             : why + ": somebody has removed the folder " + gone.string() + ". Run again what made it";
}

}  // namespace gamelan::kernel
