// SPDX-License-Identifier: BSD-3-Clause
// One thread for each direction; the first that ends, ends the process.
#include "engine/serving/relay_proxy.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "engine/host_name.hpp"

namespace gamelan::engine {
namespace {

constexpr int connect_limit_ms = 5'000;
constexpr std::size_t buffer_bytes = 256 * 1024;

/// A connected socket, or -1 with the reason.
int connect_to(const std::string& host, const std::string& port, std::string& reason) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  if (const int code = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); code != 0) {
    reason = gai_strerror(code);
    return -1;
  }
  int connected = -1;
  for (const addrinfo* each = found; each && connected < 0; each = each->ai_next) {
    const int fd =
        socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol);
    if (fd < 0) continue;
    int code = connect(fd, each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
    if (code == EINPROGRESS) {
      pollfd waiting{fd, POLLOUT, 0};
      socklen_t size = sizeof code;
      if (poll(&waiting, 1, connect_limit_ms) <= 0)
        code = ETIMEDOUT;
      else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) != 0)
        code = errno;
    }
    if (code == 0)
      connected = fd;
    else {
      reason = std::strerror(code);
      close(fd);
    }
  }
  freeaddrinfo(found);
  return connected;
}

/// Passes bytes until either side ends. Polls where a descriptor, which others have opened, does not block.
void pass(int from, int to) {
  std::vector<char> bytes(buffer_bytes);
  const auto await = [](int fd, short what) {
    pollfd waiting{fd, what, 0};
    poll(&waiting, 1, -1);
  };
  for (;;) {
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      await(from, POLLIN);
      continue;
    }
    if (got <= 0) return;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = write(to, bytes.data() + done, static_cast<std::size_t>(got - done));
      if (put > 0)
        done += put;
      else if (put < 0 && errno == EAGAIN)
        await(to, POLLOUT);
      else if (put < 0 && errno != EINTR)
        return;
    }
  }
}

}  // namespace

int run_relay_proxy(const std::string& host_and_port) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::size_t colon = host_and_port.rfind(':');
  std::string reason = "expected HOST:PORT";
  const int fd = colon == std::string::npos
                     ? -1
                     : connect_to(host_and_port.substr(0, colon), host_and_port.substr(colon + 1), reason);
  if (fd < 0) {
    std::fprintf(stderr, "gamelan-engine: relay on %s to %s: %s\n", host_name().c_str(),
                 host_and_port.c_str(), reason.c_str());
    return EXIT_FAILURE;
  }
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // The process ends with the first direction that ends; there is nothing more to send in the other.
  std::thread([fd] {
    pass(STDIN_FILENO, fd);
    std::_Exit(EXIT_SUCCESS);
  }).detach();
  pass(fd, STDOUT_FILENO);
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace gamelan::engine
