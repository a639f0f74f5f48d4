// SPDX-License-Identifier: BSD-3-Clause
// A loop that looks at a value in every turn: `for k in range(20): n[k] = (labels == k).sum()`. The turns
// record the same commands, whose numbers grow by the same steps. So those that follow can be computed along
// with the one that is looked at: the engines read `labels` once for all of them, and the notebook waits
// once. Pure data; it uses neither Python nor sockets.
#pragma once
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "kernel/recorder/pending/partial_look.hpp"

namespace gamelan::kernel {

class Foresight {
 public:
  using Elements = std::vector<protocol::Bytes>;  ///< by view that is looked at
  struct Rules {
    std::function<protocol::ArrayId()> new_id;
    /// True for an array whose elements lie with the engines, and are what the program has made of them.
    std::function<bool(protocol::ArrayId)> may_read;
    /// True for an array that has died, of which `note_freed` was not told.
    std::function<bool(protocol::ArrayId)> has_died;
    unsigned watched = 0;        ///< kinds of floating-point errors that the program wants to know of
    std::int64_t most_work = 0;  ///< of a request (work.hpp)
  };

  /// To be called at every look, before anything is sent. `recorded`: how many commands the program has
  /// recorded so far. Returns the elements, where they were computed ahead.
  std::optional<Elements> look(const protocol::Batch& pending, std::uint64_t recorded,
                               const std::vector<protocol::View>& views, const Rules& rules);
  /// The last pending commands, when they are the first turn of a loop that has run before, which is to be
  /// computed with those that follow, and others are to be sent before it.
  std::span<const protocol::Command> first_turn() const {
    if (!is_first_turn_) return {};
    return loops_.front().first.commands;
  }
  /// What comes before the first turn is about to be sent, the turn with it. `may_read`: as in Rules, when
  /// that has run.
  void begin_behind_others(const std::function<bool(protocol::ArrayId)>& may_read);
  /// What computes the turn of the last look and some that will follow; the elements of that one come first.
  struct Ahead {
    PartialLook look;
    std::uint64_t epoch;          ///< when it was asked for
    std::size_t views, commands;  ///< of a turn
  };
  /// Nothing where no loop is known that goes on for long enough.
  std::optional<Ahead> ahead(const Rules& rules);
  /// The answer: elements by view that was asked for, of which the first `sound` commands have met no
  /// floating-point error. Returns the elements of the first turn. Nothing where these are missing, or the
  /// program must be told of its errors; then this run of the loop is not asked for again.
  std::optional<Elements> keep(const Ahead& ahead, std::vector<protocol::Bytes> answer, std::size_t sound);
  /// An array has been changed in place: what was computed ahead may have read it.
  void forget() noexcept;
  /// A batch was sent that frees these arrays.
  void note_freed(std::span<const protocol::ArrayId> ids);

 private:
  /// What a program has recorded from one look to the next.
  struct Turn {
    std::vector<protocol::Command> commands;  ///< each creates an array
    std::vector<protocol::View> views;        ///< of these arrays
  };
  struct Loop {
    Turn first;
    std::vector<std::int64_t> step;        ///< of each number from turn to turn; empty: not known yet
    std::int64_t turns = 1;                ///< begun so far
    std::int64_t before = 0;               ///< turns of the last run that ended
    bool is_kept = false;                  ///< the program keeps what it looks at: it would be computed twice
    bool has_failed = false;               ///< in this run
    std::vector<protocol::ArrayId> shown;  ///< what the last turn has looked at, unless it has died
    std::deque<Elements> known;            ///< of the turns that follow
    unsigned watched = 0;                  ///< when these were computed
  };

  static std::optional<std::vector<std::int64_t>> steps(const Turn& from,
                                                        std::span<const protocol::Command> to,
                                                        const std::vector<protocol::View>& views,
                                                        bool of_same_arrays);
  static bool begins_behind_others(Loop& loop, std::span<const protocol::Command> turn,
                                   const std::vector<protocol::View>& views);
  bool find_first_turn(const protocol::Batch& pending, std::uint64_t recorded,
                       const std::vector<protocol::View>& views, std::int64_t most_work);
  static std::int64_t turns_ahead(const Loop& loop, std::int64_t most_work);
  static bool is_computed(const Turn& turn, const std::function<bool(protocol::ArrayId)>& may_read);
  static bool begins_again(Loop& loop, std::span<const protocol::Command> turn,
                           const std::vector<protocol::View>& views);
  static bool goes_on(Loop& loop, std::span<const protocol::Command> turn,
                      const std::vector<protocol::View>& views);
  static bool add_turn(const Loop& loop, std::int64_t turn, const Rules& rules, PartialLook& look);
  void note(std::span<const protocol::Command> turn, const std::vector<protocol::View>& views);

  std::list<Loop> loops_;       // the one that was met last is the first
  bool is_of_loop_ = false;     // the last look
  bool is_first_turn_ = false;  // the last look, behind other commands
  std::uint64_t recorded_ = 0;  // commands, at the last look
  std::uint64_t epoch_ = 0;     // looks and changes: what was asked for before is not of this moment
};

}  // namespace gamelan::kernel
