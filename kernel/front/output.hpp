// SPDX-License-Identifier: BSD-3-Clause
// What a cell prints: the text of sys.stdout and sys.stderr, and what C code and child processes write to the
// file descriptors 1 and 2, joined in the order in which it was written. It is published at most every few
// hundredths of a second, so ten thousand prints are a few messages. Usable from any thread, with or without
// the GIL.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "kernel/front/publisher.hpp"

namespace gamelan::kernel {

enum class Stream { standard_output, standard_error };

class Output {
 public:
  explicit Output(Publisher& publisher);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// From now on descriptors 1 and 2 are pipes to the front end. log() uses the original ones.
  void capture_descriptors();
  /// Restores descriptors 1 and 2, publishes the rest and stops the thread. May be called twice.
  void close();

  /// Appends UTF-8 text. In a forked child it is written to the descriptor instead, which leads to the
  /// parent.
  void write(Stream stream, std::string_view text);
  /// Publishes everything written so far, by Python or through the descriptors.
  void flush();
  /// As flush(), unless one has just happened: so a program that flushes after each print does not send a
  /// message for each.
  void flush_soon();

  /// Writes a line for the person who runs the server, not for the cell.
  void log(std::string_view line);
  /// Descriptor of the stderr the kernel was started with.
  int log_fd() const { return original_[1]; }

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void drain_pipes_locked();
  void append_locked(Stream stream, std::string_view text);
  void publish_locked();
  void wake_thread() const;

  Publisher& publisher_;
  std::mutex mutex_;
  Stream stream_ = Stream::standard_output;  // whose text is in text_
  std::string text_;
  Clock::time_point last_publish_{};
  std::optional<Clock::time_point> due_;  // when text_ must be published; empty while there is none
  std::array<std::string, 2> tails_;      // first bytes of a character that is not yet complete, per pipe
  std::array<int, 2> pipes_{-1, -1};
  std::array<int, 2> original_{-1, -1};
  bool is_captured_ = false;
  int wake_fd_ = -1;
  std::atomic<bool> is_closing_{false};
  std::thread thread_;
};

/// True in a process forked from the kernel (multiprocessing): it has no sockets to speak on.
bool is_forked_child();

}  // namespace gamelan::kernel
