// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/fork.hpp"

#include <pthread.h>

#include <atomic>

#include "protocol/error.hpp"

namespace gamelan::kernel {

namespace {
std::atomic<bool> is_child{false};
}  // namespace

void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { is_child = true; });
  if (registered != 0) throw protocol::Error(protocol::ErrorKind::os, "[connect] pthread_atfork failed");
}

bool is_forked_child() { return is_child; }

}  // namespace gamelan::kernel
