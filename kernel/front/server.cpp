// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>
#include <utility>
#include <zmq_addon.hpp>

#include "kernel/front/interrupt.hpp"

namespace gamelan::kernel {
namespace {

constexpr int idle_after_ms = 2000;
constexpr int control_tick_ms = 1000;
// How often, and how many times, a kernel that nobody has asked anything says that it starts.
constexpr int announcement_ms = 250;
constexpr int most_announcements = 120;
// Jupyter sends SIGTERM 2.5 s after the shutdown request and SIGKILL after 5 s.
constexpr std::chrono::milliseconds interruptible_time{1000};
constexpr itimerval hard_limit{{0, 0}, {2, 400'000}};

std::string endpoint(const Configuration& config, const std::string& port) {
  const char* const separator = config.m_transport == "tcp" ? ":" : "-";
  return config.m_transport + "://" + config.m_ip + separator + (port.empty() ? "*" : port);
}

zmq::socket_t bound_socket(zmq::context_t& context, zmq::socket_type type, const std::string& address) {
  zmq::socket_t socket(context, type);
  socket.set(zmq::sockopt::linger, linger_ms);
  socket.bind(address);
  return socket;
}

// The C call, because here an interrupted wait is a return value and not an exception.
bool wait_readable(zmq_pollitem_t* items, int count, int timeout_ms) {
  return zmq_poll(items, count, timeout_ms) > 0;
}

xeus::xmessage with_content(const xeus::xmessage& message, nl::json content) {
  return {message.identities(), message.header(),   message.parent_header(),
          message.metadata(),   std::move(content), xeus::buffer_sequence()};
}

std::string type_of(const xeus::xmessage& message) { return message.header().value("msg_type", ""); }

// Why xeus could not serve a message. (xeus itself would write that into the output of the last cell.)
std::optional<std::string> unservable(const xeus::xmessage& message) {
  static const std::set<std::string> served{
      "execute_request",   "complete_request", "inspect_request",  "history_request", "is_complete_request",
      "comm_info_request", "comm_open",        "comm_msg",         "comm_close",      "kernel_info_request",
      "shutdown_request",  "debug_request",    "interrupt_request"};
  if (served.count(type_of(message)) == 0) return "unknown message type " + type_of(message);
  if (!message.content().is_object()) return type_of(message) + " whose content is no object";
  return std::nullopt;
}

}  // namespace

// xeus needs a way from the control to the shell thread for its debugger; this kernel has no debugger.
class Server::Messenger : public xeus::xcontrol_messenger {
  nl::json send_to_shell_impl(const nl::json&) override {
    return {{"status", "error"}, {"what", "no internal requests"}};
  }
};

Server::Server(zmq::context_t& context, const Configuration& config)
    : signer_(config.m_signature_scheme, config.m_key),
      shell_(bound_socket(context, zmq::socket_type::router, endpoint(config, config.m_shell_port))),
      control_(bound_socket(context, zmq::socket_type::router, endpoint(config, config.m_control_port))),
      stdin_(bound_socket(context, zmq::socket_type::router, endpoint(config, config.m_stdin_port))),
      heartbeat_(bound_socket(context, zmq::socket_type::rep, endpoint(config, config.m_hb_port))),
      publisher_(context, endpoint(config, config.m_iopub_port), signer_),
      output_(publisher_),
      messenger_(std::make_unique<Messenger>()),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      started_by_(std::getenv("JPY_PARENT_PID") != nullptr ? getppid() : 0) {}

Server::~Server() {
  output_.close();
  if (control_thread_.joinable()) control_thread_.join();
  ::close(wake_fd_);
}

std::unique_ptr<xeus::xserver> Server::make(xeus::xcontext& context, const xeus::xconfiguration& config,
                                            nl::json::error_handler_t) {
  return std::make_unique<Server>(context.get_wrapped_context<zmq::context_t>(), sockets_of(config));
}

void Server::update_config_impl(Configuration&) const {}  // ports come from Jupyter, always fixed

xeus::xcontrol_messenger& Server::get_control_messenger_impl() { return *messenger_; }

void Server::start_impl(xeus::xpub_message message) {
  user_ = message.header().value("username", "");
  session_ = message.header().value("session", "");
  publisher_.set_session(user_, session_);
  publisher_.forward(message);
  control_thread_ = std::thread([this] { serve_control(); });
  serve_shell();
  is_shell_done_ = true;
}

void Server::serve_shell() {
  bool was_idle = true;
  while (!is_stopping_) {
    if (!deferred_.empty()) {
      xeus::xmessage next = std::move(deferred_.front());
      deferred_.pop_front();
      serve_shell_message(std::move(next));
      continue;
    }
    zmq_pollitem_t items[] = {{shell_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, wake_fd_, ZMQ_POLLIN, 0}};
    if (!wait_readable(items, 2, was_idle ? -1 : idle_after_ms)) {
      if (!was_idle) hooks_.when_idle();
      was_idle = true;
      continue;
    }
    if ((items[0].revents & ZMQ_POLLIN) == 0) continue;
    if (auto message = receive(shell_)) serve_shell_message(std::move(*message));
    was_idle = false;
  }
}

void Server::serve_shell_message(xeus::xmessage message) {
  hooks_.around_request([&] {
    parent_identities_ = message.identities();
    parent_header_ = message.header();
    publisher_.set_parent(parent_header_);
    auto reason = unservable(message);
    if (!reason) reason = hooks_.refuse(message);
    if (reason) {
      output_.log("not served: " + *reason);
      publisher_.publish("status", R"({"execution_state":"busy"})");
      publisher_.publish("status", R"({"execution_state":"idle"})");
    } else {
      notify_shell_listener(std::move(message));
    }
  });
}

// xeus calls this after a failed cell. Requests that have arrived and would run code are refused, as a front
// end expects that has queued a whole notebook. The others are served in their turn.
void Server::abort_queue_impl(const listener&, long) {
  while (auto message = receive(shell_)) {
    if (type_of(*message) != "execute_request") {
      deferred_.push_back(std::move(*message));
      continue;
    }
    const nl::json& header = message->header();
    publisher_.publish_for(header, "status", R"({"execution_state":"busy"})");
    send(shell_, {message->identities(), xeus::make_header("execute_reply", user_, session_), header,
                  nl::json::object(), nl::json{{"status", "aborted"}}, xeus::buffer_sequence()});
    publisher_.publish_for(header, "status", R"({"execution_state":"idle"})");
  }
}

// A page whose kernel has died waits for the next one's `starting`. Its socket may find the new kernel after
// the first.
void Server::announce() {
  ++announcements_;
  publisher_.publish_for(nl::json::object(), "status", R"({"execution_state":"starting"})");
}

void Server::serve_control() {
  while (!is_stopping_) {
    const bool is_unknown = !is_asked_ && announcements_ < most_announcements;
    zmq_pollitem_t items[] = {{control_.handle(), 0, ZMQ_POLLIN, 0},
                              {heartbeat_.handle(), 0, ZMQ_POLLIN, 0},
                              {nullptr, termination_fd(), ZMQ_POLLIN, 0},
                              {nullptr, wake_fd_, ZMQ_POLLIN, 0}};
    const bool is_quiet = !wait_readable(items, 4, is_unknown ? announcement_ms : control_tick_ms);
    if (is_quiet && is_unknown && !is_asked_) announce();
    interruptible_ =
        running_request();  // what ends while the message is read is not interrupted, nor what follows
    if ((items[0].revents & ZMQ_POLLIN) != 0) {
      auto message = receive(control_);
      if (message && !unservable(*message)) {
        const nl::json& content = message->content();
        is_restart_ = content.contains("restart") && content["restart"] == true;
        notify_control_listener(std::move(*message));
      }
    }
    if ((items[1].revents & ZMQ_POLLIN) != 0) {
      zmq::multipart_t beat;
      if (beat.recv(heartbeat_, ZMQ_DONTWAIT)) beat.send(heartbeat_);
    }
    if ((items[2].revents & ZMQ_POLLIN) != 0 || is_parent_gone()) request_stop();
  }
  leave_in_time();
}

void Server::leave_in_time() {
  const auto start = std::chrono::steady_clock::now();
  while (!is_shell_done_ && std::chrono::steady_clock::now() - start < interruptible_time) {
    interrupt_request(running_request());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (!is_shell_done_) hooks_.last_resort();
}

bool Server::is_parent_gone() const { return started_by_ != 0 && getppid() != started_by_; }

void Server::request_stop() {
  if (is_stopping_.exchange(true)) return;
  std::signal(SIGALRM, [](int) { _exit(1); });
  setitimer(ITIMER_REAL, &hard_limit, nullptr);
  eventfd_write(wake_fd_, 1);
}

std::optional<xeus::xmessage> Server::receive(zmq::socket_t& socket) {
  const HoldSignals no_message_lost;
  zmq::multipart_t frames;
  if (!frames.recv(socket, ZMQ_DONTWAIT)) return std::nullopt;
  is_asked_ = true;
  try {
    return message_of(frames, signer_);
  } catch (const std::exception& error) {
    output_.log(std::string("dropped a message that is not Jupyter's or not signed: ") + error.what());
    return std::nullopt;
  }
}

void Server::send(zmq::socket_t& socket, const xeus::xmessage& message) {
  const HoldSignals no_message_lost;
  auto frames = frames_of(message, signer_);
  frames.send(socket);
}

void Server::send_shell_impl(xeus::xmessage message) {
  if (type_of(message) == "execute_reply") {
    nl::json content = message.content();
    content["execution_count"] = execution_count_ - 1;
    return send(shell_, with_content(message, std::move(content)));
  }
  send(shell_, message);
}

// xeus has no hook for an interrupt, and sends empty contents where the protocol needs a status.
void Server::send_control_impl(xeus::xmessage message) {
  const std::string type = type_of(message);
  if (type == "interrupt_reply") interrupt_request(interruptible_);
  if (type == "interrupt_reply" || type == "shutdown_reply") {
    nl::json content = message.content();
    content["status"] = "ok";
    if (type == "shutdown_reply") content["restart"] = is_restart_;  // xeus 5 leaves it out
    return send(control_, with_content(message, std::move(content)));
  }
  send(control_, message);
}

void Server::send_stdin_impl(xeus::xmessage message) { send(stdin_, message); }

void Server::publish_impl(xeus::xpub_message message, xeus::channel) {
  if (message.header().value("msg_type", "") == "execute_input") {
    nl::json content = message.content();
    content["execution_count"] = execution_count_.load();
    publisher_.publish("execute_input", content.dump(-1, ' ', false, nl::json::error_handler_t::replace));
    return;
  }
  publisher_.forward(message);
}

void Server::send_question(const std::string& prompt, bool is_password) {
  while (receive(stdin_)) {
  }
  send(stdin_, {parent_identities_, xeus::make_header("input_request", user_, session_), parent_header_,
                nl::json::object(), nl::json{{"prompt", prompt}, {"password", is_password}},
                xeus::buffer_sequence()});
}

std::optional<std::string> Server::wait_answer(int timeout_ms) {
  zmq_pollitem_t item{stdin_.handle(), 0, ZMQ_POLLIN, 0};
  if (!wait_readable(&item, 1, timeout_ms)) return std::nullopt;
  const auto reply = receive(stdin_);
  if (!reply) return std::nullopt;
  return reply->content().value("value", "");
}

}  // namespace gamelan::kernel
