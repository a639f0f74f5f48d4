// SPDX-License-Identifier: BSD-3-Clause
// The server's thread: receive, answer at once what needs no rank, queue the rest, send what the main thread replies.
// `dispatch` is the one place that owns try/catch: whatever arrives, exactly one reply leaves and nothing else changes.
#include "engine/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/endpoint.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine {
namespace {

using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;
using protocol::Outcome;
using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: stands still while the machine is suspended

constexpr int messages_per_turn = 64;      // then look at the gate and the outbox again
constexpr int linger_ms = 2'000;
constexpr auto turn = std::chrono::milliseconds(1'000);
constexpr double cut_grace_s = 5;          // for the ranks of a lost client to come to the next step
constexpr int exit_after_term = 128 + SIGTERM;

// A handler may only touch these: the one server of the process, and whether it was asked to go.
std::atomic<int> signal_fd{-1};
std::atomic<bool> is_terminating{false};

void on_term(int) {
  const int saved = errno;
  is_terminating.store(true);
  const std::uint64_t one = 1;
  const int fd = signal_fd.load();
  if (fd >= 0 && write(fd, &one, sizeof one) < 0) {
    // Nothing a handler could do; the thread looks at the flag once a second anyway.
  }
  errno = saved;
}

Bytes to_bytes(const zmq::message_t& message) {
  const auto* first = static_cast<const std::byte*>(message.data());
  return Bytes(first, first + message.size());
}

/// A message that owns the bytes: large results are not copied again on their way out.
zmq::message_t to_message(Bytes&& bytes) {
  constexpr std::size_t worth_moving = 4'096;
  if (bytes.size() < worth_moving) return zmq::message_t(bytes.data(), bytes.size());
  auto owned = std::make_unique<Bytes>(std::move(bytes));
  zmq::message_t message(
      owned->data(), owned->size(), [](void*, void* hint) { delete static_cast<Bytes*>(hint); }, owned.get());
  static_cast<void>(owned.release());
  return message;
}

protocol::Reply failure(std::uint64_t seq, ErrorKind kind, const std::string& message) {
  protocol::Reply reply;
  reply.seq = seq;
  reply.outcome = Outcome::failed;
  reply.error = kind;
  reply.message = message;
  return reply;
}

protocol::Reply success(std::uint64_t seq, std::string info) {
  protocol::Reply reply;
  reply.seq = seq;
  reply.info = std::move(info);
  return reply;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

struct Server::State {
  State(const Options& engine_options, protocol::Connection template_, ServerCallbacks given)
      : options(engine_options), connection(std::move(template_)), callbacks(std::move(given)),
        endpoint(options, connection) {
    if (wake_fd < 0) throw Error(ErrorKind::os, std::string("eventfd: ") + std::strerror(errno));
    signal_fd.store(wake_fd);
    struct sigaction action{};
    action.sa_handler = on_term;
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, &previous_term);
    hear();
  }
  ~State() {
    sigaction(SIGTERM, &previous_term, nullptr);
    signal_fd.store(-1);
    if (wake_fd >= 0) close(wake_fd);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void run();
  void receive();
  void dispatch(const Bytes& identity, Frames frames);
  protocol::Reply greet(const protocol::Hello& hello);
  protocol::Reply status(std::uint64_t seq);
  protocol::Reply cancel(const Bytes& identity, const protocol::Cancel& request);
  void send(const Bytes& identity, Frames frames);
  void flush_outbox();
  void give_up_on_lost_client();
  void refuse_waiting(const std::string& why);
  void leave_after_term();
  void remove_connection_file();
  double since_heard() const {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count() - heard_s.load();
  }
  void hear() { heard_s.store(std::chrono::duration<double>(Clock::now().time_since_epoch()).count()); }
  void wake() {
    const std::uint64_t one = 1;
    while (write(wake_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
  }

  const Options options;
  protocol::Connection connection;
  const ServerCallbacks callbacks;
  Endpoint endpoint;            // the thread's own once it runs
  std::uint64_t malformed = 0;  // the thread's own
  const Clock::time_point started = Clock::now();
  std::atomic<double> heard_s{0};
  const int wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::atomic<bool> is_stopping{false};
  struct sigaction previous_term{};

  Inbox inbox{callbacks.cancel};
  std::mutex mutex;  // guards the outbox
  std::deque<std::pair<Bytes, Frames>> outbox;

  std::thread thread;  // last: starts when all else is there
};

Server::Server(const Options& options, protocol::Connection connection, ServerCallbacks callbacks)
    : state_(std::make_unique<State>(options, std::move(connection), std::move(callbacks))) {
  protocol::write_connection(options.connection_file, state_->connection);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Server::~Server() {
  state_->is_stopping.store(true);
  state_->wake();
  state_->thread.join();
}

std::optional<Incoming> Server::next(std::chrono::milliseconds timeout) { return state_->inbox.next(timeout); }
bool Server::is_cancelled() const { return state_->inbox.is_cut(); }

void Server::reply(const Bytes& identity, Frames frames) {
  state_->inbox.finish();
  {
    const std::lock_guard lock(state_->mutex);
    state_->outbox.emplace_back(identity, std::move(frames));
  }
  state_->wake();
}

double Server::seconds_since_client() const { return state_->since_heard(); }
const protocol::Connection& Server::connection() const { return state_->connection; }

void Server::State::run() {
  // An exception that escapes here would be a bug of ours or the end of libzmq; the job must not hang on without ears.
  try {
    while (!is_stopping.load() && !is_terminating.load()) {
      zmq::pollitem_t items[] = {{endpoint.router().handle(), 0, ZMQ_POLLIN, 0},
                                 {endpoint.gate().handle(), 0, ZMQ_POLLIN, 0},
                                 {nullptr, wake_fd, ZMQ_POLLIN, 0}};
      try {
        zmq::poll(items, std::size(items), turn);
      } catch (const zmq::error_t& error) {
        if (error.num() != EINTR) throw;
        continue;
      }
      if (items[2].revents) {
        std::uint64_t count = 0;
        if (read(wake_fd, &count, sizeof count) < 0 && errno != EAGAIN) throw Error(ErrorKind::os, "eventfd");
      }
      if (items[1].revents) endpoint.admit_or_deny();
      flush_outbox();
      if (items[0].revents) receive();
      give_up_on_lost_client();
    }
    flush_outbox();
    if (is_terminating.load()) leave_after_term();
    refuse_waiting("the engines of session " + connection.session + " have been shut down");
    remove_connection_file();
    endpoint.close(linger_ms);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gamelan-engine: the server thread failed: %s\n", error.what());
    remove_connection_file();
    std::_Exit(EXIT_FAILURE);  // mpiexec ends the other ranks, the launcher reports it
  }
}

void Server::State::receive() {
  for (int count = 0; count < messages_per_turn; ++count) {
    zmq::message_t part;
    if (!endpoint.router().recv(part, zmq::recv_flags::dontwait)) return;
    const Bytes identity = to_bytes(part);
    Frames frames;
    bool is_too_long = false;
    while (part.more()) {
      if (!endpoint.router().recv(part, zmq::recv_flags::none)) return;
      is_too_long = is_too_long || frames.size() == protocol::max_frames;
      if (!is_too_long) frames.push_back(to_bytes(part));
    }
    if (is_too_long) frames.resize(1);  // the header says which request; without its payloads it cannot decode
    dispatch(identity, std::move(frames));
  }
}

void Server::State::dispatch(const Bytes& identity, Frames frames) {
  const std::uint64_t seq = protocol::peek_sequence(frames);
  protocol::Reply reply;
  try {
    protocol::Request request = protocol::decode_request(frames);
    hear();
    if (const auto* hello = std::get_if<protocol::Hello>(&request)) {
      reply = greet(*hello);
    } else if (const auto* asked = std::get_if<protocol::StatusRequest>(&request)) {
      reply = status(asked->seq);
    } else if (const auto* cut = std::get_if<protocol::Cancel>(&request)) {
      reply = cancel(identity, *cut);
    } else {
      std::optional<protocol::Reply> refusal = inbox.admit({identity, std::move(frames), std::move(request)});
      if (!refusal) return;  // the main thread will reply
      reply = std::move(*refusal);
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::protocol) ++malformed;
    reply = failure(seq, error.kind(), error.what());
  } catch (const std::exception& error) {
    reply = failure(seq, ErrorKind::internal, std::string("the engine's server: ") + error.what());
  }
  send(identity, protocol::encode(reply));
}

protocol::Reply Server::State::greet(const protocol::Hello& hello) {
  if (hello.version == protocol::protocol_version && hello.fingerprint == protocol::fingerprint())
    return success(hello.seq, callbacks.hello_info());
  return failure(hello.seq, ErrorKind::version,
                 "client and engines were built from different sources: the engines speak protocol " +
                     std::to_string(protocol::protocol_version) + " with op table " + hex(protocol::fingerprint()) +
                     ", this client protocol " + std::to_string(hello.version) + " with op table " +
                     hex(hello.fingerprint) +
                     "; build both from the same source (cmake --build build) and restart the engines (gamelan "
                     "engines stop) and the notebook's kernel");
}

protocol::Reply Server::State::status(std::uint64_t seq) {
  nlohmann::json info = nlohmann::json::parse(callbacks.status_json());
  const Inbox::State work = inbox.state();
  info["server"] = {{"session", connection.session},
                    {"host", connection.host},
                    {"pid", connection.pid},
                    {"ranks", connection.ranks},
                    {"slurm_job_id", connection.slurm_job_id},
                    {"uptime_seconds", std::chrono::duration<double>(Clock::now() - started).count()},
                    {"idle_timeout_seconds", options.idle_timeout_s},
                    {"busy_seconds", work.busy_s},
                    {"is_busy", work.is_busy},
                    {"queued", work.queued},
                    {"malformed", malformed},
                    {"denied", endpoint.denied()}};
  return success(seq, info.dump());
}

protocol::Reply Server::State::cancel(const Bytes& identity, const protocol::Cancel& request) {
  for (const Incoming& item : inbox.cancel(identity, request.batch)) {
    protocol::Reply reply = success(protocol::sequence(item.request), "{}");
    reply.outcome = Outcome::cancelled;
    reply.command = 0;
    reply.message = "cancelled before it began";
    send(item.identity, protocol::encode(reply));
  }
  return success(request.seq, "{}");
}

void Server::State::send(const Bytes& identity, Frames frames) {
  // A ROUTER drops what is meant for a client that is gone: never blocks, never throws for it.
  endpoint.router().send(zmq::const_buffer(identity.data(), identity.size()), zmq::send_flags::sndmore);
  for (std::size_t index = 0; index < frames.size(); ++index)
    endpoint.router().send(to_message(std::move(frames[index])),
                           index + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

void Server::State::flush_outbox() {
  std::deque<std::pair<Bytes, Frames>> ready;
  {
    const std::lock_guard lock(mutex);
    ready.swap(outbox);
  }
  for (auto& [identity, frames] : ready) send(identity, std::move(frames));
}

void Server::State::give_up_on_lost_client() {
  const double silent_s = since_heard();
  if (options.idle_timeout_s <= 0 || silent_s < options.idle_timeout_s) return;
  if (!inbox.state().is_busy) return;  // the main thread sees for itself
  inbox.cut_running();                 // so that the main thread comes back and can leave
  if (silent_s < options.idle_timeout_s + cut_grace_s) return;
  std::fprintf(stderr, "gamelan-engine: no client was heard for %.0f s and the ranks do not come back: leaving\n",
               silent_s);
  remove_connection_file();
  std::_Exit(EXIT_FAILURE);  // mpiexec or srun ends the other ranks
}

void Server::State::refuse_waiting(const std::string& why) {
  for (const Inbox::Waiting& each : inbox.give_up())
    send(each.identity, protocol::encode(failure(each.seq, ErrorKind::engine_lost, why)));
}

void Server::State::leave_after_term() {
  refuse_waiting("rank 0 on " + connection.host + " was told to leave (SIGTERM): another rank died, or the job was "
                 "stopped; the log of the session says which");
  std::fprintf(stderr, "gamelan-engine: rank 0 leaves after SIGTERM\n");
  remove_connection_file();
  constexpr int short_linger_ms = 500;  // mpiexec follows with SIGKILL
  endpoint.close(short_linger_ms);
  std::_Exit(exit_after_term);  // the main thread may be inside a collective that will never end
}

void Server::State::remove_connection_file() {
  // Only our own: a newer session may have written its file over this path.
  try {
    const protocol::Connection present = protocol::read_connection(options.connection_file);
    if (present.pid == connection.pid && present.host == connection.host)
      std::filesystem::remove(options.connection_file);
  } catch (const std::exception&) {
    // Already gone, or not ours any more.
  }
}

}  // namespace gamelan::engine
