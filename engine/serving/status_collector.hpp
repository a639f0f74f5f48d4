// SPDX-License-Identifier: BSD-3-Clause
// Counters of all ranks, collected on request by a thread of its own: other nodes must be asked, which may
// take seconds, and whoever holds rank 0's socket must hear a Cancel meanwhile. Requests that come during a
// collection wait for the next one and share it. Used by listener.cpp.
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
  /// Both are called on the collector's thread: `collect` returns an object of counters, `answer` sends a
  /// reply to a client.
  StatusCollector(std::function<nlohmann::json()> collect,
                  std::function<void(const protocol::Bytes& client, const protocol::Reply&)> answer);
  /// Waits for a collection that is under way; answers nobody any more.
  ~StatusCollector();
  StatusCollector(const StatusCollector&) = delete;
  StatusCollector& operator=(const StatusCollector&) = delete;

  struct Asked {
    protocol::Bytes client;
    std::uint64_t seq;
    nlohmann::json server;  ///< what the server says of itself, for the reply
  };
  /// The reply follows through `answer`; when too many wait already, it is returned here and says so. Any
  /// thread.
  std::optional<protocol::Reply> ask(protocol::Bytes client, std::uint64_t seq, nlohmann::json server);
  /// Those who wait; they will not be answered here. Any thread.
  std::vector<Asked> give_up();

 private:
  void run();

  const std::function<nlohmann::json()> collect_;
  const std::function<void(const protocol::Bytes&, const protocol::Reply&)> answer_;
  std::mutex mutex_;  // guards what follows; not held while collecting
  std::condition_variable changed_;
  std::vector<Asked> waiting_;   // for the next collection
  std::vector<Asked> attended_;  // by the one that is under way
  bool is_stopping_ = false;
  std::thread thread_;  // last
};

}  // namespace gamelan::engine
