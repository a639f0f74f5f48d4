// SPDX-License-Identifier: BSD-3-Clause
// The engines of one session as this process sees them: the facts of their greeting, requests, waits for
// replies (during which the GIL is released and signals are handled), and whether and why they are gone.
// Knows no arrays and no contents of batches. All functions need the GIL. Python errors are thrown as
// PythonError.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kernel/connection/client.hpp"

namespace gamelan::kernel {

class Engines {
 public:
  /// `client`: nullptr when a model stands for the engines. `on_loss` is called once, when the engines are
  /// gone. It returns true when they had work whose results somebody may wait for.
  Engines(std::shared_ptr<Client> client, std::function<bool()> on_loss);
  ~Engines();
  Engines(const Engines&) = delete;
  Engines& operator=(const Engines&) = delete;

  /// Sends Hello and waits for the answer. Raises VersionError, EngineTimeoutError, EngineLostError.
  void greet(double timeout_s);
  /// The facts of the greeting as JSON; also the number of ranks, and the heap of all together in bytes.
  const std::string& info() const { return info_; }
  int ranks() const { return ranks_; }
  std::int64_t heap_bytes() const { return heap_bytes_; }  ///< 0: not known

  /// False once disconnected, and with a model.
  bool has_client() const { return client_ != nullptr; }
  /// Sends a request and returns its number. When the client has found that the engines are gone, they count
  /// as lost, and the cause is raised.
  std::uint64_t send(protocol::Request request);
  /// Sends a batch and returns its number, and gives what was sent. When the engines turn out to be gone it
  /// raises nothing and returns 0: they count as lost then.
  std::uint64_t send_batch(protocol::Batch batch, Client::SharedFrames& frames);
  /// Waits for the reply to request `seq`. nullopt when none can come, because the engines are lost, or
  /// others have taken their place. Raises what the wait hook or a signal raises (the reply can still be
  /// waited for).
  std::optional<protocol::Reply> wait_for(std::uint64_t seq);
  /// Sends a request that changes no array, and waits for its reply. After an interrupt the reply is dropped.
  protocol::Reply ask(protocol::Request request);
  /// Sends a request and waits for its reply; nullopt when the engines are lost. Raises what wait_for raises;
  /// after an interrupt the reply is dropped.
  std::optional<protocol::Reply> tell(protocol::Request request);
  /// The reply to `seq` if it comes within `limit`; with 0, when it is there, and the GIL is held all the
  /// time. Handles no signals and does not call the wait hook. Throws Error{engine_lost}.
  std::optional<protocol::Reply> take(std::uint64_t seq, std::chrono::milliseconds limit);
  /// Nobody waits for the reply to `seq`.
  void forget(std::uint64_t seq) {
    if (client_ != nullptr) client_->forget(seq);
  }
  void cancel();  ///< whatever runs; any thread
  /// Says who holds this client's arrays; nobody waits for the answer.
  void introduce(std::uint64_t holder, const std::string& who);
  /// This moment of `holder` gets a number, for who will inherit. Waits for nothing.
  void mark(std::uint64_t holder, std::uint64_t key);
  /// The last word: the arrays of `holder` are needed no longer. Waits a moment until it has left.
  void leave(std::uint64_t holder);
  void shutdown();  ///< asks the engines to leave; does not wait

  std::string status(double timeout_s);  ///< JSON
  /// The same for threads that only look: empty where the engines do not answer. Raises nothing.
  std::string look_at_status(double timeout_s);
  std::string last_status() const { return client_ == nullptr ? "{}" : client_->last_status(); }
  /// How they are reached, for people.
  std::string route() const;
  /// Why nothing is heard of engines that are waited for (Client::suspension).
  std::optional<std::string> suspension() const {
    return client_ == nullptr ? std::nullopt : client_->suspension();
  }
  /// Do batches go through shared memory?
  bool has_lane() const { return client_ != nullptr && client_->has_lane(); }
  std::uint64_t connections() const { return client_ == nullptr ? 0 : client_->connections(); }
  double waited_seconds() const { return waited_seconds_; }

  bool is_lost() const { return is_lost_; }
  /// Takes notice of an end that the client has found while no thread waited: the engines count as lost from
  /// now on, with the launcher's cause. May raise what the wait hook raises.
  void hear_of_end() {
    if (client_ != nullptr && client_->is_lost() && !is_lost_) lose_with_cause(*client_->lost_cause());
  }
  /// True when hear_of_end() would find an end. Does not ask for the cause.
  bool has_ended() const { return is_lost_ || (client_ != nullptr && client_->is_lost()); }
  /// Declares the engines gone.
  void lose(const std::string& cause);
  /// Which engines these are: one more with each that took the place of others.
  std::uint64_t generation() const { return generation_; }
  /// Others take the place of engines that are lost. Nothing has been said to them yet.
  void replace(std::shared_ptr<Client> client);
  /// The user knows that they are gone and why.
  void note_told() { is_told_ = true; }
  bool is_told() const { return is_told_; }
  /// The same, and releases the client.
  void disconnect(const std::string& cause);
  /// Why the engines are gone, if no exception has said so yet; nullopt on later calls.
  std::optional<std::string> take_untold_loss();
  /// True when the engines were lost while they had work, and no exception has said so yet.
  bool has_untold_loss_at_work() const { return was_at_work_ && !is_told_; }
  /// An exception with the cause was dropped: the next one that waits for a value gets it again.
  void tell_again() { is_told_ = false; }
  /// Raises EngineLostError with the cause.
  [[noreturn]] void raise_lost();
  /// The same, with a message for the use of an array that the engines held.
  [[noreturn]] void raise_lost_array();

 private:
  /// `found`: the cause as the client has found it. The launcher may know a better one.
  void lose_with_cause(const std::string& found);
  [[noreturn]] void fail(const std::string& cause);
  void open_lane(const nlohmann::json& facts);

  std::shared_ptr<Client> client_;
  std::function<bool()> on_loss_;
  std::string info_ = "{}";
  std::string no_lane_;  ///< why requests do not go through memory that rank 0 of this machine has offered
  std::int64_t heap_bytes_ = 0;
  int ranks_ = 0;
  std::string lost_cause_;
  bool is_lost_ = false;
  bool was_at_work_ = false;  // the engines had work when they were lost
  bool is_told_ = false;      // an exception has said the cause
  std::uint64_t generation_ = 1;
  double waited_seconds_ = 0;
};

}  // namespace gamelan::kernel
