// SPDX-License-Identifier: BSD-3-Clause
// A program gives names to what it reads in one turn of a loop only: `distance = ...; label =
// distance.argmin(axis=1)`. At a look everything that is pending is sent, and what has a name would be
// stored, although the next turn gives the name to another array. Where the lines of a program have done so
// before, such an array stays pending: it is computed in passing for those that need it now, and again should
// the program ask for it. Pure data; it uses neither Python nor sockets.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/recorder/source_line.hpp"
#include "protocol/message.hpp"

namespace gamelan::kernel {

inline constexpr std::int64_t least_postponed_bytes = 4 << 20;
inline std::int64_t bytes_of(const protocol::View& view) {
  return protocol::element_count(view.extents) * static_cast<std::int64_t>(protocol::size_of(view.dtype));
}

/// What a batch becomes when some commands stay pending.
struct Postponed {
  std::vector<bool> is_kept;                ///< by pending command: it stays
  std::vector<protocol::Command> commands;  ///< that are sent; those that stay make other arrays here
  std::vector<std::size_t> from;            ///< by command that is sent: which pending one it is
  std::vector<protocol::ArrayId> made;      ///< these other arrays, which nobody will need after the batch
  std::unordered_set<protocol::ArrayId> needed;  ///< what kept commands make or read must not be freed yet
};

struct PostponeRules {
  std::function<protocol::ArrayId()> new_id;
  std::function<bool(protocol::ArrayId)> may_read;  ///< nobody but this program writes it, and it is sound
  std::function<bool(std::size_t)> is_wanted;       ///< by pending command: its result is worth it
  std::function<bool(std::size_t)> has_listener;    ///< the same: somebody hears of its floating-point errors
};

/// Nothing where no result is worth it. `dead`: arrays without names. Results that are fetched are not kept
/// back, nor what is changed in place, nor what is made of that.
std::optional<Postponed> postpone(const protocol::Batch& pending,
                                  const std::unordered_set<protocol::ArrayId>& dead,
                                  std::span<const protocol::View> fetches, const PostponeRules& rules);

/// Which lines make large arrays that die before another batch reads them.
class ShortLived {
 public:
  /// A batch is sent with the array that this line makes.
  void note_sent(protocol::ArrayId id, const SourceLine& line);
  /// A command reads the array.
  void note_read(protocol::ArrayId id) {
    if (!watched_.empty()) note(id, false);
  }
  void note_freed(std::span<const protocol::ArrayId> ids);
  bool expects(const SourceLine& line) const {
    const auto found = lines_.find(line);
    return found != lines_.end() && found->second;
  }

 private:
  void note(protocol::ArrayId id, bool is_unread);

  struct Watched {
    protocol::ArrayId id;
    SourceLine line;
  };
  std::vector<Watched> watched_;
  std::unordered_map<SourceLine, bool, SourceLineHash> lines_;
};

}  // namespace gamelan::kernel
