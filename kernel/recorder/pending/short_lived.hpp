// SPDX-License-Identifier: BSD-3-Clause
// Which lines of a program make large arrays that die before another batch reads them, as far as it has run.
// Pure data; it uses neither Python nor sockets.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/recorder/source_line.hpp"
#include "protocol/view.hpp"

namespace gamelan::kernel {

class ShortLived {
 public:
  /// A batch is sent with the array that this line makes.
  void note_sent(protocol::ArrayId id, const SourceLine& line);
  /// A command or a look reads the array, or changes it.
  void note_read(protocol::ArrayId id) {
    if (!watched_.empty()) note(id, true);
  }
  void note_freed(std::span<const protocol::ArrayId> ids) {
    if (watched_.empty()) return;
    for (const auto id : ids) note(id, false);
  }
  /// True where most arrays of the line have died unread. One that was read counts as much as several: it is
  /// computed twice where this was true.
  bool expects(const SourceLine& line) const {
    const auto found = lines_.find(line);
    return found != lines_.end() && found->second > 0;
  }

 private:
  void note(protocol::ArrayId id, bool is_read);

  struct Watched {
    protocol::ArrayId id;
    SourceLine line;
  };
  std::vector<Watched> watched_;  // the oldest first
  std::unordered_map<SourceLine, int, SourceLineHash> lines_;
};

}  // namespace gamelan::kernel
