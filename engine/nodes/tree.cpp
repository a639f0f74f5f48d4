// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/tree.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/host_name.hpp"
#include "engine/nodes/awake_clock.hpp"
#include "engine/nodes/leaders.hpp"

namespace gamelan::engine::nodes {
namespace {

constexpr double longest_beat_s = 1;
constexpr double beats_in_silence = 5;  // at least: one may be late, a busy machine delays two
constexpr double beats_in_look =
    2;  // a longer turn of the I/O thread is one in which the process was stopped

/// Names both nodes, because neither can know which of the two is cut off.
std::string silence_of(const Link& link, double limit_s) {
  return "node " + link.peer() + " has not been heard by " + host_name() + " for " +
         std::to_string(static_cast<int>(limit_s)) +
         " s: one of the two is switched off, or cut from the network";
}

}  // namespace

Tree::Tree(Comm& comm, const Settings& settings) : settings_(settings) {
  auto neighbours = connect_leaders(comm, settings);
  parent_ = std::move(neighbours.parent);
  children_ = std::move(neighbours.children);
  stop_fd_ = Descriptor(
      eventfd(0, EFD_CLOEXEC));  // not before: a failure must not keep the others waiting in collectives
  if (stop_fd_.get() < 0)
    throw protocol::Error(protocol::ErrorKind::os, std::string("[nodes] eventfd: ") + std::strerror(errno));
}

Tree::~Tree() {
  if (io_thread_.joinable()) {
    const std::uint64_t one = 1;
    if (write(stop_fd_.get(), &one, sizeof one) == sizeof one)
      io_thread_.join();
    else
      io_thread_.detach();
  }
  const Note bye{Note::Kind::bye, 0, 0, {}};
  send_up(bye);
  send_down(bye);
}

void Tree::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  io_thread_ = std::thread([this] { run_io_thread(); });
}

void Tree::send_up(const Note& note) {
  if (parent_) parent_->send(note);
}

void Tree::send_down(const Note& note) {
  for (const auto& child : children_) child->send(note);
}

void Tree::run_io_thread() {
  struct Neighbour {
    Link* link;
    double silent_s = 0;
  };
  std::vector<Neighbour> neighbours;
  if (parent_) neighbours.push_back({parent_.get()});
  for (const auto& child : children_) neighbours.push_back({child.get()});
  const std::size_t first_child = parent_ ? 1 : 0;
  std::vector<pollfd> polled;
  for (const auto& each : neighbours) polled.push_back({each.link->socket(), POLLIN, 0});
  polled.push_back({stop_fd_.get(), POLLIN, 0});

  const double beat_s = std::min(longest_beat_s, settings_.silence_limit_s / beats_in_silence);
  AwakeClock clock(beats_in_look * beat_s);
  double since_beat_s = beat_s;  // the first at once
  bool is_lost = false;
  for (;;) {
    if (since_beat_s >= beat_s) {
      since_beat_s = 0;
      for (const auto& each : neighbours)
        if (!each.link->said_bye()) each.link->send({});
    }
    if (poll(polled.data(), polled.size(), static_cast<int>(beat_s * 1e3)) < 0) continue;  // a signal
    if (polled.back().revents) return;
    const double elapsed_s = clock.look();
    since_beat_s += elapsed_s;
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      if (polled[k].fd < 0) continue;
      auto& [link, silent_s] = neighbours[k];
      std::string cause;
      if (polled[k].revents) {
        silent_s = 0;
        const bool is_open = link->receive([&](Note note) {
          if (note.kind == Note::Kind::beat || note.kind == Note::Kind::bye) return;
          if (k < first_child)
            handlers_.from_parent(std::move(note));
          else
            handlers_.from_child(k - first_child, std::move(note));
        });
        if (!is_open) cause = "node " + link->peer() + " is gone: its connection was closed";
      } else if ((silent_s += elapsed_s) >= settings_.silence_limit_s) {
        cause = silence_of(*link, settings_.silence_limit_s);
      }
      if (!cause.empty() || link->said_bye()) polled[k].fd = -1;
      if (!cause.empty() && !link->said_bye() && !std::exchange(is_lost, true)) handlers_.lost(cause);
    }
  }
}

}  // namespace gamelan::engine::nodes
