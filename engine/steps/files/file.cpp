// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/files/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "engine/host_name.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Error;
using protocol::ErrorKind;

[[noreturn]] void refuse(int number, const char* what) {
  throw Error(ErrorKind::os, "[Errno " + std::to_string(number) + "] " + host_name() + " cannot " + what +
                                 " the file: " + std::strerror(number));
}

/// -1, with errno, where it cannot be opened.
int open_file(const protocol::Bytes& path, File::Access access) {
  const auto end = std::find(path.begin(), path.end(), std::byte{0});  // a note may follow
  const std::string name(reinterpret_cast<const char*>(path.data()),
                         static_cast<std::size_t>(end - path.begin()));
  int descriptor = -1;
  do {
    descriptor =
        ::open(name.c_str(), (access == File::Access::read ? O_RDONLY : O_WRONLY) | O_CLOEXEC | O_NONBLOCK);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace

File::File(const protocol::Bytes& path, Access access) : File(open_file(path, access)) {
  std::signal(SIGXFSZ,
              SIG_IGN);  // a limit of file sizes (ulimit -f) is an error of the call, no end of the engine
}

std::optional<File> File::find(const protocol::Bytes& path) {
  const int descriptor = open_file(path, Access::read);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  return File(descriptor);
}

File File::create(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  return File(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

File::File(int descriptor) : descriptor_(descriptor) {
  if (descriptor_ < 0) refuse(errno, "open");
  struct stat about {};
  const bool is_known = fstat(descriptor_, &about) == 0;
  if (is_known && S_ISREG(about.st_mode)) return;
  const int number = !is_known ? errno : S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  ::close(descriptor_);
  refuse(number, "use");
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::int64_t File::size() const {
  struct stat about {};
  if (fstat(descriptor_, &about) != 0) refuse(errno, "read");
  return about.st_size;
}

void File::read(std::span<std::byte> bytes, std::int64_t offset) const {
  while (!bytes.empty()) {
    const auto done = ::pread(descriptor_, bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse(errno, "read");
    if (done == 0)
      throw Error(ErrorKind::value,
                  "[read_file] the file ends at byte " + std::to_string(offset) + ", before the array does");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
}

void File::write(std::span<const std::byte> bytes, std::int64_t offset) const {
  while (!bytes.empty()) {
    const auto done = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse(errno, "write");
    if (done == 0) refuse(ENOSPC, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
}

void File::synchronise() const {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS) refuse(errno, "write");
}

void File::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR) refuse(errno, "write");
}

}  // namespace gamelan::engine::steps
