// SPDX-License-Identifier: BSD-3-Clause
// The session's log: the commands that have run, from which its arrays can be computed again on other
// engines. Results do not depend on the number of ranks, and random numbers depend on their seed alone, so
// repeated commands give the same bits. The log keeps batches as they were sent, and forgets commands whose
// results nobody can reach any more. It uses neither Python nor sockets. Callers hold Python's GIL.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/recorder/log/file_stamps.hpp"
#include "kernel/recorder/log/kept_frames.hpp"
#include "protocol/codec.hpp"

namespace gamelan::kernel {

class CommandLog {
 public:
  /// Most bytes that a log may have, payloads included. 0: nothing is kept, and nothing can be repeated.
  static void set_limit(std::int64_t bytes);
  static std::int64_t most_bytes();
  static bool is_on();

  /// A batch that has run: up to command `ran`, in so many seconds.
  struct Entry {
    std::uint64_t number = 0;  ///< in the order of the program
    KeptFrames frames;
    std::size_t ran = 0;
    double seconds = 0;
    std::vector<protocol::ArrayId> frees;
    std::vector<FileStamp> files;
    /// Arrays that the log does not have as they are from this batch on: other clients have written into
    /// them, since the batch before, or a command that changed them was dropped.
    std::vector<protocol::ArrayId> foreign = {};
    std::int64_t bytes() const;  ///< of memory that it takes
  };
  /// Arrays that cannot be computed again, and why.
  using Lost = std::unordered_map<protocol::ArrayId, std::string>;
  /// Batches may come in any order of their numbers. Older commands may be forgotten meanwhile.
  /// `is_in_order`: all batches with lower numbers have come; only then commands are forgotten.
  void add(Entry entry, bool is_in_order = true);
  /// A batch has run that is not kept: the arrays `written`, and all that the log makes, are lost to it.
  void skip(const std::vector<protocol::ArrayId>& written, const std::vector<protocol::ArrayId>& frees);
  void clear();

  /// Changes when batches that were in the log have changed or gone: what was written of it is out of date.
  std::uint64_t generation() const { return generation_; }
  /// The batches from number `first` on as bytes for a file (log_file.cpp). `is_new`: the file begins with
  /// them.
  /// `without_elements`: large numbers of the program's own elements stay out; who reads that has lost the
  /// arrays that need them.
  protocol::Bytes written(std::size_t first, bool is_new, bool without_elements = false) const;
  /// Which arrays that would be, and those that are lost already.
  Lost lost_without_elements() const;
  /// Adds what `written` has made. Throws Error{protocol} where it is not that.
  void read(std::span<const std::byte> file);
  /// Gives every array another id.
  void renumber(const std::function<protocol::ArrayId(protocol::ArrayId)>& id_of);
  /// Goes on with the batches of another log, as if they had run after number `number`.
  void append(CommandLog other, std::uint64_t number);
  /// Only these arrays are wanted: the others count as freed.
  void keep_only(const std::unordered_set<protocol::ArrayId>& wanted);

  std::size_t commands() const { return commands_; }
  double seconds() const { return seconds_; }              ///< that they took
  std::int64_t bytes() const { return bytes_; }            ///< that they take
  std::int64_t sent_bytes() const { return sent_bytes_; }  ///< that they had when they were sent
  std::size_t batches() const { return entries_.size(); }

