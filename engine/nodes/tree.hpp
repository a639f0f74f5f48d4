// SPDX-License-Identifier: BSD-3-Clause
// The leaders of the nodes as a tree of TCP connections, rank 0's at its root. MPI would spin while it waits;
// here an idle node sleeps. A thread per leader, the I/O thread, reads the connections, hands every note on,
// and notices when a neighbour falls silent or is gone. Knows no arrays; what notes mean is
// tree_messages.cpp's affair.
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

  /// Connects the leaders. Collective on comm.leaders(). Throws Error{os} naming the node that cannot be
  /// reached, on the leaders that miss a neighbour: before start() all must have agreed that nobody does.
  Tree(Comm& comm, const Settings& settings);
  /// Says bye and closes.
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// From here on the I/O thread reads, and others count as silent.
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
