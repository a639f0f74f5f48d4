// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/whereabouts.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace gamelan::engine {
namespace {

constexpr int most_frames = 64;

void write_text(std::string_view text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

/// Uses only what a signal's handler may: no memory, no locks.
void on_question(int) {
  const int error = errno;
  std::array<void*, most_frames> frames;
  const int count = backtrace(frames.data(), most_frames);
  write_text("[gamelan] SIGUSR2: the main thread is in (innermost first; c++filt makes names readable)\n");
  backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  errno = error;
}

}  // namespace

void tell_whereabouts_when_asked() {
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads a library, which a handler must not
  struct sigaction action {};
  action.sa_handler = on_question;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
}

}  // namespace gamelan::engine