  const Lost& lost() const { return lost_; }
  void set_lost(Lost lost) { lost_ = std::move(lost); }
  /// Commands that have failed when they were repeated, by batch and place, and why.
  using Failed = std::map<std::pair<std::size_t, std::size_t>, std::string>;
  /// Forgets what nobody needs, before the batches are repeated.
  void prune();
  /// The arrays that the log makes.
  std::vector<protocol::ArrayId> made() const;
  /// The paths of the files that it reads.
  std::vector<std::string> files() const;
  /// The commands of one batch that can be repeated, behind the last of `places`, without frees. Sets
  /// `places` to where they stand in the batch. Writes no files again. Commands that need a lost array, or a
  /// file that has changed, and those that have `failed`, are left out, and their results are lost.
  protocol::Batch repeatable(std::size_t batch, std::vector<std::size_t>& places, const Failed& failed);
  /// Does one of these commands read what this batch frees?
  bool needs_freed(const protocol::Batch& commands, std::size_t batch) const;
  /// What follows them.
  const std::vector<protocol::ArrayId>& frees_of(std::size_t batch) const { return entries_[batch].frees; }
  /// Lost from this batch on, and not before.
  const std::vector<protocol::ArrayId>& foreign_of(std::size_t batch) const {
    return entries_[batch].foreign;
  }
  /// The arrays of the log that live, each as a whole, without lost ones: of these it may have what made them
  /// before another client wrote. Forgets what nobody needs.
  std::vector<protocol::View> living();
  /// The elements of these arrays lie in files: the log begins with commands that read them. `number`: of the
  /// last batch whose work is in the files. `seconds`: that reading may take.
  struct Stored {
    protocol::View whole;
    std::string path;         ///< empty: `bytes` has the elements; not absolute: the name of pieces
    std::int64_t offset = 0;  ///< of the first element in the file
    std::uint32_t sum = 0;    ///< CRC-32 of the elements in the file
    protocol::Bytes bytes;
    bool is_in_pieces() const { return path[0] != '/'; }
  };
  /// What a command is to have read from a file.
  struct Expected {
    std::size_t command;
    protocol::View whole;
    std::uint32_t sum;
    std::string why_lost;  ///< where it has read something else
  };
  /// Takes the sums out of a batch of `repeatable`, which engines do not know.
  static std::vector<Expected> take_sums(protocol::Batch& batch);
  /// `storing`: the key of begin_storing, which ends.
  void begin_with(std::vector<Stored> arrays, std::uint64_t number, double seconds, std::uint64_t storing);
  /// What a checkpoint has stored of arrays to which nothing was written since then, nor to the file. Without
  /// those that others may write.
  std::vector<Stored> unchanged() const;
  /// Arrays that the log cannot make and that had run when they were lost to it, each as a whole: a
  /// checkpoint may have their elements, and the log makes them from then on. Some may have died with their
  /// engines since then, which the caller knows.
  std::vector<protocol::View> unlogged() const;
  /// Has the log's limit made some of them so that live, since the log began with a checkpoint?
  bool has_newly_unlogged() const { return !newly_unlogged_.empty(); }
  /// The program has written this file, or what lies below this folder: what the log reads there is lost.
  void lose_file(const std::string& path);
  /// The engines have this array, which is lost to the log, as it is behind batch `number`.
  void keep_unlogged(const protocol::View& whole, std::uint64_t number);
  /// Other clients may write this array, which no log tells.
  void note_shared(protocol::ArrayId id) { shared_.insert(id); }
  /// The engines say of arrays of this log when another client has written into them last, in numbers of
  /// their own. Returns those of which the batch `number` is the first that knows: for Entry::foreign.
  using Told = std::vector<std::pair<protocol::ArrayId, std::uint64_t>>;
  std::vector<protocol::ArrayId> note_told(std::uint64_t number, const Told& told);
  /// The same, behind batch `number`, where no batch tells.
  void add_foreign(std::uint64_t number, const Told& told);
  /// There are other engines, with numbers of their own.
  void forget_told() { told_.clear(); }
  bool has_shared() const { return !shared_.empty(); }
  /// Have the engines said of a write by another client?
  bool has_foreign() const { return !told_.empty(); }
  /// Before the log is repeated: what Entry::foreign names is lost from there on, and not before.
  void find_foreign();
  /// Changes when arrays were added that other numbers do not tell, or all that was kept has gone. What was
  /// stored before that is not what the log begins with.
  std::uint64_t epoch() const { return epoch_; }
  /// A checkpoint is on its way to the disk: no other one is due until it ends. To be called at the moment
  /// that it stores: what is freed later is freed in the log that begins with it. `key`: not 0, of no other
  /// one.
  void begin_storing(std::uint64_t key);
  /// Nothing, where another checkpoint has begun or this one has ended.
  void end_storing(std::uint64_t key);
  /// Has the log begun anew with this checkpoint, and with none since then?
  bool begins_with(std::uint64_t key) const { return key != 0 && key == begun_with_; }
  /// Repeating takes longer than so many seconds, half of what the log may have is full, or the limit has
  /// made it lose arrays: a checkpoint should be made. 0: never.
  static void set_due(double seconds);
  static bool makes_checkpoints();  ///< is that not 0?
  /// Without `counts_unlogged`, lost arrays are no reason.
  bool is_due(bool counts_unlogged = true) const;
  /// A checkpoint should be made in any case, until this is taken back.
  void ask_for_checkpoint(bool is_asked) { is_asked_ = is_asked; }
  bool is_asked() const { return is_asked_; }

