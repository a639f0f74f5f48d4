// SPDX-License-Identifier: BSD-3-Clause
// The leaders of the nodes as a tree of TCP connections, with rank 0's leader at its root. MPI would spin
// while it waits; here an idle node sleeps. Each leader has a thread, the I/O thread. It reads the
// connections, passes every note on, and notices when a neighbour falls silent or is gone. Knows no arrays;
// tree_messages.cpp knows what notes mean.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/nodes/descriptor.hpp"
#include "engine/nodes/link.hpp"
#include "engine/nodes/settings.hpp"
#include "engine/ranks/comm.hpp"

namespace gamelan::engine::nodes {

class Tree {
 public:
  /// Called by the I/O thread, one at a time.
  struct Handlers {
    std::function<void(Note)> from_parent;
    std::function<void(std::size_t child, Note)> from_child;
    std::function<void(const std::string& cause)> lost;  ///< a neighbour: once, the first
  };

  /// Connects the leaders. Collective on comm.leaders(). On a leader that misses a neighbour it throws
  /// Error{os} with the name of the node that cannot be reached. Before start() all leaders must agree that
  /// none has failed.
  Tree(Comm& comm, const Settings& settings);
  /// Announces the end to the neighbours and closes the connections.
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// From now on the I/O thread reads, and silence of the neighbours counts.
  void start(Handlers handlers);

  // Any thread.
  void send_up(const Note& note);  ///< nothing at the root
  void send_down(const Note& note);
  std::size_t children() const { return children_.size(); }
  bool is_root() const { return parent_ == nullptr; }

 private:
  void run_io_thread();

  const Settings settings_;
  std::unique_ptr<Link> parent_;
  std::vector<std::unique_ptr<Link>> children_;
  Handlers handlers_;
  Descriptor stop_fd_;
  std::thread io_thread_;  // last: ends first
};

}  // namespace gamelan::engine::nodes
