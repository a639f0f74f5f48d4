// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/short_lived.hpp"

#include <algorithm>

namespace gamelan::kernel {
namespace {
constexpr std::size_t most_watched = 16, most_lines = 256;
constexpr int of_a_read = -4, most = 4, least = -8;
}  // namespace

void ShortLived::note_sent(protocol::ArrayId id, const SourceLine& line) {
  if (std::any_of(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.id == id; }))
    return;
  if (watched_.size() == most_watched) watched_.erase(watched_.begin());
  watched_.push_back({id, line});
}

void ShortLived::note(protocol::ArrayId id, bool is_read) {
  const auto found =
      std::find_if(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.id == id; });
  if (found == watched_.end()) return;
  if (lines_.size() >= most_lines) lines_.clear();
  int& score = lines_[found->line];
  score = std::clamp(score + (is_read ? of_a_read : 1), least, most);
  watched_.erase(found);
}

}  // namespace gamelan::kernel
