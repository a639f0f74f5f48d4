// SPDX-License-Identifier: BSD-3-Clause
// The engines of one session as this process sees them: what they said in their greeting, requests and waits
// for replies (GIL released, signals heard), and that and why they are gone. Knows no arrays and no batches'
// contents. All functions need the GIL; Python errors leave as PythonError.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kernel/connection/client.hpp"

namespace gamelan::kernel {

class Engines {
 public:
  /// `client`: null when a model plays the engines. `on_loss` is called once, when they are gone: true when
  /// somebody may wait for what they had to do.
  Engines(std::shared_ptr<Client> client, std::function<bool()> on_loss);
  ~Engines();
  Engines(const Engines&) = delete;
  Engines& operator=(const Engines&) = delete;

  /// Hello and its answer; raises VersionError, EngineTimeoutError, EngineLostError.
  void greet(double timeout_s);
  /// What they said in their greeting, JSON; and of that the number of ranks, and the memory of all together.
  const std::string& info() const { return info_; }
  int ranks() const { return ranks_; }
  std::int64_t heap_bytes() const { return heap_bytes_; }  ///< 0: not told

  /// False once disconnected, and with a model.
  bool has_client() const { return client_ != nullptr; }
  /// Sends a request and returns its number; the engines count as lost, and the cause is raised, when the
  /// client has found that they are gone.
  std::uint64_t send(protocol::Request request);
  /// Raises whatever the wait hook or a signal raises (the reply stays wanted), EngineLostError when none can
  /// come.
  protocol::Reply wait_for(std::uint64_t seq);
  /// Sends a request that changes no array and waits for its reply: after an interrupt that is not wanted.
  protocol::Reply ask(protocol::Request request);
  /// The reply to `seq` if it comes within `limit`; neither hears signals nor asks the wait hook. Throws
  /// Error{engine_lost}.
  std::optional<protocol::Reply> take(std::uint64_t seq, std::chrono::milliseconds limit);
  void cancel();    ///< whatever runs; safe on any thread
  void shutdown();  ///< asks the engines to leave; does not wait

  std::string status(double timeout_s);  ///< JSON
  std::string last_status() const { return client_ == nullptr ? "{}" : client_->last_status(); }
  std::string route() const { return client_ == nullptr ? "" : client_->route(); }
  std::uint64_t connections() const { return client_ == nullptr ? 0 : client_->connections(); }
  double waited_seconds() const { return waited_seconds_; }

  bool is_lost() const { return is_lost_; }
  /// The client may have found while nobody waited that the engines are gone: then they count as lost from
  /// here on, with the launcher's cause. May raise what the wait hook raises.
  void hear_of_end() {
    if (client_ != nullptr && client_->is_lost() && !is_lost_) lose_with_cause(*client_->lost_cause());
  }
  /// As hear_of_end() would find, without asking for the cause.
  bool has_ended() const { return is_lost_ || (client_ != nullptr && client_->is_lost()); }
  /// Declares the engines gone.
  void lose(const std::string& cause);
  /// The same, and lets go of the client.
  void disconnect(const std::string& cause);
  /// Why the engines are gone, when no exception has said it yet; nothing the second time.
  std::optional<std::string> take_untold_loss();
  /// True when they were lost at work and no exception has said it.
  bool has_untold_loss_at_work() const { return was_at_work_ && !is_told_; }
  /// An exception that said the cause was dropped: whoever asks for a value is told again.
  void tell_again() { is_told_ = false; }
  /// Raises EngineLostError with the cause.
  [[noreturn]] void raise_lost();
  /// The same for a use of an array that they held.
  [[noreturn]] void raise_lost_array();

 private:
  /// `found` is what the client says; the launcher may know more.
  void lose_with_cause(const std::string& found);
  [[noreturn]] void fail(const std::string& cause);

  std::shared_ptr<Client> client_;
  std::function<bool()> on_loss_;
  std::string info_ = "{}";
  std::int64_t heap_bytes_ = 0;
  int ranks_ = 0;
  std::string lost_cause_;
  bool is_lost_ = false;
  bool was_at_work_ = false;  // when they were lost
  bool is_told_ = false;      // an exception has said the cause
  double waited_seconds_ = 0;
  std::chrono::steady_clock::time_point last_hook_ = std::chrono::steady_clock::now();
};

}  // namespace gamelan::kernel
