// SPDX-License-Identifier: BSD-3-Clause
// A wait is a series of short waits without the GIL. Between them signals are handled, and the wait hook is
// asked whether the engines still live.
#include "kernel/recorder/engines.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "kernel/connection/failure_detector.hpp"
#include "kernel/recorder/fork.hpp"
#include "kernel/recorder/gil.hpp"
#include "kernel/recorder/hooks.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::Outcome;
using protocol::Reply;

namespace {

constexpr auto poll_period = std::chrono::milliseconds(100);
constexpr auto time_to_leave = std::chrono::milliseconds(300);

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Engines::Engines(std::shared_ptr<Client> client, std::function<bool()> on_loss)
    : client_(std::move(client)), on_loss_(std::move(on_loss)) {}

Engines::~Engines() {
  if (is_forked_child()) {
    new std::shared_ptr<Client>(
        std::move(client_));  // never ends: its thread did not survive the fork, joining would hang
  } else if (client_ != nullptr) {
    const WithoutGil released;
    client_.reset();
  }
}

void Engines::greet(double timeout_s) {
  if (client_ == nullptr) return;
  const Stopwatch waited;
  const auto seq =
      client_->send(protocol::Hello{0, protocol::protocol_version, protocol::fingerprint(), "gamelan"});
  std::optional<Reply> reply;
  while (!reply) {
    reply = take(seq, poll_period);
    if (PyErr_CheckSignals() != 0) throw PythonError();
    if (const auto cause = reply ? std::nullopt : ask_wait_hook(waited.seconds(), nullptr)) {
      throw Error(ErrorKind::engine_lost, *cause);
    }
    if (!reply && waited.seconds() > timeout_s) {
      throw Error(ErrorKind::timeout, "[connect] the engines did not answer within " +
                                          std::to_string(static_cast<int>(timeout_s)) + " s");
    }
  }
  if (reply->outcome != Outcome::ok) raise_error(Error(reply->error, reply->message));
  info_ = reply->info;
  const auto facts = nlohmann::json::parse(info_, nullptr, false);
  if (!facts.is_object()) return;
  ranks_ = facts.value("ranks", 0);
  heap_bytes_ = facts.value("heap_bytes_per_rank", std::int64_t{0}) * ranks_;
  open_lane(facts);
}

void Engines::open_lane(const nlohmann::json& facts) {
  const auto lane = facts.find("lane");
  if (lane == facts.end() || !lane->is_object()) return;
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0 || facts.value("host", "") != host) return;  // another machine
  const protocol::LaneOffer offer{lane->value("process_id", std::int64_t{0}), lane->value("descriptor", -1),
                                  lane->value("proof", std::uint64_t{0}), lane->value("layout", 0)};
  no_lane_ = client_->open_lane(offer, ranks_);
}

std::uint64_t Engines::send(protocol::Request request) {
  if (client_ == nullptr) raise_lost();
  try {
    return client_->send(std::move(request));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::engine_lost) throw;
    lose_with_cause(error.what());
  }
  raise_lost();
}

std::uint64_t Engines::send_batch(protocol::Batch batch, Client::SharedFrames& frames) {
  protocol::Request request(std::move(batch));
  if (client_ != nullptr) {
    try {
      return client_->send(std::move(request), &frames);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::engine_lost) throw;
      lose_with_cause(error.what());
    }
  }
  frames = std::make_shared<const protocol::Frames>(protocol::encode(std::move(request)));
  return 0;
}

std::optional<Reply> Engines::take(std::uint64_t seq, std::chrono::milliseconds limit) {
  const auto client = client_;  // another thread may disconnect meanwhile
  if (client == nullptr) throw Error(ErrorKind::engine_lost, lost_cause_);
  if (limit.count() == 0) return client->take(seq, limit);
  const WithoutGil released;
  return client->take(seq, limit);
}

std::optional<Reply> Engines::wait_for(std::uint64_t seq) {
  const Stopwatch waited;
  const auto client = client_;  // another thread may disconnect meanwhile, or replace it
  if (client == nullptr) return std::nullopt;
  for (;;) {
    std::optional<std::string> cause;
    // Many short waits are one long wait for the user: the hook keeps its interval from one to the next, in
    // each thread. It is called before `take`, because otherwise a reply would be lost when the hook raises.
    static thread_local auto last_hook = std::chrono::steady_clock::now();
    if (PyErr_CheckSignals() != 0) throw PythonError();
    end_if_left_behind();
    if (std::chrono::steady_clock::now() - last_hook >= poll_period) {
      last_hook = std::chrono::steady_clock::now();
      cause = ask_wait_hook(waited.seconds(), nullptr);
    }
    std::optional<std::string> lost;
    try {
      std::optional<Reply> reply;
      {
        const WithoutGil released;
        reply = client->take(seq, cause ? std::chrono::milliseconds(0) : poll_period);
      }
      if (reply) {
        waited_seconds_ += waited.seconds();
        return reply;
      }
    } catch (const Error& error) {
      lost = error.what();
      if (!cause) cause = ask_wait_hook(waited.seconds(), error.what());
    }
    if (!cause && !lost) continue;
    if (client == client_) lose(cause ? *cause : *lost);
    return std::nullopt;
  }
}

