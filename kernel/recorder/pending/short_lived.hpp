// SPDX-License-Identifier: BSD-3-Clause
// Which lines of a program make large arrays that die before another batch reads them, as far as it has run.
// Pure data; it uses neither Python nor sockets.
#pragma once
#include <span>
#include <unordered_map>
#include <unordered_set>
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
    if (!watched_.empty()) note(id, Fate::read);
  }
  /// The same for one that was not stored, which is computed twice therefore.
  void note_missed(protocol::ArrayId id) { note(id, Fate::missed); }
  /// All is to be stored. What lives would have been computed twice.
  void note_sync(const std::unordered_set<protocol::ArrayId>& dead);
  void note_freed(std::span<const protocol::ArrayId> ids) {
    if (watched_.empty()) return;
    for (const auto id : ids) note(id, Fate::unread);
  }
  /// True where enough arrays of the line in succession have died unread: one, and more after each miss.
  bool expects(const SourceLine& line) const {
    const auto found = lines_.find(line);
    return found != lines_.end() && found->second.unread >= found->second.enough;
  }

 private:
  enum class Fate { unread, read, missed };
  void note(protocol::ArrayId id, Fate fate);

  struct Watched {
    protocol::ArrayId id;
    SourceLine line;
  };
  struct Line {
    int unread = 0, enough = 1;
  };
  std::vector<Watched> watched_;  // the oldest first
  std::unordered_map<SourceLine, Line, SourceLineHash> lines_;
};

}  // namespace gamelan::kernel
