// SPDX-License-Identifier: BSD-3-Clause
// What other clients have written into arrays of this log. The log does not have it: such an array, and what
// was computed from it afterwards, is lost when the log is repeated, unless a checkpoint came later.
#include <algorithm>
#include <utility>

#include "kernel/recorder/log/command_log.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Batch;

std::vector<ArrayId> CommandLog::note_told(std::uint64_t number, const Told& told) {
  std::vector<ArrayId> news;
  for (const auto& [id, when] : told) {
    const auto [known, is_new] = told_.try_emplace(id, Heard{when, number});
    // Replies may come in any order: a batch that ran before may say the same, or what was before that.
    if (!is_new && when <= known->second.when && number >= known->second.number) continue;
    news.push_back(id);
    known->second = {std::max(known->second.when, when), number};
  }
  return news;
}

void CommandLog::add_foreign(std::uint64_t number, const Told& told) {
  auto news = note_told(number, told);
  if (news.empty()) return;
  Entry entry{number, {}, 0, 0, {}, {}, std::move(news)};
  entry.frames = std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request(Batch{})));
  add(std::move(entry));
}

void CommandLog::find_foreign() {
  Lost beginning = lost_at_the_beginning();
  later_ = std::exchange(lost_, std::move(beginning));
}

}  // namespace gamelan::kernel
