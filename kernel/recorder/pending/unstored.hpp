// SPDX-License-Identifier: BSD-3-Clause
// A program gives names to what it reads in one turn of a loop only: `distance = ...; label =
// distance.argmin(axis=1)`. At a look everything that is pending is sent, and what has a name would be
// stored, although the next turn gives the name to another array. Where short_lived.hpp expects that, the
// batch computes the array in passing, under another number that dies with the batch, and the notebook keeps
// the commands that make it: its recipe. Whatever needs the array later has it stored first
// (session_unstored.cpp). Pure data; it uses neither Python nor sockets.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

inline constexpr std::int64_t least_unstored_bytes = 4 << 20;
inline std::int64_t bytes_of(const protocol::View& view) {
  return protocol::element_count(view.extents) * static_cast<std::int64_t>(protocol::size_of(view.dtype));
}

/// What computes an array that has a name and is not stored.
struct Recipe {
  protocol::ArrayId array = 0;
  std::vector<protocol::Command> commands;  ///< the last one makes the array; the others make its temporaries
  std::vector<std::size_t> places;          ///< of these commands in the batch that computes them in passing
  std::unordered_set<protocol::ArrayId> reads;  ///< stored arrays, which must not be freed
  std::unordered_set<protocol::ArrayId>
      reads_small;          ///< of these, those that may wait for that when they die
  std::uint64_t batch = 0;  ///< its number
  bool is_heard = false;    ///< somebody hears of floating-point errors of each of the commands in that batch
  bool is_sound = false;    ///< and the batch has met none in them
};

struct RecipeRules {
  std::function<bool(protocol::ArrayId)> may_read;  ///< nobody but this program writes it, and it can be read
  std::function<bool(std::size_t)> is_short_lived;  ///< by pending command: its result is expected to be
};

/// The recipes of those results that a batch need not store. `dead`: arrays without names. Not of what is
/// fetched or changed in place, nor of what is made of that; nor where no other command of the batch reads
/// the result, or its recipe would keep a large array from being freed.
std::vector<Recipe> find_recipes(const protocol::Batch& pending,
                                 const std::unordered_set<protocol::ArrayId>& dead,
                                 std::span<const protocol::View> fetches, const RecipeRules& rules);

/// The arrays that are not stored.
class Unstored {
 public:
  static constexpr std::size_t most = 32;

  bool is_empty() const { return recipes_.empty(); }
  std::size_t size() const { return recipes_.size(); }
  bool contains(protocol::ArrayId id) const { return recipes_.contains(id); }
  void add(Recipe recipe);
  /// The recipe of an array that is one of these, which is forgotten.
  Recipe take(protocol::ArrayId id);
  /// Those whose recipes read this array.
  std::vector<protocol::ArrayId> made_from(protocol::ArrayId id) const;
  std::vector<protocol::ArrayId> all() const;
  /// True while a recipe reads the array.
  bool is_read(protocol::ArrayId id) const;
  /// Forgets the recipes of arrays that have died, and returns these.
  std::vector<protocol::ArrayId> drop(const std::unordered_set<protocol::ArrayId>& dead);
  /// Those whose recipes keep a dead array from being freed that may be large.
  std::vector<protocol::ArrayId> in_the_way(const std::unordered_set<protocol::ArrayId>& dead) const;
  /// The reply to the batch that has computed arrays in passing: it has run its first `ran` commands, and met
  /// these errors. What it has not come to is lost, and none of these any more.
  void note_reply(std::uint64_t batch, std::size_t ran, bool is_ok,
                  std::span<const protocol::FloatErrors> errors);

 private:
  std::vector<protocol::ArrayId> those(const std::function<bool(const Recipe&)>& are_meant) const;

  std::unordered_map<protocol::ArrayId, Recipe> recipes_;
};

}  // namespace gamelan::kernel
