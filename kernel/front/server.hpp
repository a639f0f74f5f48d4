// SPDX-License-Identifier: BSD-3-Clause
// The thin adapter to xeus: sockets and threads of the Jupyter protocol beneath xeus's
// dispatch. The shell channel is served on the main thread (Python acts on signals only there), control and
// heartbeat on a thread of their own that never takes the GIL, so they answer while a cell runs. Written
// against xeus::xserver, not xeus's own servers: those die of an idle SIGINT, ignore interrupt_request, drop
// messages of busy cells, cannot be interrupted in input(), and leave through std::exit
// (docs/decisions/010-own-server.md).
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <xeus/xcontrol_messenger.hpp>
#include <xeus/xeus_context.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xserver.hpp>
#include <zmq.hpp>

#include "kernel/front/output.hpp"
#include "kernel/front/publisher.hpp"
#include "kernel/front/wire.hpp"
#include "kernel/front/xeus_release.hpp"

namespace gamelan::kernel {

class Server : public xeus::xserver {
 public:
  /// What the interpreter adds to the serving of requests.
  struct Hooks {
    /// Wraps each shell request: takes the GIL, opens the interrupt window, calls its argument. Main thread.
    std::function<void(const std::function<void()>&)> around_request = [](const auto& serve) { serve(); };
    /// Called once after the shell has been quiet for a while. Main thread.
    std::function<void()> when_idle = [] {};
    /// Stops what must not outlive the kernel, when a cell that cannot be interrupted keeps the main thread
    /// from doing so. Control thread.
    std::function<void()> last_resort = [] {};
    /// Why a message must not reach xeus (which would complain into the cell's output), if there is a reason.
    std::function<std::optional<std::string>(const xeus::xmessage&)> refuse = [](const auto&) {
      return std::nullopt;
    };
  };

  Server(zmq::context_t& context, const Configuration& config);
  ~Server() override;
  /// As xeus::xkernel needs it.
  static std::unique_ptr<xeus::xserver> make(xeus::xcontext& context, const xeus::xconfiguration& config,
                                             nl::json::error_handler_t);

  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }
  Publisher& publisher() { return publisher_; }
  Output& output() { return output_; }

  /// Asks the front end for a line of input. Answers to earlier questions (of an interrupted input()) are
  /// dropped. GIL held.
  void send_question(const std::string& prompt, bool is_password);
  /// The answer; nullopt when none came in time or a signal came first. Without the GIL.
  std::optional<std::string> wait_answer(int timeout_ms);
  /// Sets the number of the next prompt: IPython counts the requests that it stores, xeus counts all.
  void set_execution_count(int count) { execution_count_ = count; }
  /// Ends the kernel after the request that runs now. Any thread.
  void request_stop();

 private:
  class Messenger;

  xeus::xcontrol_messenger& get_control_messenger_impl() override;
  void send_shell_impl(xeus::xmessage message) override;
  void send_control_impl(xeus::xmessage message) override;
  void send_stdin_impl(xeus::xmessage message) override;
  void publish_impl(xeus::xpub_message message, xeus::channel channel) override;
  void start_impl(xeus::xpub_message message) override;
  void abort_queue_impl(const listener& abort, long polling_interval) override;
  void stop_impl() override { request_stop(); }
  void update_config_impl(Configuration& config) const override;

  void serve_shell();
  void serve_shell_message(xeus::xmessage message);
  void serve_control();
  void announce();
  void leave_in_time();
  bool is_parent_gone() const;
  std::optional<xeus::xmessage> receive(zmq::socket_t& socket);
  void send(zmq::socket_t& socket, const xeus::xmessage& message);

  Hooks hooks_;
  Signer signer_;
  zmq::socket_t shell_;
  zmq::socket_t control_;
  zmq::socket_t stdin_;
  zmq::socket_t heartbeat_;
  Publisher publisher_;
  Output output_;
  std::unique_ptr<Messenger> messenger_;
  std::deque<xeus::xmessage> deferred_;  // read while aborting, to be served in their turn
  // Of the request that runs; read and written under the GIL.
  xeus::xmessage::guid_list parent_identities_;
  nl::json parent_header_ = nl::json::object();
  std::string user_;
  std::string session_;
  std::atomic<int> execution_count_{1};
  std::uint64_t interruptible_ = 0;  // the control thread's: the request that ran when the message came
  bool is_restart_ = false;  // the control thread's: is the kernel to be started again after this shutdown?
  std::atomic<bool> is_asked_{false};  // has a message come?
  int announcements_ = 0;              // the control thread's
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_shell_done_{false};
  int wake_fd_ = -1;
  int started_by_ = 0;  // pid of the server that started us
  std::thread control_thread_;
};

}  // namespace gamelan::kernel
