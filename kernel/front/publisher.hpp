// SPDX-License-Identifier: BSD-3-Clause
// The iopub socket: everything that a front end shows is sent here, signed, with the header of the request to
// which it belongs. Usable from any thread without the GIL; xeus's own publishing is not. Contents are JSON
// text as Python wrote it. No streams, no cells, no Python.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#include <xeus/xmessage.hpp>
#include <zmq.hpp>
#include <zmq_addon.hpp>

#include "kernel/front/wire.hpp"

namespace gamelan::kernel {

/// How long a socket that is closed waits for what it has not sent yet.
constexpr int linger_ms = 1000;

class Publisher {
 public:
  using Buffers = std::vector<std::string>;

  /// Binds a PUB socket to `endpoint`. Messages are signed by `signer`, which must outlive this object.
  Publisher(zmq::context_t& context, const std::string& endpoint, const Signer& signer);

  /// Messages sent from now on carry this user and session (those of xeus, from its first message).
  void set_session(const std::string& user, const std::string& session);
  /// Messages sent from now on belong to this request.
  void set_parent(const nl::json& header);
  std::string parent_header() const;

  /// Sends one message under the current parent. `content` and `metadata` are JSON text.
  void publish(const std::string& type, const std::string& content, const std::string& metadata = "{}",
               const Buffers& buffers = {});
  /// The same under an explicit parent (a request that is refused without being run).
  void publish_for(const nl::json& parent, const std::string& type, const std::string& content);
  /// Sends a message that xeus has composed.
  void forward(const xeus::xpub_message& message);

 private:
  void send_locked(const std::string& parent, const std::string& type, const std::string& content,
                   const std::string& metadata, const Buffers& buffers);

  mutable std::mutex mutex_;  // a zmq socket may change threads under a lock
  const Signer& signer_;
  zmq::socket_t socket_;
  std::string user_;
  std::string session_;
  std::string parent_ = "{}";
};

}  // namespace gamelan::kernel
