// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/probe.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace gamelan::kernel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto time_limit = std::chrono::milliseconds(200);  // for all of them together

/// One address that is being probed.
struct Attempt {
  int fd = -1;   // while it has not answered
  int code = 0;  // errno's, once it has
};

Attempt begin(int family, const sockaddr* address, socklen_t size) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return {-1, errno};
  const int code = connect(fd, address, size) == 0 ? 0 : errno;
  if (code == EINPROGRESS) return {fd, ETIMEDOUT};  // until it answers, it counts as timed out
  close(fd);
  return {-1, code};
}

Attempt begin_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {-1, ENAMETOOLONG};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return begin(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

Attempt begin_tcp(const std::string& host_and_port) {
  const std::size_t colon = host_and_port.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (colon == std::string::npos ||
      inet_pton(AF_INET, host_and_port.substr(0, colon).c_str(), &address.sin_addr) != 1)
    return {-1, EINVAL};
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(host_and_port.c_str() + colon + 1)));
  return begin(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

/// Waits until all have answered, or the time limit is over.
void await(std::vector<Attempt>& attempts) {
  const auto end = Clock::now() + time_limit;
  for (;;) {
    std::vector<pollfd> waiting;
    for (const Attempt& each : attempts)
      if (each.fd >= 0) waiting.push_back({each.fd, POLLOUT, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (waiting.empty() || left <= 0) return;
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left)) < 0 && errno != EINTR) return;
    for (const pollfd& each : waiting) {
      if (each.revents == 0) continue;
      const auto attempt = std::find_if(attempts.begin(), attempts.end(),
                                        [&](const Attempt& one) { return one.fd == each.fd; });
      socklen_t length = sizeof attempt->code;
      if (getsockopt(attempt->fd, SOL_SOCKET, SO_ERROR, &attempt->code, &length) != 0) attempt->code = errno;
      close(attempt->fd);
      attempt->fd = -1;
    }
  }
}

ProbeAnswer in_words(int code) {
  switch (code) {
    case 0:
      return {"took the connection and closed it again", false};
    case ECONNREFUSED:
      return {"refuses the connection: nobody listens there any more", true};
    case ENOENT:
      return {"is no more: its engines have ended", true};
    case ETIMEDOUT:
      return {"does not answer: the network is cut, or the node is down", false};
    default:
      return {std::string("cannot be reached: ") + std::strerror(code), false};
  }
}

}  // namespace

std::vector<ProbeAnswer> probe(const std::vector<std::string>& addresses) {
  constexpr std::size_t scheme_letters = 6;  // "ipc://", "tcp://"
  std::vector<Attempt> attempts;
  for (const std::string& address : addresses) {
    const std::string place = address.substr(std::min(scheme_letters, address.size()));
    attempts.push_back(address.starts_with("ipc:") ? begin_unix(place) : begin_tcp(place));
  }
  await(attempts);
  std::vector<ProbeAnswer> answers;
  for (const Attempt& each : attempts) {
    if (each.fd >= 0) close(each.fd);
    answers.push_back(in_words(each.code));
  }
  return answers;
}

}  // namespace gamelan::kernel
