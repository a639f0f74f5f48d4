// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/stopped_ranks.hpp"

#include <cstdio>
#include <fstream>
#include <string>

#include "engine/host_name.hpp"

namespace gamelan::engine::nodes {
namespace {

/// One that computes, sleeps or waits for a disk is not stopped; nor is one that has ended.
bool is_stopped(std::int64_t process_id) {
  std::ifstream file("/proc/" + std::to_string(process_id) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto end = text.rfind(')');  // the name before it may have anything in it
  return end != std::string::npos && end + 2 < text.size() && (text[end + 2] == 'T' || text[end + 2] == 't');
}

}  // namespace

std::vector<StoppedRank> StoppedRanks::look(Clock::time_point now) {
  if (now - last_look_ > longest_pause) since_.clear();
  last_look_ = now;
  std::vector<StoppedRank> stopped;
  for (const auto& [rank, process_id] : processes_) {
    if (!is_stopped(process_id)) {
      since_.erase(rank);
      continue;
    }
    const auto since = since_.try_emplace(rank, now).first->second;
    auto& told = stopped.emplace_back(
        StoppedRank{rank, process_id, std::chrono::duration<double>(now - since).count()});
    std::snprintf(told.host, sizeof told.host, "%s", host_name().c_str());
  }
  return stopped;
}

}  // namespace gamelan::engine::nodes
