// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of this node somebody has stopped (SIGSTOP, a debugger), and since when, as its leader sees it
// in /proc. A rank that computes, or waits for a disk, is never one of them, however long its step takes.
// Asked while a request is under way for long; knows nothing of requests, and nothing of other nodes.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gamelan::engine::nodes {

/// Data that leaders send to each other as they are.
struct StoppedRank {
  std::int64_t rank = 0, process_id = 0;
  double for_s = 0;  ///< seconds since it was first seen stopped
  char host[64] = {};
};

class StoppedRanks {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds longest_pause{3};  ///< between two looks, or questions, of one wait
  using Processes = std::vector<std::pair<int, std::int64_t>>;  ///< rank and process id

  /// `processes`: those to look at, of this machine.
  explicit StoppedRanks(Processes processes) : processes_(std::move(processes)) {}

  /// Those that are stopped at `now`, by rank. To be called every second or so while somebody wants to know;
  /// after longest_pause it begins to count anew. For one thread at a time; takes some microseconds for each
  /// process.
  std::vector<StoppedRank> look(Clock::time_point now = Clock::now());

 private:
  Processes processes_;
  std::map<int, Clock::time_point> since_;  ///< by rank
  Clock::time_point last_look_{};
};

}  // namespace gamelan::engine::nodes