  /// Marks this moment, after batch `number`: what makes the arrays `wanted` as they are now is kept, as far
  /// as the limits allow. Returns the mark's key, which no other mark has.
  std::uint64_t mark(std::vector<protocol::ArrayId> wanted, std::uint64_t number);
  /// Forgets all other marks.
  void keep_marks(const std::unordered_set<std::uint64_t>& keys);
  /// Those arrays to which a command behind the mark has written in place; all, where the mark is not known.
  std::unordered_set<protocol::ArrayId> changed_since(std::uint64_t key,
                                                      const std::vector<protocol::ArrayId>& among) const;
  /// What makes arrays as they were at a mark. Every array that is made has another id than it had; those
  /// that lie on the engines as they were then are read there.
  struct Past;
  /// `gone`: arrays that are about to be freed. `new_id` gives ids. Uses neither clock nor engines.
  Past past(std::uint64_t key, const std::vector<protocol::ArrayId>& wanted,
            const std::vector<protocol::ArrayId>& gone,
            const std::function<protocol::ArrayId()>& new_id) const;
  /// This log without marks, and without what only they need.
  CommandLog of_now() const;

  /// This array could not be computed again.
  void lose(protocol::ArrayId id, const std::string& why) { lost_.emplace(id, why); }
  /// The same for an array of another client: also when this one has let go of it, because it may have it
  /// twice. `made_from`: why what is computed from it is lost.
  void lose_for_ever(protocol::ArrayId id, const std::string& why, std::string made_from) {
    foreign_.insert_or_assign(id, std::move(made_from));
    lose(id, why);
  }

