// SPDX-License-Identifier: BSD-3-Clause
// One TCP connection between the leaders of two nodes, and the notes sent over it: short messages about
// batches, cuts and ends, never elements of arrays. Knows sockets, not what a note means (see
// tree_messages.cpp).
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "protocol/message.hpp"

namespace gamelan::engine::nodes {

using protocol::Bytes;

/// One message between leaders. Which fields have a meaning depends on the kind.
struct Note {
  enum class Kind : std::uint64_t {
    beat,  ///< I am here
    bye,   ///< I close this connection, all is well
    post,  ///< down: message `number` of rank 0 for every rank; `value` is its length, `body` the bytes of a
           ///< short one
    verdict,     ///< down: batch `number` failed on some rank; `value` the kind, `body` the step and the text
    clear_cut,   ///< down
    ask_cut,     ///< down: which step is the furthest begun?
    started,     ///< up: `value` is, in this part of the tree
    cut,         ///< down: at step `value`
    settled,     ///< up: message `number` is done; `value` 0, or 1 + the kind of a failure with its step and
                 ///< text in `body`
    ask_report,  ///< down
    report,      ///< up: the counters of this part of the tree
    ask_stopped,  ///< down
    stopped,      ///< up: the ranks of this part of the tree that are stopped
  };
  Kind kind = Kind::beat;
  std::uint64_t number = 0, value = 0;
  Bytes body;
};

class Link {
 public:
  /// Takes ownership of a connected socket. `peer`: the name of the other side, for error messages.
  Link(int socket, std::string peer);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Any thread. Does not report a failure: the reading side will find the connection closed, or silent.
  void send(const Note& note);
  /// Visits every note that has arrived completely; does not wait. For one thread. False when the connection
  /// is closed or broken.
  bool receive(const std::function<void(Note)>& visit);

  int socket() const { return socket_; }
  const std::string& peer() const { return peer_; }
  /// True when the other side has announced that it closes the connection.
  bool said_bye() const { return said_bye_; }

 private:
  const int socket_;
  const std::string peer_;
  std::mutex sending_;
  Bytes pending_;  // bytes of a note that is not whole yet
  bool said_bye_ = false;
};

}  // namespace gamelan::engine::nodes
