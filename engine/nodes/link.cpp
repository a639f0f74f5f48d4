// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/link.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gamelan::engine::nodes {
namespace {

constexpr int send_limit_s = 15;  // a peer that accepts nothing for so long is lost
constexpr std::uint64_t longest_body = std::uint64_t{1} << 30;  // a longer one is not one of our notes

/// What goes before the body; both sides are the same program on the same kind of processor.
struct Header {
  std::uint64_t kind, number, value, length;
};

}  // namespace

Link::Link(int socket, std::string peer) : socket_(socket), peer_(std::move(peer)) {
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const timeval limit{send_limit_s, 0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

Link::~Link() { close(socket_); }

void Link::send(const Note& note) {
  Header header{static_cast<std::uint64_t>(note.kind), note.number, note.value, note.body.size()};
  const std::lock_guard lock(sending_);
  iovec parts[] = {{&header, sizeof header}, {const_cast<std::byte*>(note.body.data()), note.body.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = note.body.empty() ? 1 : 2;
  while (message.msg_iovlen > 0) {
    const ssize_t sent = sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {  // half a note cannot be taken back: the connection is over
      shutdown(socket_, SHUT_RDWR);
      return;
    }
    auto left = static_cast<std::size_t>(sent);
    while (message.msg_iovlen > 0 && left >= message.msg_iov->iov_len) {
      left -= message.msg_iov->iov_len;
      ++message.msg_iov;
      --message.msg_iovlen;
    }
    if (message.msg_iovlen > 0) {
      message.msg_iov->iov_base = static_cast<std::byte*>(message.msg_iov->iov_base) + left;
      message.msg_iov->iov_len -= left;
    }
  }
}

bool Link::receive(const std::function<void(Note)>& visit) {
  std::byte buffer[65536];
  bool is_open = true;
  for (;;) {
    const ssize_t got = recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      is_open = false;
      break;
    }
    pending_.insert(pending_.end(), buffer, buffer + got);
  }
  std::size_t at = 0;
  Header header;
  while (pending_.size() - at >= sizeof header) {
    std::memcpy(&header, pending_.data() + at, sizeof header);
    if (header.length > longest_body) return false;
    if (pending_.size() - at - sizeof header < header.length) break;
    const auto body = pending_.begin() + static_cast<std::ptrdiff_t>(at + sizeof header);
    Note note{static_cast<Note::Kind>(header.kind), header.number, header.value,
              Bytes(body, body + static_cast<std::ptrdiff_t>(header.length))};
    at += sizeof header + header.length;
    if (note.kind == Note::Kind::bye) said_bye_ = true;
    visit(std::move(note));
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(at));
  return is_open;
}

}  // namespace gamelan::engine::nodes