 private:
  /// A moment to which the program may go back.
  struct Mark {
    std::uint64_t key, number;              // of the last batch before it
    std::vector<protocol::ArrayId> wanted;  // those that lived
    std::string cut;                        // why the log does not reach back so far; empty: it does
    // In place, between this mark and the next one, by commands that the log has no more.
    std::unordered_set<protocol::ArrayId> changed;
    Lost lost;  // of the wanted ones
  };
  /// What keeps arrays for which the log has no room, in the words of an error.
  static constexpr const char* mend =
      "np.config.protect ('memory', or a folder), which makes checkpoints, keeps such arrays";
  static std::uint64_t next_generation();
  void keep_within_limit();
  void drop_marks();
  /// The oldest `count` marks cannot be reached any more.
  void cut_marks(std::size_t count, const std::string& why);
  /// To be called before all commands are forgotten: no mark can be reached any more.
  void cut_all_marks(const std::string& why);
  const Mark* find_mark(std::uint64_t key) const;
  /// A command of batch `number` that is forgotten has written in place.
  void note_change(std::uint64_t number, const protocol::Command& command);
  void forget_lost(const std::vector<protocol::ArrayId>& ids);
  void lose_all(const std::string& why);
  using Choice = std::function<bool(const protocol::Command&, const protocol::Batch&)>;
  /// Without the commands of `is_meant`, whose arrays are lost, and those that need them.
  void drop_if(const Choice& is_meant, const std::string& why);
  void drop_large_payloads();
  /// Without all commands that need an array of `lost`, from the first entry on, and those of `is_meant`.
  void spread(Lost lost, const Choice& is_meant = {});
  /// The entry without commands of `is_meant` and those that need an array of `lost`, whose results are lost
  /// then, too. In several parts where an array is lost that was there before: each names in `foreign` what
  /// is lost from there on.
  std::vector<Entry> without_lost(Entry entry, Lost& lost, const Choice& is_meant = {});
  /// Notes the whole of these lost arrays, which commands of the log have made.
  void note_wholes(const std::unordered_set<protocol::ArrayId>& ids);
  /// Those of the lost arrays that are so from the first entry on: no Entry::foreign names them.
  Lost lost_at_the_beginning() const;
  std::vector<protocol::View> not_freed();
  /// A command of batch `number` goes out of the log because its array is lost.
  void note_unlogged(std::uint64_t number, const protocol::Command& command);
  void forget_unlogged(protocol::ArrayId id);
  /// The log has what a checkpoint, which came behind batch `number`, has of arrays that were lost to it.
  void find_unlogged(const std::vector<Stored>& arrays, std::uint64_t number);
  /// The commands of an entry that have run.
  static protocol::Batch decode(const Entry& entry);
  /// The entry without large payloads; `told` is called with each array that is lost by that.
  static Entry without_payloads(const Entry& entry, const std::function<void(protocol::ArrayId)>& told);
  void replace(Entry& entry, protocol::Batch batch);
  void count();
  /// Compresses what has stayed, and counts.
  void pack();
  /// True when this command needs an array of `lost`; its own result is lost then, and a checkpoint is wanted
  /// of it where one is of that.
  bool spreads_loss(const protocol::Command& command, Lost& lost);

  std::deque<Entry> entries_;
  std::vector<Mark> marks_;                       // in the order of the program
  std::uint64_t generation_ = next_generation();  // no two logs have one in common
  Lost lost_;
  Lost later_;    // find_foreign: why arrays will be lost, where that is known
  Lost foreign_;  // of the lost ones, those that stay so; why what is computed from them is lost
  std::unordered_set<protocol::ArrayId> shared_;  // by note_shared
  struct Unlogged {
    std::optional<protocol::View> whole;  // not known before the command that made it goes
    std::uint64_t last = 0;               // batch that has written it, of those that the log has no more
  };
  std::unordered_map<protocol::ArrayId, Unlogged> unlogged_;
  std::unordered_set<protocol::ArrayId> newly_unlogged_;  // of these, those that no checkpoint has
  struct Heard {
    std::uint64_t when, number;
  };
  std::unordered_map<protocol::ArrayId, Heard> told_;  // by note_told
  std::size_t commands_ = 0;
  double seconds_ = 0;
  std::int64_t bytes_ = 0, sent_bytes_ = 0;
  double stored_seconds_ = 0;  // of these, what a checkpoint holds
  std::int64_t stored_bytes_ = 0;
  bool is_asked_ = false;
  std::uint64_t storing_ = 0;     // the key of begin_storing; 0: no checkpoint is on its way
  std::uint64_t begun_with_ = 0;  // the key of begin_with
  std::uint64_t epoch_ = next_generation();
  std::vector<protocol::ArrayId> freed_meanwhile_;  // since begin_storing
  static constexpr std::int64_t least_to_prune = std::int64_t{1} << 19;
  std::int64_t prune_above_ = least_to_prune;  // bytes as they were sent
};

struct CommandLog::Past {
  CommandLog log;
  std::unordered_map<protocol::ArrayId, protocol::ArrayId> made;  ///< of the wanted ones: new ids, by the old
};

}  // namespace gamelan::kernel
