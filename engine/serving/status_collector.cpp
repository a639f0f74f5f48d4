// SPDX-License-Identifier: BSD-3-Clause
// One thread, which sleeps until counters are asked for.
#include "engine/serving/status_collector.hpp"

#include <pthread.h>

#include <string>
#include <utility>

namespace gamelan::engine {
namespace {

using protocol::Bytes;
using protocol::ErrorKind;
using protocol::Reply;

constexpr std::size_t most_waiting = 256;

}  // namespace

StatusCollector::StatusCollector(std::function<nlohmann::json()> collect,
                                 std::function<void(const Bytes&, const Reply&)> answer)
    : collect_(std::move(collect)), answer_(std::move(answer)), thread_([this] { run(); }) {}

StatusCollector::~StatusCollector() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<Reply> StatusCollector::ask(Bytes client, std::uint64_t seq, nlohmann::json server) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= most_waiting)
      return protocol::failed_reply(
          seq, ErrorKind::protocol,
          "too many requests for status at once: " + std::to_string(waiting_.size()) +
              " wait already; read replies before sending more");
    waiting_.push_back({std::move(client), seq, std::move(server)});
  }
  changed_.notify_all();
  return std::nullopt;
}

std::vector<StatusCollector::Asked> StatusCollector::give_up() {
  const std::lock_guard lock(mutex_);
  std::vector<Asked> all = std::exchange(attended_, {});
  for (Asked& each : waiting_) all.push_back(std::move(each));
  waiting_.clear();
  return all;
}

void StatusCollector::run() {
  pthread_setname_np(pthread_self(), "gamelan-status");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (is_stopping_) return;
    attended_ = std::exchange(waiting_, {});
    lock.unlock();
    nlohmann::json counters;
    std::string problem;
    try {
      counters = collect_();
    } catch (const std::exception& error) {
      problem = std::string("the engine's status: ") + error.what();
    }
    lock.lock();
    auto answered = std::exchange(attended_, {});  // without those that were given up meanwhile
    lock.unlock();
    for (Asked& each : answered) {
      if (!problem.empty()) {
        answer_(each.client, protocol::failed_reply(each.seq, ErrorKind::internal, problem));
        continue;
      }
      Reply reply;
      reply.seq = each.seq;
      counters["server"] = std::move(each.server);
      reply.info = counters.dump();
      answer_(each.client, reply);
    }
    lock.lock();
  }
}

}  // namespace gamelan::engine
