// SPDX-License-Identifier: BSD-3-Clause
// Threads of the engine that get no signals.
#pragma once
#include <pthread.h>

#include <csignal>

namespace gamelan::engine::steps {

/// Keeps signals from a thread that is started meanwhile: they are for the engine's own threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace gamelan::engine::steps
