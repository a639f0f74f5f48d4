// SPDX-License-Identifier: BSD-3-Clause
// One thread: waits for the one connection, starts the program, and passes bytes on until either side ends.
#include "kernel/connection/tunnel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>

#include "protocol/error.hpp"

extern char** environ;

namespace gamelan::kernel {
namespace {

using protocol::Error;
using protocol::ErrorKind;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t buffer_bytes = 256 * 1024, kept_text = 4'096;
constexpr auto leave_by_itself = 400ms, leave_when_told = 800ms;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::os, "[connect] tunnel: " + what + ": " + std::strerror(errno));
}

void shut(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

/// Bytes on their way in one direction.
struct Direction {
  std::array<char, buffer_bytes> bytes;
  std::size_t begin = 0, end = 0;
  bool is_over = false;  // nothing more will come

  bool wants_input() const { return !is_over && begin == end; }
  bool has_output() const { return begin < end; }
  void fill(int fd) {
    const ssize_t got = read(fd, bytes.data(), bytes.size());
    begin = 0;
    end = got > 0 ? static_cast<std::size_t>(got) : 0;
    is_over = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  }
  /// False when the other side accepts nothing any more.
  bool drain(int fd, std::atomic<std::uint64_t>* count) {
    const ssize_t put = write(fd, bytes.data() + begin, end - begin);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    begin += static_cast<std::size_t>(put);
    if (count != nullptr) count->fetch_add(static_cast<std::uint64_t>(put));
    return true;
  }
};

}  // namespace

Tunnel::Tunnel(std::vector<std::string> command, const std::string& directory)
    : command_(std::move(command)) {
  listen(directory);
  thread_ = std::thread([this] { run(); });
}

Tunnel::~Tunnel() {
  const std::uint64_t one = 1;
  if (write(stop_, &one, sizeof one) < 0) errno = 0;  // cannot be full
  thread_.join();
  shut(stop_);
}

void Tunnel::listen(const std::string& directory) {
  folder_ = directory + "/tunnel-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr) {
    folder_.clear();
    fail("cannot make a folder in " + directory);
  }
  path_ = folder_ + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  try {
    if (path_.size() >= sizeof address.sun_path) {
      errno = ENAMETOOLONG;
      fail(path_ + " (a shorter GAMELAN_RUNTIME_DIR helps)");
    }
    std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ < 0 || bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 4) != 0)
      fail(path_);
    stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop_ < 0) fail("eventfd");
  } catch (...) {
    remove_socket();
    throw;
  }
}

void Tunnel::remove_socket() {
  shut(listener_);
  if (folder_.empty()) return;
  unlink(path_.c_str());
  rmdir(folder_.c_str());
  folder_.clear();
}

std::string Tunnel::last_message() const {
  const std::scoped_lock lock(mutex_);
  const std::size_t end = stderr_text_.find_last_not_of("\r\n ");
  if (end == std::string::npos) return "";
  const std::size_t begin = stderr_text_.find_last_of("\r\n", end);
  return stderr_text_.substr(begin == std::string::npos ? 0 : begin + 1,
                             end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

void Tunnel::run() {
  pthread_setname_np(pthread_self(), "gamelan-tunnel");
  sigset_t every_signal;  // signals belong to the Python threads; and a program that ended is no reason for
                          // SIGPIPE
  sigfillset(&every_signal);
  pthread_sigmask(SIG_BLOCK, &every_signal, nullptr);
  int connection = accept_ourselves();
  remove_socket();
  if (connection >= 0 && start_program()) pass_bytes(connection);
  end_program();  // first, so that its last message is known when ZeroMQ sees the end
  shut(connection);
}

int Tunnel::accept_ourselves() {
  for (;;) {
    pollfd waiting[] = {{listener_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0 && errno != EINTR) return -1;
    if (waiting[1].revents != 0) return -1;
    int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) continue;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid())
      return connection;
    shut(connection);
  }
}

bool Tunnel::start_program() {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, error[2] = {-1, -1};
  int code = 0;
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0) code = errno;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error[1], STDERR_FILENO);
  sigset_t none, every;
  sigemptyset(&none);
  sigfillset(&every);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &every);
  // The program gets a session of its own: Ctrl-C in the terminal is for the program that computes, not for
  // its connection.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::vector<char*> words;
  for (const std::string& word : command_) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (code == 0) code = posix_spawnp(&pid_, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  shut(in[0]), shut(out[1]), shut(error[1]);
  input_ = in[1], output_ = out[0], errors_ = error[0];
  for (const int fd : {input_, output_, errors_})
    if (fd >= 0) fcntl(fd, F_SETFL, O_NONBLOCK);
  if (code == 0) return true;
  pid_ = -1;
  const std::scoped_lock lock(mutex_);
  stderr_text_ = "cannot start " + command_[0] + ": " + std::strerror(code);
  return false;
}

