// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "kernel/front/interrupt.hpp"

namespace gamelan::kernel {
namespace {

constexpr std::chrono::milliseconds publish_interval{50};
constexpr std::chrono::milliseconds flush_interval{10};
constexpr std::size_t publish_bytes = 64 * 1024;

std::atomic<bool> is_child{false};

std::size_t index_of(Stream stream) { return stream == Stream::standard_output ? 0 : 1; }
Stream stream_of(std::size_t index) { return index == 0 ? Stream::standard_output : Stream::standard_error; }

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // nowhere to complain
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Length of the longest prefix that does not end inside a UTF-8 character.
std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;  // a continuation: the first byte lies further left
    const std::size_t length = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace

bool is_forked_child() { return is_child.load(std::memory_order_relaxed); }

Output::Output(Publisher& publisher)
    : publisher_(publisher), wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (int i : {0, 1}) original_[static_cast<std::size_t>(i)] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
  pthread_atfork(nullptr, nullptr, [] { is_child = true; });
  thread_ = std::thread([this] { run(); });
}

Output::~Output() { close(); }

void Output::capture_descriptors() {
  const std::lock_guard lock(mutex_);
  std::fflush(nullptr);
  for (std::size_t i = 0; i < 2; ++i) {
    const int descriptor = static_cast<int>(i) + 1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;  // the cell then lacks C-level output; everything else works
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    dup2(ends[1], descriptor);
    ::close(ends[1]);
    pipes_[i] = ends[0];
  }
  // A pipe is fully buffered by default: printf would come at exit. (After a first output this has no effect:
  // main.cpp keeps libraries from printing before.)
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  is_captured_ = true;
  wake_thread();  // it does not know the pipes yet
}

void Output::close() {
  if (is_closing_.exchange(true)) return;
  std::fflush(stdout);
  flush();
  wake_thread();
  thread_.join();
  const std::lock_guard lock(mutex_);
  if (is_captured_) {
    for (std::size_t i = 0; i < 2; ++i) dup2(original_[i], static_cast<int>(i) + 1);
  }
  is_captured_ = false;
}

void Output::write(Stream stream, std::string_view text) {
  if (is_forked_child()) {
    write_all(static_cast<int>(index_of(stream)) + 1, text);
    return;
  }
  const std::lock_guard lock(mutex_);
  // What a child process or C code has written by now was written before this text.
  drain_pipes_locked();
  append_locked(stream, text);
}

void Output::flush() {
  if (is_forked_child()) return;
  const std::lock_guard lock(mutex_);
  drain_pipes_locked();
  publish_locked();
}

void Output::flush_soon() {
  if (is_forked_child()) return;
  const std::lock_guard lock(mutex_);
  if (Clock::now() - last_publish_ < flush_interval) return;  // the timer is armed and will do it
  drain_pipes_locked();
  publish_locked();
}

void Output::log(std::string_view line) {
  write_all(original_[1], "[gamelan-kernel] " + std::string(line) + "\n");
}

void Output::run() {
  while (!is_closing_) {
    int timeout_ms = -1;
    pollfd items[3] = {{wake_fd_, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      items[1].fd = pipes_[0];
      items[2].fd = pipes_[1];
      if (due_) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*due_ - Clock::now()).count();
        timeout_ms = left < 0 ? 0 : static_cast<int>(left) + 1;
      }
    }
    poll(items, 3, timeout_ms);
    std::uint64_t count = 0;
    [[maybe_unused]] const auto bytes = ::read(wake_fd_, &count, sizeof count);
    const std::lock_guard lock(mutex_);
    drain_pipes_locked();
    if (due_ && Clock::now() >= *due_) publish_locked();
  }
}

void Output::drain_pipes_locked() {
  if (!is_captured_) return;
  pollfd items[2] = {{pipes_[0], POLLIN, 0}, {pipes_[1], POLLIN, 0}};
  if (poll(items, 2, 0) <= 0) return;
  char block[16 * 1024];
  for (std::size_t i = 0; i < 2; ++i) {
    if ((items[i].revents & POLLIN) == 0) continue;
    ssize_t size = 0;
    // Bounded: a process that writes without end must not keep this thread for ever.
    for (int blocks = 0; blocks < 16 && (size = ::read(pipes_[i], block, sizeof block)) > 0; ++blocks) {
      std::string text = tails_[i] + std::string(block, static_cast<std::size_t>(size));
      const std::size_t whole = whole_characters(text);
      tails_[i] = text.substr(whole);
      append_locked(stream_of(i), std::string_view(text).substr(0, whole));
    }
  }
}

void Output::append_locked(Stream stream, std::string_view text) {
  if (text.empty()) return;
  if (stream != stream_) publish_locked();
  stream_ = stream;
  text_.append(text);
  if (text_.size() >= publish_bytes) {
    publish_locked();
  } else if (!due_) {
    due_ = Clock::now() + publish_interval;
    wake_thread();
  }
}

void Output::publish_locked() {
  due_.reset();
  if (text_.empty()) return;
  const nlohmann::json content{{"name", stream_ == Stream::standard_output ? "stdout" : "stderr"},
                               {"text", std::move(text_)}};
  text_.clear();
  last_publish_ = Clock::now();
  publisher_.publish("stream", content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void Output::wake_thread() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto bytes = ::write(wake_fd_, &one, sizeof one);
}

}  // namespace gamelan::kernel
