// SPDX-License-Identifier: BSD-3-Clause
#include "engine/process/time_limit.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>

namespace gamelan::engine {
namespace {

/// When the warning came, in seconds since 1970; 0 = it has not.
std::atomic<std::int64_t> warned_at{0};

void on_warning(int) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  warned_at.store(now.tv_sec);
}

}  // namespace

void watch_time_limit() {
  struct sigaction action {};
  action.sa_handler = on_warning;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

nlohmann::json with_time_limit(nlohmann::json status) {
  if (const std::int64_t seconds = warned_at.load()) status["time_limit_signal"] = seconds;
  return status;
}

}  // namespace gamelan::engine