Reply Engines::ask(protocol::Request request) {
  const auto seq = send(std::move(request));
  try {
    if (auto reply = wait_for(seq)) return std::move(*reply);
    if (is_lost_) raise_lost();
    throw Error(ErrorKind::engine_lost,
                "other engines have taken the place of those that were asked: try again");
  } catch (const PythonError&) {
    if (client_ != nullptr) client_->forget(seq);
    throw;
  }
}

std::optional<Reply> Engines::tell(protocol::Request request) {
  if (client_ == nullptr) return std::nullopt;
  std::uint64_t seq = 0;
  try {
    seq = client_->send(std::move(request));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::engine_lost) throw;
    lose_with_cause(error.what());
    return std::nullopt;
  }
  try {
    return wait_for(seq);
  } catch (const PythonError&) {
    if (client_ != nullptr) client_->forget(seq);
    throw;
  }
}

void Engines::cancel() {
  if (client_ != nullptr && !has_ended()) client_->forget(client_->send(protocol::Cancel{}));
}

void Engines::introduce(std::uint64_t holder, const std::string& who) {
  if (client_ == nullptr || has_ended()) return;
  const auto patience = static_cast<std::uint64_t>(FailureDetector::patience().count());
  client_->forget(
      client_->send(protocol::Holding{0, protocol::Holding::Ask::introduce, holder, patience, "", who}));
}

void Engines::mark(std::uint64_t holder, std::uint64_t key) {
  if (client_ == nullptr || has_ended()) return;
  try {
    client_->forget(client_->send(protocol::Holding{0, protocol::Holding::Ask::mark, holder, key, "", ""}));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::engine_lost) throw;  // they are gone: whoever needs them hears of it
  }
}

void Engines::leave(std::uint64_t holder) {
  const auto client = client_;
  if (client == nullptr || has_ended()) return;
  try {
    const WithoutGil released;
    const auto seq = client->send(protocol::Holding{0, protocol::Holding::Ask::leave, holder, 0, "", ""});
    client->take(seq, time_to_leave);
    client->forget(seq);
  } catch (const Error&) {  // they are gone, and the arrays with them
  }
}

void Engines::shutdown() {
  if (client_ != nullptr && !has_ended()) client_->forget(client_->send(protocol::Shutdown{}));
}

std::string Engines::route() const {
  if (client_ == nullptr) return {};
  return client_->route() + (no_lane_.empty() ? "" : ", without shared memory (" + no_lane_ + ")");
}

std::string Engines::status(double timeout_s) {
  const auto client = client_;
  if (client == nullptr || is_forked_child()) return "{}";
  const auto seq = send(protocol::StatusRequest{});
  const Stopwatch waited;
  for (;;) {
    try {
      const WithoutGil released;
      if (auto reply = client->take(seq, poll_period)) return reply->info;
    } catch (const Error& error) {
      lose_with_cause(error.what());
      raise_lost();
    }
    const bool is_interrupted = PyErr_CheckSignals() != 0;
    const bool is_late = waited.seconds() > timeout_s;
    if (is_interrupted || is_late) client->forget(seq);
    if (is_interrupted) throw PythonError();
    if (is_late) throw Error(ErrorKind::timeout, "[status] the engines did not answer");
  }
}

std::string Engines::look_at_status(double timeout_s) {
  const auto client = client_;
  if (client == nullptr || is_lost_ || is_forked_child()) return "";
  try {
    const auto seq = client->send(protocol::StatusRequest{});
    const Stopwatch waited;
    const WithoutGil released;
    while (waited.seconds() < timeout_s)
      if (auto reply = client->take(seq, poll_period)) return reply->info;
    client->forget(seq);
  } catch (const Error&) {  // who needs the engines finds that they are gone, and why
  }
  return "";
}

void Engines::lose(const std::string& cause) {
  if (is_lost_) return;
  is_lost_ = true;
  lost_cause_ = cause;
  was_at_work_ = on_loss_();
  if (client_ != nullptr && !is_forked_child()) client_->lose(cause);
}

void Engines::replace(std::shared_ptr<Client> client) {
  ++generation_;
  auto old = std::exchange(client_, std::move(client));
  info_ = "{}";
  no_lane_.clear();
  lost_cause_.clear();
  is_lost_ = was_at_work_ = is_told_ = false;
  const WithoutGil released;
  old.reset();
}

void Engines::disconnect(const std::string& cause) {
  lose(cause);
  auto client = std::exchange(client_, nullptr);  // a thread that waits holds another reference
  const WithoutGil released;
  client.reset();
}

void Engines::lose_with_cause(const std::string& found) {
  const auto cause = ask_wait_hook(0, found.c_str());
  lose(cause ? *cause : found);
}

std::optional<std::string> Engines::take_untold_loss() {
  if (!is_lost_ || std::exchange(is_told_, true)) return std::nullopt;
  return lost_cause_;
}

void Engines::fail(const std::string& cause) {
  lose(cause);
  is_told_ = true;
  raise_error(Error(ErrorKind::engine_lost, cause));
}

void Engines::raise_lost() {
  end_if_left_behind();
  fail(lost_cause_);
}

void Engines::raise_lost_array() {
  end_if_left_behind();
  is_told_ = true;
  raise_error(Error(ErrorKind::engine_lost, "the engines that held this array are gone: " + lost_cause_));
}

}  // namespace gamelan::kernel
