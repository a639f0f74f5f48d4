// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/interrupt.hpp"

#include <Python.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <mutex>

namespace gamelan::kernel {
namespace {

pthread_t main_thread;
pid_t kernel_process = 0;
int termination_event = -1;
std::mutex window_mutex;  // a signal is sent while its request runs, or not at all
std::atomic<std::uint64_t> request_number{0};
std::uint64_t last_number = 0;
struct sigaction python_action;

sigset_t only_sigint() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

void drop_pending_sigint() {
  const sigset_t set = only_sigint();
  const timespec no_wait{0, 0};
  while (sigtimedwait(&set, nullptr, &no_wait) == SIGINT) {
  }
}

void on_sigint(int signal_number) {
  if (pthread_equal(pthread_self(), main_thread) == 0) {
    pthread_kill(main_thread, SIGINT);
  } else {
    python_action.sa_handler(signal_number);
  }
}

void on_sigterm(int) {
  if (getpid() !=
      kernel_process) {  // forked by a cell (multiprocessing): it ends, and not the kernel with it
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);  // delivered when this handler returns
    return;
  }
  const int saved_errno = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(termination_event, &one, sizeof one);
  errno = saved_errno;
}

}  // namespace

void take_over_signals() {
  main_thread = pthread_self();
  kernel_process = getpid();
  termination_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::signal(SIGINT, SIG_DFL);
  const sigset_t set = only_sigint();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // SIGTERM gets a handler and is not blocked: programs that a cell starts inherit masks, but not handlers.
  struct sigaction terminate {};
  terminate.sa_handler = on_sigterm;
  terminate.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &terminate, nullptr);
}

void forward_interrupts_to_main_thread() {
  struct sigaction current {};
  sigaction(SIGINT, nullptr, &current);
  const bool is_plain_handler = (current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler != SIG_IGN &&
                                current.sa_handler != SIG_DFL && current.sa_handler != on_sigint;
  if (!is_plain_handler) return;  // ours already, or the user's own choice
  python_action = current;
  current.sa_handler = on_sigint;
  sigaction(SIGINT, &current, nullptr);
}

int termination_fd() { return termination_event; }

std::uint64_t running_request() { return request_number.load(); }

void interrupt_request(std::uint64_t number) {
  const std::lock_guard lock(window_mutex);
  if (number == 0 || request_number.load() != number) return;
  if (getpgrp() == getpid()) {
    killpg(getpgrp(), SIGINT);
  } else {
    pthread_kill(main_thread, SIGINT);
  }
}

InterruptWindow::InterruptWindow() {
  forward_interrupts_to_main_thread();  // signal.signal() and asyncio.run() put Python's handler back
  const std::lock_guard lock(window_mutex);
  drop_pending_sigint();
  request_number.store(++last_number);
  const sigset_t set = only_sigint();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

InterruptWindow::~InterruptWindow() {
  {
    const std::lock_guard lock(window_mutex);
    const sigset_t set = only_sigint();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    request_number.store(0);
  }
  // A signal between the last bytecode and the block would otherwise interrupt the next request.
  if (PyErr_CheckSignals() != 0) PyErr_Clear();
}

HoldSignals::HoldSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

HoldSignals::~HoldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace gamelan::kernel