void Tunnel::pass_bytes(int connection) {
  const auto there = std::make_unique<Direction>(), back = std::make_unique<Direction>();
  for (;;) {
    const auto asks = [](bool reads, bool writes) {
      return static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
    };
    // POLLERR reports a pipe without a reader even when no event is asked for. A negative descriptor is
    // ignored by poll.
    const short asked = asks(there->wants_input(), back->has_output());
    pollfd waiting[] = {{asked != 0 ? connection : -1, asked, 0},
                        {there->has_output() ? input_ : -1, POLLOUT, 0},
                        {back->wants_input() ? output_ : -1, POLLIN, 0},
                        {errors_, POLLIN, 0},
                        {stop_, POLLIN, 0}};
    if (poll(waiting, std::size(waiting), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waiting[4].revents != 0) return;
    if (waiting[3].revents != 0) read_stderr();
    if (waiting[0].revents & (POLLIN | POLLHUP | POLLERR) && there->wants_input()) there->fill(connection);
    if (waiting[2].revents != 0) {
      back->fill(output_);
      received_.fetch_add(back->end);
    }
    if (there->has_output() && !there->drain(input_, &sent_)) return;
    if (back->has_output() && !back->drain(connection, nullptr)) return;
    if (there->is_over) return;  // ZeroMQ has closed its socket: what may still come is not read
    if (back->is_over && !back->has_output()) return;
  }
}

void Tunnel::read_stderr() {
  char text[1024];
  const ssize_t got = read(errors_, text, sizeof text);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return shut(errors_);
  if (got < 0) return;
  const std::scoped_lock lock(mutex_);
  stderr_text_.append(text, static_cast<std::size_t>(got));
  if (stderr_text_.size() > kept_text) stderr_text_.erase(0, stderr_text_.size() - kept_text);
}

void Tunnel::end_program() {
  shut(input_);
  shut(output_);
  if (pid_ < 0) return shut(errors_);
  int status = 0;
  const auto has_ended = [&](Clock::duration limit) {
    for (const auto end = Clock::now() + limit;;) {
      const pid_t ended = waitpid(pid_, &status, WNOHANG);
      if (ended == pid_ || (ended < 0 && errno == ECHILD)) return true;
      if (errors_ >= 0) read_stderr();
      if (Clock::now() >= end) return false;
      poll(nullptr, 0, 5);
    }
  };
  bool is_over = has_ended(leave_by_itself);
  if (!is_over) {
    kill(-pid_, SIGTERM);
    is_over = has_ended(leave_when_told);
  }
  if (!is_over) {
    kill(-pid_, SIGKILL);
    has_ended(leave_when_told);
  }
  if (errors_ >= 0) read_stderr();
  shut(errors_);
  if (is_over && last_message().empty() && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    const std::scoped_lock lock(mutex_);
    stderr_text_ = command_[0] + " ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  pid_ = -1;
}

}  // namespace gamelan::kernel
