// SPDX-License-Identifier: BSD-3-Clause
// Which thread holds the socket, and how the server ends. The main thread serves the socket itself while it
// waits for work, or waits at the bell of the lanes. The standby thread checks every few milliseconds, and
// takes over while the main thread does not serve.
#include "engine/serving/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>

namespace gamelan::engine {
namespace {

using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr int linger_ms = 2'000;
constexpr Milliseconds tick{10};  // a main thread that computes longer loses the socket to the standby thread
constexpr int ticks_to_sleep =
    100;  // ticks without work; then the standby thread sleeps until the main thread wakes it
constexpr Milliseconds turn{1'000};  // no wait is longer
constexpr double cut_grace_s = 5;    // for the ranks of a lost client to come to the next step
constexpr int exit_after_term = 128 + SIGTERM;

// The only data that a signal handler may touch: the descriptors of the one server of the process, and
// whether it was asked to end.
std::atomic<int> signal_fds[] = {-1, -1};
std::atomic<bool> is_terminating{false};

void on_term(int) {
  const int saved = errno;
  is_terminating.store(true);
  for (const std::atomic<int>& fd : signal_fds)
    if (fd.load() >= 0) ring(fd.load());
  errno = saved;
}

}  // namespace

struct Server::State {
  State(const Options& engine_options, protocol::Connection connection, ServerCallbacks callbacks)
      : options(engine_options), listener(options, std::move(connection), std::move(callbacks)) {
    if (standby_fd < 0) throw Error(ErrorKind::os, std::string("eventfd: ") + std::strerror(errno));
    signal_fds[0].store(listener.wake_fd());
    signal_fds[1].store(standby_fd);
    struct sigaction action {};
    action.sa_handler = on_term;
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, &previous_term);
  }
  ~State() {
    sigaction(SIGTERM, &previous_term, nullptr);
    for (std::atomic<int>& fd : signal_fds) fd.store(-1);
    if (standby_fd >= 0) close(standby_fd);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::optional<Incoming> wait_for_work(Milliseconds timeout);
  std::optional<Incoming> wait_at_bell(Milliseconds timeout);
  std::optional<Incoming> wait_at_socket(Milliseconds timeout);
  bool send_by_lane(const Inbox::Waiting& request, const Frames& frames) {
    return request.lane && listener.lanes().reply(*request.lane, request.seq, frames);
  }
  void wake_standby() { ring(standby_fd); }
  void run_standby();
  void serve_while_computing();
  bool main_waits() const { return entries.load() % 2 != 0; }
  bool is_over() const { return is_stopping.load() || is_terminating.load(); }
  void give_up_on_lost_client();
  void leave_after_term();
  void remove_connection_file();

  const Options options;
  Listener listener;
  std::mutex socket;  // of the listener: held while serving it
  std::atomic<std::uint64_t> entries{
      0};                              // into `next` and out of it: odd while the main thread waits for work
  std::atomic<std::uint64_t> jobs{0};  // that the main thread has taken while it waited
  std::atomic<bool> standby_serves{false};  // it holds the socket, and may be waiting there
  std::atomic<bool> standby_sleeps{false};  // the main thread must wake it when it finds work
  const int standby_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::atomic<bool> is_stopping{false};
  std::mutex reason_mutex;
  std::string reason;  // of leave()
  struct sigaction previous_term {};
  std::thread standby;  // last member: starts when all others exist
};

Server::Server(const Options& options, protocol::Connection connection, ServerCallbacks callbacks)
    : state_(std::make_unique<State>(options, std::move(connection), std::move(callbacks))) {
  protocol::write_connection(options.connection_file, state_->listener.connection());
  state_->standby = std::thread([state = state_.get()] { state->run_standby(); });
}

Server::~Server() {
  state_->is_stopping.store(true);
  state_->listener.wake();
  state_->wake_standby();
  state_->standby.join();
}

std::optional<Incoming> Server::next(Milliseconds timeout) { return state_->wait_for_work(timeout); }
bool Server::is_cancelled() const { return state_->listener.inbox().is_cut(); }

void Server::reply(protocol::Reply reply) {
  const bool has_failed = reply.outcome != protocol::Outcome::ok;
  Frames frames = protocol::encode(std::move(reply));
  const auto [request, behind] = state_->listener.inbox().finish(has_failed);
  bool is_sent = state_->send_by_lane(request, frames);
  if (!is_sent) state_->listener.post(request.client, request.seq, std::move(frames));
  for (const Incoming& each : behind) {
    const Inbox::Waiting dropped{each.client, each.lane, protocol::sequence(each.request)};
    frames = protocol::encode(cancelled_reply(dropped.seq));
    if (state_->send_by_lane(dropped, frames)) continue;
    state_->listener.post(dropped.client, dropped.seq, std::move(frames));
    is_sent = false;
  }
  if (is_sent) return;
  const std::unique_lock lock(state_->socket, std::try_to_lock);
  if (lock.owns_lock())
    state_->listener.flush();
  else
    state_->listener.wake();  // the standby thread holds the socket and sends
}

void Server::leave(const std::string& why) {
  {
    const std::lock_guard lock(state_->reason_mutex);
    state_->reason = why;
  }
  is_terminating.store(true);
  state_->listener.wake();
  state_->wake_standby();
}

double Server::seconds_since_client() const { return state_->listener.seconds_since_client(); }
double Server::idle_limit_s() const { return state_->listener.idle_limit_s(); }
std::optional<protocol::LaneOffer> Server::lane_offer() const { return state_->listener.lanes().offer(); }

const protocol::Connection& Server::connection() const { return state_->listener.connection(); }

std::optional<Incoming> Server::State::wait_for_work(Milliseconds timeout) {
  listener.read_lanes();
  if (auto waiting = listener.inbox().next(Milliseconds(0))) {
    jobs.fetch_add(1);
    if (standby_sleeps.load()) wake_standby();
    return waiting;
  }
  return listener.lanes().is_used() ? wait_at_bell(timeout) : wait_at_socket(timeout);
}

std::optional<Incoming> Server::State::wait_at_bell(Milliseconds timeout) {
  // The standby thread finds within a few ticks that nobody serves the socket, and serves it from then on.
  if (standby_sleeps.load()) wake_standby();
  const auto end = Clock::now() + timeout;
  for (;;) {
    const std::uint64_t rings = listener.lanes().rings();
    listener.read_lanes();
    if (auto incoming = listener.inbox().next(Milliseconds(0))) {
      jobs.fetch_add(1);
      return incoming;
    }
    const auto left = std::chrono::ceil<Milliseconds>(end - Clock::now());
    if (left <= Milliseconds(0) || !listener.lanes().is_used()) break;
    const auto begin = Clock::now();
    listener.lanes().await_ring(rings, std::min(left, turn));
    listener.forgive_lateness(begin, std::min(left, turn));
  }
  return std::nullopt;
}

std::optional<Incoming> Server::State::wait_at_socket(Milliseconds timeout) {
  // Either the standby thread sees that the main thread waits, or the main thread sees that the standby
  // thread serves and wakes it.
  entries.fetch_add(1);
  if (standby_serves.load()) listener.wake();
  const auto end = Clock::now() + timeout;
  std::optional<Incoming> incoming;
  Milliseconds left = timeout;
  {
    const std::lock_guard lock(socket);
    // The standby thread may have queued something before it gave the socket up: look before each wait, too.
    while (!(incoming = listener.inbox().next(Milliseconds(0))) && !is_terminating.load() &&
           left >= Milliseconds(0) && !listener.lanes().is_used()) {
      listener.serve(std::min(left, turn));
      left = std::chrono::duration_cast<Milliseconds>(end - Clock::now()) - Milliseconds(1);
    }
  }
  // The standby thread sends the last message and ends the process.
  if (is_terminating.load() && !incoming) incoming = listener.inbox().next(std::max(left, Milliseconds(1)));
  entries.fetch_add(1);
  if (incoming) {
    jobs.fetch_add(1);
    if (standby_sleeps.load()) wake_standby();
  }
  return incoming;
}

void Server::State::run_standby() {
  // An exception that gets here is a bug of ours or the end of libzmq. The job must not go on without a
  // server.
  try {
    std::uint64_t last_entry = entries.load(), last_job = jobs.load();
    for (int idle_ticks = 0; !is_over();) {
      const bool sleeps = idle_ticks >= ticks_to_sleep;
      standby_sleeps.store(sleeps);
      // The main thread first raises the count and then asks whether the standby thread sleeps. So either it
      // wakes this thread, or this thread sees the new count.
      pollfd woken{standby_fd, POLLIN, 0};
      if (!sleeps || jobs.load() == last_job)
        poll(&woken, 1, static_cast<int>((sleeps ? turn : tick).count()));
      std::uint64_t count = 0;
      if (woken.revents && read(standby_fd, &count, sizeof count) < 0 && errno != EAGAIN)
        throw Error(ErrorKind::os, "eventfd");
      const std::uint64_t entry = entries.load(), job = jobs.load();
      if (entry == last_entry && !main_waits()) serve_while_computing();  // the same work since the last look
      idle_ticks = job == last_job && main_waits() ? idle_ticks + 1 : 0;
      last_entry = entry;
      last_job = job;
    }
    const std::lock_guard lock(socket);
    listener.flush();
    if (is_terminating.load()) leave_after_term();
    listener.refuse_waiting("the engines of session " + listener.connection().session +
                            " have been shut down");
    remove_connection_file();
    listener.close(linger_ms);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gamelan-engine: the standby thread at the socket failed: %s\n", error.what());
    remove_connection_file();
    std::_Exit(EXIT_FAILURE);  // mpiexec ends the other ranks, the launcher reports it
  }
}

void Server::State::serve_while_computing() {
  const std::lock_guard lock(socket);
  standby_serves.store(true);
  while (!main_waits() && !is_over()) {
    listener.serve(turn);
    give_up_on_lost_client();
  }
  standby_serves.store(false);
}

void Server::State::give_up_on_lost_client() {
  const double silent_s = listener.seconds_since_client(), limit_s = listener.idle_limit_s();
  if (limit_s <= 0 || silent_s < limit_s) return;
  if (!listener.inbox().state().is_busy) return;  // the main thread will see the reason itself
  listener.inbox().cut_running();                 // so that the main thread comes back and can leave
  if (silent_s < limit_s + cut_grace_s) return;
  std::fprintf(stderr,
               "gamelan-engine: no client was heard for %.0f s and the ranks do not come back: leaving\n",
               silent_s);
  remove_connection_file();
  std::_Exit(EXIT_FAILURE);  // mpiexec or srun ends the other ranks
}

void Server::State::leave_after_term() {
  std::string why;
  {
    const std::lock_guard lock(reason_mutex);
    why = reason;
  }
  std::fprintf(stderr, "gamelan-engine: rank 0 leaves %s\n",
               why.empty() ? "after SIGTERM" : ("because " + why).c_str());
  if (why.empty())
    why = "rank 0 on " + listener.connection().host +
          " was told to leave (SIGTERM): another rank died, or the job was stopped; the log of the session "
          "says which";
  listener.refuse_waiting(why);
  remove_connection_file();
  constexpr int short_linger_ms = 500;  // mpiexec follows with SIGKILL
  listener.close(short_linger_ms);
  std::_Exit(exit_after_term);  // the main thread may be inside a collective that will never end
}

void Server::State::remove_connection_file() {
  // Removes only our own file: a newer session may have written its file over this path.
  try {
    const protocol::Connection& own = listener.connection();
    const protocol::Connection present = protocol::read_connection(options.connection_file);
    if (present.pid == own.pid && present.host == own.host) std::filesystem::remove(options.connection_file);
  } catch (const std::exception&) {
    // Already gone, or not ours any more.
  }
}

}  // namespace gamelan::engine
