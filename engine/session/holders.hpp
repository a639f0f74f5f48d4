// SPDX-License-Identifier: BSD-3-Clause
// Who holds the arrays of the session: clients, each under a number of its own, and names that clients have
// published. An array lives as long as somebody holds it. Pure: it frees nothing itself, and does the same on
// every rank.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::engine {

class Holders {
 public:
  using ArrayId = protocol::ArrayId;
  using Holder = std::uint64_t;  ///< as in Batch::holder; 0: nobody

  struct Facts {
    Holder maker = 0;
    std::shared_ptr<const std::string> file;  ///< of the line that made it; null: not known
    std::int32_t line = 0;
  };
  struct Published {
    ArrayId array = 0;
    Holder publisher = 0;
    std::string about;  ///< what the publisher says of it, for who attaches it
  };

  /// A new array, held by who made it.
  void note(ArrayId id, Holder maker, const protocol::Origin& line);
  bool knows(ArrayId id) const { return facts_.contains(id); }
  /// The array is gone.
  void forget(ArrayId id) { facts_.erase(id); }
  /// `holder` needs these arrays no longer: removes from `frees` what it does not hold, and what somebody
  /// else holds, too. Holder 0 frees whatever it names.
  void let_go(Holder holder, std::vector<ArrayId>& frees);
  struct Parted {
    std::vector<ArrayId> frees;  ///< nobody holds them any more; ascending
    std::vector<ArrayId> lost;   ///< of these, what others still held
  };
  /// `holder` lets go of all its arrays. Published ones stay, unless it `clears`.
  Parted leave(Holder holder, bool clears);

  /// Who the holder is, for people.
  void introduce(Holder holder, std::string who) { who_[holder] = std::move(who); }
  std::string who(Holder holder) const;

  /// Throws Error{value} when the name is taken; the message names who has published it.
  void publish(const std::string& name, Published published);
  /// From now on `holder` holds the array of that name. Throws Error{key} when there is none; the message
  /// lists those that there are.
  const Published& attach(const std::string& name, Holder holder);
  /// The name goes. Returns the array when nobody holds it any more. Throws as `attach`.
  std::vector<ArrayId> unpublish(const std::string& name);

  const std::unordered_map<ArrayId, Facts>& all() const { return facts_; }
  const std::map<std::string, Published>& published() const { return names_; }
  /// Everybody who holds the array.
  std::set<Holder> of(ArrayId id) const;

 private:
  const Published& at(const std::string& name) const;
  bool is_named(ArrayId id) const;
  using Counts = std::map<Holder, int>;  // how often each holds it: a client may attach an array twice
  Counts& shared(ArrayId id);

  std::unordered_map<ArrayId, Facts> facts_;
  std::map<ArrayId, Counts> shared_;  // that are or were published; all others are their maker's
  std::map<std::string, Published> names_;
  std::map<Holder, std::string> who_;
  std::shared_ptr<const std::string> last_file_;
};

}  // namespace gamelan::engine
