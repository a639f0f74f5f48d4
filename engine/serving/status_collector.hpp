// SPDX-License-Identifier: BSD-3-Clause
// Collects the counters of all ranks on request, on a thread of its own: other nodes must be asked, which may
// take seconds, and the thread that holds rank 0's socket must be free to read a Cancel meanwhile. Requests
// that come during a collection wait for the next one and share it. Used by listener.cpp.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::engine {

class StatusCollector {
 public:
  /// Both functions are called on the collector's thread. `collect` returns a JSON object of counters.
  /// `answer` sends a reply to a client.
  StatusCollector(std::function<nlohmann::json()> collect,
                  std::function<void(const protocol::Bytes& client, const protocol::Reply&)> answer);
  /// Waits for a collection that is under way. No request is answered any more.
  ~StatusCollector();
  StatusCollector(const StatusCollector&) = delete;
  StatusCollector& operator=(const StatusCollector&) = delete;

  struct Asked {
    protocol::Bytes client;
    std::uint64_t seq;
    nlohmann::json server;  ///< the server's own counters, for the reply
  };
  /// Asks for the counters. The reply follows through `answer`. When too many requests wait already, a reply
  /// that says so is returned at once. Any thread.
  std::optional<protocol::Reply> ask(protocol::Bytes client, std::uint64_t seq, nlohmann::json server);
  /// Returns the requests that wait; the collector will not answer them. Any thread.
  std::vector<Asked> give_up();

 private:
  void run();

  const std::function<nlohmann::json()> collect_;
  const std::function<void(const protocol::Bytes&, const protocol::Reply&)> answer_;
  std::mutex mutex_;  // guards what follows; not held while collecting
  std::condition_variable changed_;
  std::vector<Asked> waiting_;   // for the next collection
  std::vector<Asked> attended_;  // answered by the collection under way
  bool is_stopping_ = false;
  std::thread thread_;  // last member, because it uses the others
};

}  // namespace gamelan::engine
