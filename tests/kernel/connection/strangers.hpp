// SPDX-License-Identifier: BSD-3-Clause
// What somebody without the key can do to a port: bytes in, whatever comes back. And what this process weighs
// meanwhile.
#pragma once
#include <fstream>
#include <string>

#include "tests/kernel/connection/proxy.hpp"

namespace gamelan::connection::test {

/// The first 64 bytes of ZMTP 3.1: signature, version, mechanism.
inline std::string greeting(const std::string& mechanism) {
  std::string bytes(64, '\0');
  bytes[0] = '\xff';
  bytes[8] = 1;
  bytes[9] = '\x7f';
  bytes[10] = 3;
  bytes[11] = 1;
  bytes.replace(12, mechanism.size(), mechanism);
  return bytes;
}

/// A command frame of ZMTP: flags, length (of eight bytes), body.
inline std::string long_command(std::uint64_t announced, const std::string& body) {
  std::string bytes(1, '\x06');
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(announced >> shift & 0xff);
  return bytes + body;
}

class Stranger {
 public:
  explicit Stranger(int port) : fd_(connect_to(port)) {}
  ~Stranger() {
    if (fd_ >= 0) close(fd_);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool is_connected() const { return fd_ >= 0; }
  /// False when the other side has closed.
  bool say(const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t put = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (put <= 0) return false;
      done += static_cast<std::size_t>(put);
    }
    return true;
  }
  /// What comes until the other side closes or is quiet for so long.
  std::string hear(int quiet_ms = 150) {
    std::string heard;
    for (;;) {
      pollfd waiting{fd_, POLLIN, 0};
      if (poll(&waiting, 1, quiet_ms) <= 0) return heard;
      char bytes[4096];
      const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
      if (got <= 0) {
        is_closed_ = true;
        return heard;
      }
      heard.append(bytes, static_cast<std::size_t>(got));
    }
  }
  bool is_closed() const { return is_closed_; }

 private:
  const int fd_;
  bool is_closed_ = false;
};

/// Resident memory of this process, in KiB.
inline long resident_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  return 0;
}

}  // namespace gamelan::connection::test
