// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/tree.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "engine/nodes/handshake.hpp"

namespace gamelan::engine::nodes {
namespace {

constexpr int fanout = 8;              // four levels reach 4,681 nodes
constexpr int beat_ms = 1'000;
constexpr double usual_silence_s = 10;  // TCP gets over a cut of 5 s; walls of patience end before 15 s

double silence_limit() {
  const char* text = std::getenv("GAMELAN_NODE_TIMEOUT");
  const double chosen = text ? std::atof(text) : 0;
  return chosen > 0 ? chosen : usual_silence_s;
}

}  // namespace

Tree::Tree(Comm& comm) : silence_limit_s_(silence_limit()), stop_fd_(eventfd(0, EFD_CLOEXEC)) {
  auto neighbours = connect_leaders(comm, fanout);
  parent_ = std::move(neighbours.parent);
  children_ = std::move(neighbours.children);
}

Tree::~Tree() {
  if (porter_.joinable()) {
    const std::uint64_t one = 1;
    if (write(stop_fd_, &one, sizeof one) == sizeof one) porter_.join();
    else porter_.detach();
  }
  const Note bye{Note::Kind::bye, 0, 0, {}};
  send_up(bye);
  send_down(bye);
  close(stop_fd_);
}

void Tree::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  porter_ = std::thread([this] { carry(); });
}

void Tree::send_up(const Note& note) {
  if (parent_) parent_->send(note);
}

void Tree::send_down(const Note& note) {
  for (const auto& child : children_) child->send(note);
}

std::string Tree::what_is_wrong_with(const Link& link, bool is_open) const {
  if (!is_open) return "node " + link.peer() + " is gone: its connection was closed";
  if (link.silent_seconds() < silence_limit_s_) return {};
  return "node " + link.peer() + " has not been heard for " + std::to_string(static_cast<int>(silence_limit_s_)) +
         " s: it is switched off, or cut from the network";
}

void Tree::carry() {
  std::vector<Link*> links;
  if (parent_) links.push_back(parent_.get());
  for (const auto& child : children_) links.push_back(child.get());
  const std::size_t first_child = parent_ ? 1 : 0;
  std::vector<pollfd> polled;
  for (const Link* link : links) polled.push_back({link->socket(), POLLIN, 0});
  polled.push_back({stop_fd_, POLLIN, 0});
  auto next_beat = std::chrono::steady_clock::now();
  bool is_lost = false;
  for (;;) {
    poll(polled.data(), polled.size(), beat_ms);
    if (polled.back().revents) return;
    for (std::size_t k = 0; k < links.size(); ++k) {
      if (polled[k].fd < 0) continue;
      bool is_open = true;
      if (polled[k].revents)
        is_open = links[k]->receive([&](Note note) {
          if (note.kind == Note::Kind::beat || note.kind == Note::Kind::bye) return;
          if (k < first_child) handlers_.from_parent(std::move(note));
          else handlers_.from_child(k - first_child, std::move(note));
        });
      if (!is_open || links[k]->said_bye()) polled[k].fd = -1;
      const std::string cause = links[k]->said_bye() ? "" : what_is_wrong_with(*links[k], is_open);
      if (cause.empty()) continue;
      polled[k].fd = -1;
      if (!std::exchange(is_lost, true)) handlers_.lost(cause);
    }
    if (std::chrono::steady_clock::now() < next_beat) continue;
    next_beat = std::chrono::steady_clock::now() + std::chrono::milliseconds(beat_ms);
    for (Link* link : links)
      if (!link->said_bye()) link->send({});
  }
}

}  // namespace gamelan::engine::nodes
