// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/knock.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gamelan::kernel {
namespace {

constexpr int patience_ms = 200;

int connect_within(int fd, const sockaddr* address, socklen_t size) {
  if (connect(fd, address, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waiting{fd, POLLOUT, 0};
  if (poll(&waiting, 1, patience_ms) <= 0) return ETIMEDOUT;
  int code = 0;
  socklen_t length = sizeof code;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno;
}

int try_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  const int code = connect_within(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  close(fd);
  return code;
}

int try_tcp(const std::string& host_and_port) {
  const std::size_t colon = host_and_port.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (colon == std::string::npos || inet_pton(AF_INET, host_and_port.substr(0, colon).c_str(), &address.sin_addr) != 1)
    return EINVAL;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(host_and_port.c_str() + colon + 1)));
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  const int code = connect_within(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  close(fd);
  return code;
}

}  // namespace

Knock knock(const std::string& address) {
  constexpr std::size_t scheme_letters = 6;  // "ipc://", "tcp://"
  const std::string place = address.substr(std::min(scheme_letters, address.size()));
  const int code = address.starts_with("ipc:") ? try_unix(place) : try_tcp(place);
  switch (code) {
    case 0: return {"took the connection and closed it again", false};
    case ECONNREFUSED: return {"refuses the connection: nobody listens there any more", true};
    case ENOENT: return {"is no more: its engines have ended", true};
    case ETIMEDOUT: return {"does not answer: the network is cut, or the node is down", false};
    default: return {std::string("cannot be reached: ") + std::strerror(code), false};
  }
}

}  // namespace gamelan::kernel
