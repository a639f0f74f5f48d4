// SPDX-License-Identifier: BSD-3-Clause
// A TCP proxy that behaves as a bad network does: passes bytes on, swallows them, breaks connections off in
// the middle of a message. One thread; what it passed on is kept for who wants to say it again.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gamelan::connection::test {

inline int tcp_socket() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::runtime_error("socket");
  return fd;
}

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// A connection to this machine, or -1.
inline int connect_to(int port) {
  const int fd = tcp_socket();
  const sockaddr_in address = loopback(port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

class Proxy {
 public:
  enum class Mode { pass, swallow, refuse };

  explicit Proxy(int target_port) : target_(target_port), listener_(tcp_socket()) {
    const int one = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        listen(listener_, 64) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("proxy");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Proxy() {
    is_over_ = true;
    thread_.join();
    close(listener_);
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  int port() const { return port_; }
  void set(Mode mode) { mode_ = mode; }
  /// Every connection ends at once, as when a tunnel is killed.
  void break_off() { breaks_.fetch_add(1); }
  /// The next connections end after so many bytes to the engines (towards) or from them, wherever that is in
  /// a message.
  void break_after(long towards, long from) {
    towards_left_ = towards;
    from_left_ = from;
  }
  int connections() const { return connections_; }
  /// What clients have sent through each connection, in order.
  std::vector<std::string> recorded() const {
    const std::lock_guard lock(mutex_);
    return recorded_;
  }

 private:
  struct Pair {
    int client, engine;
    std::size_t record;
  };

  void run() {
    int seen_breaks = breaks_;
    while (!is_over_) {
      if (seen_breaks != breaks_) {
        seen_breaks = breaks_;
        while (!pairs_.empty()) drop(0);
      }
      std::vector<pollfd> waiting{{listener_, POLLIN, 0}};
      // What is swallowed stays unread: the system goes on acknowledging until its buffers are full, as a cut
      // network does not. The clients of these tests send little, so silence is what they see.
      for (const Pair& pair : pairs_)
        for (const int fd : {pair.client, pair.engine})
          waiting.push_back({mode_ == Mode::swallow ? -1 : fd, POLLIN, 0});
      poll(waiting.data(), waiting.size(), 5);
      if (waiting[0].revents != 0) accept_one();
      for (std::size_t index = pairs_.size(); index-- > 0;) {
        if (2 + 2 * index >= waiting.size()) continue;  // just accepted
        bool is_broken = false;
        if (waiting[1 + 2 * index].revents != 0) is_broken = !pass(pairs_[index], true);
        if (!is_broken && waiting[2 + 2 * index].revents != 0) is_broken = !pass(pairs_[index], false);
        if (is_broken) drop(index);
      }
    }
    while (!pairs_.empty()) drop(0);
  }
  void accept_one() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int engine = mode_ == Mode::refuse ? -1 : connect_to(target_);
    if (engine < 0) {
      close(client);
      return;
    }
    ++connections_;
    const std::lock_guard lock(mutex_);
    pairs_.push_back({client, engine, recorded_.size()});
    recorded_.emplace_back();
  }
  bool pass(Pair& pair, bool is_towards) {
    char bytes[65536];
    std::atomic<long>& left = is_towards ? towards_left_ : from_left_;
    const long wanted = left >= 0 ? std::min<long>(left, sizeof bytes) : static_cast<long>(sizeof bytes);
    const ssize_t got = recv(is_towards ? pair.client : pair.engine, bytes,
                             static_cast<std::size_t>(std::max(wanted, 1L)), 0);
    if (got <= 0) return false;
    if (wanted == 0) {
      left = -1;
      return false;
    }
    if (left >= 0) left -= got;
    if (is_towards) {
      const std::lock_guard lock(mutex_);
      recorded_[pair.record].append(bytes, static_cast<std::size_t>(got));
    }
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::send(is_towards ? pair.engine : pair.client, bytes + done,
                                 static_cast<std::size_t>(got - done), MSG_NOSIGNAL);
      if (put <= 0) return false;
      done += put;
    }
    return true;
  }
  void drop(std::size_t index) {
    close(pairs_[index].client);
    close(pairs_[index].engine);
    pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  const int target_, listener_;
  int port_ = 0;
  std::vector<Pair> pairs_;
  std::atomic<Mode> mode_{Mode::pass};
  std::atomic<int> breaks_{0}, connections_{0};
  std::atomic<long> towards_left_{-1}, from_left_{-1};
  std::atomic<bool> is_over_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> recorded_;
  std::thread thread_;
};

}  // namespace gamelan::connection::test
