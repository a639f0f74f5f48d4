// SPDX-License-Identifier: BSD-3-Clause
// Who holds the arrays of the session: clients, each under a number of its own, and names that clients have
// published. An array lives as long as somebody holds it. Pure: it frees nothing itself, and does the same on
// every rank.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
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
    std::uint64_t written = 0;  ///< when it was last written to: a number that rises from batch to batch
    Holder writer = 0;          ///< and by whom
    std::uint64_t written_by_others = 0;  ///< than its maker
  };
  struct Published {
    ArrayId array = 0;
    Holder publisher = 0;
    std::string about;  ///< what the publisher says of it, for who attaches it
  };

  /// A new array, held by who made it.
  void note(ArrayId id, Holder maker, const protocol::Origin& line, std::uint64_t batch = 0);
  /// A command of this batch has written to the array, or may have.
  void note_write(ArrayId id, Holder writer, std::uint64_t batch);
  /// An array that others may write, and when one of them has done so last. Its maker's log cannot know that.
  struct Foreign {
    ArrayId id = 0;
    Holder maker = 0;
    std::uint64_t when = 0;  ///< as in Facts::written
  };
  std::vector<Foreign> written_by_others() const;
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

  /// `holder` comes back and lets go of all its arrays but those that others hold, or that have a name. It
  /// holds these again.
  struct Rejoined {
    std::vector<ArrayId> frees, kept;  ///< ascending
  };
  Rejoined rejoin(Holder holder);

  /// The moment behind this batch gets a number. Of each holder the last few are kept.
  void mark(Holder holder, std::uint64_t key, std::uint64_t batch);
  /// The numbers of the moments that are kept of a holder, and the batches before them.
  using Marks = std::deque<std::pair<std::uint64_t, std::uint64_t>>;
  const Marks& marks_of(Holder holder) const;
  struct Inherited {
    std::vector<ArrayId> same, shared, written, others;  ///< ascending
    std::vector<std::pair<std::string, Published>> names;
  };
  /// `heir` gets all that `earlier` holds, its names, too; where others have inherited that already, all that
  /// the last of them holds. same: arrays to which nobody has written since the moment `key` of `earlier`;
  /// shared: those that others may write; written: those of them that were written since; others: the rest.
  Inherited inherit(Holder heir, Holder earlier, std::uint64_t key);
  /// Who has inherited what this holder had; 0: nobody.
  Holder heir_of(Holder holder) const;
  /// Who has it now: the holder itself, or the last heir.
  Holder owner_after(Holder holder) const;

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
  std::map<Holder, Marks> marks_;
  std::map<Holder, Holder> heirs_;
  std::shared_ptr<const std::string> last_file_;
};

}  // namespace gamelan::engine
