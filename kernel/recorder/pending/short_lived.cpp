// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/short_lived.hpp"

#include <algorithm>

namespace gamelan::kernel {
namespace {
constexpr std::size_t most_watched = 16, most_lines = 256;
constexpr int more_after_a_miss = 4, most_wanted = 16;  // so one array of 17 is computed twice at most
}  // namespace

void ShortLived::note_sent(protocol::ArrayId id, const SourceLine& line) {
  if (std::any_of(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.id == id; }))
    return;
  if (watched_.size() == most_watched) watched_.erase(watched_.begin());
  watched_.push_back({id, line});
}

void ShortLived::note_sync(const std::unordered_set<protocol::ArrayId>& dead) {
  const auto watched = watched_;
  for (const auto& each : watched)
    if (!dead.contains(each.id)) note(each.id, Fate::read);
}

void ShortLived::note(protocol::ArrayId id, Fate fate) {
  const auto found =
      std::find_if(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.id == id; });
  if (found == watched_.end()) return;
  if (lines_.size() >= most_lines) lines_.clear();
  Line& line = lines_[found->line];
  line.unread = fate == Fate::unread ? std::min(line.unread + 1, most_wanted) : 0;
  if (fate == Fate::missed) line.enough = std::min(more_after_a_miss * line.enough, most_wanted);
  watched_.erase(found);
}

}  // namespace gamelan::kernel
