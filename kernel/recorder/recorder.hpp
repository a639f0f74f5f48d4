// SPDX-License-Identifier: BSD-3-Clause
// What the notebook has recorded and not sent yet: commands in program order, ids of arrays that have no name
// any more, and where to cut. It uses neither Python nor sockets: a line of the program is two numbers that
// the caller resolves when it cuts. Callers hold Python's GIL, which is the one mutex here: cutting and
// sending happen without releasing it.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/recorder/failure.hpp"
#include "kernel/recorder/pending/work.hpp"
#include "kernel/recorder/source_line.hpp"
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// Sizes at which a batch is sent without being asked for. Between the soft and the hard limits the cut waits
/// for the end of an iteration, of the outermost loop that ends one. (A cut inside an iteration stores what
/// the rest of the iteration still needs.) A call of the user's is cut only at twice the hard limits, because
/// an interrupt between its halves would cost the arrays that it writes.
struct CutLimits {
  std::size_t soft_commands = 2'000;
  std::size_t hard_commands = 4'000;
  std::size_t payload_bytes = std::size_t{8} << 20;  ///< with one more array, less than a lane holds
  /// Operations on an element, four for a pass over memory (work.hpp). A batch may have twice as many, and is
  /// cut as softly as by soft_commands.
  std::int64_t work = std::int64_t{1} << 62;
};

/// Ids of arrays that have died. `push` may run on any thread and in any destructor; it takes no lock.
class FreeList {
 public:
  ~FreeList();
  void push(protocol::ArrayId id) noexcept;
  bool is_empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }
  /// Removes and returns all ids, oldest first.
  std::vector<protocol::ArrayId> drain();

 private:
  struct Node {
    protocol::ArrayId id;
    Node* next;
  };
  std::atomic<Node*> head_{nullptr};
};

class Recorder {
 public:
  explicit Recorder(CutLimits limits = {}) : limits_(limits) {}

  protocol::ArrayId new_id() { return ++last_id_; }
  protocol::ArrayId last_id() const { return last_id_; }
  /// The number under which this client holds its arrays (Batch::holder).
  std::uint64_t holder() const { return holder_; }
  bool is_own(protocol::ArrayId id) const {
    return (id > (holder_ - 1) << 32 && id <= last_id_) || inherited_.contains(id);
  }
  /// Of an earlier kernel: it counts as made here.
  void inherit(protocol::ArrayId id) { inherited_.insert(id); }
  /// True when the batch should be cut before a command of this line, and of this call, is added.
  bool wants_cut_before(const SourceLine& line, std::uint64_t call = 0) const;
  /// True when the command alone takes as much work as a batch may: it is best recorded when nothing is
  /// ahead.
  bool is_heavy(const protocol::Command& command) const;
  /// True when the last pending command belongs to this call of the user's.
  bool is_within(std::uint64_t call) const { return call != 0 && !calls_.empty() && calls_.back() == call; }
  /// Appends a command. Returns true when the batch has got a new origin; the caller then keeps the line
  /// alive until the cut. `listener`: who wants to know the command's floating-point errors, a number of the
  /// caller's; 0: nobody. `call`: the user's call (user_call.hpp); 0 when the command is a call by itself.
  /// Neighbouring commands of one call have one origin, others never.
  bool add(protocol::Command command, const SourceLine& line, std::uint32_t listener = 0,
           std::uint64_t call = 0);
  bool add(protocol::Command command, const SourceLine& line, std::uint32_t listener, std::uint64_t call,
           protocol::Bytes payload);
  void free(protocol::ArrayId id) noexcept { frees_.push(id); }

  bool has_frees() const { return !frees_.is_empty() && !holds_frees_; }
  /// While they are held, no array is freed on the engines.
  void hold_frees(bool holds) { holds_frees_ = holds; }
  /// An array that has died is not freed while this is true of it.
  void set_needed(std::function<bool(protocol::ArrayId)> is_needed) { is_needed_ = std::move(is_needed); }
  /// The ids that have died and are not freed yet, without removing them.
  std::vector<protocol::ArrayId> peek_frees();

  bool is_empty() const { return pending_.commands.empty(); }
  const protocol::Batch& pending() const { return pending_; }
  /// What is pending, by work.hpp.
  std::int64_t pending_work() const { return work_; }
  const std::vector<std::uint64_t>& pending_calls() const { return calls_; }
  /// Lines in the order of `Command::origin`; their text is filled in by the caller of `cut`.
  const std::vector<SourceLine>& lines() const { return lines_; }
  /// While a statement is timed, every iteration is a batch of its own: it is cut where the first command
  /// comes again.
  void cut_every_iteration(bool is_on) {
    cuts_every_iteration_ = is_on;
    iteration_line_ = {};
  }
  /// Everything pending, frees included. Commands that read a poisoned array are left out, and their results
  /// are poisoned in turn; `blocked` is then the cause of the first write in place that was left out.
  struct Cut {
    protocol::Batch batch;
    std::vector<SourceLine> lines;
    std::vector<std::uint32_t> listeners;  ///< by command
    std::vector<std::uint64_t> calls;      ///< by command
    FailurePtr blocked;
  };
  /// Takes everything pending and starts the next batch. `next`: the line of the command that comes next,
  /// when the cut is automatic.
  Cut cut(const SourceLine* next = nullptr);
  /// An array that pending commands make, and that has been changed by none, gets another number there.
  void rename(protocol::ArrayId from, protocol::ArrayId to);
  /// Drops the pending commands from this place on. They are to be added again behind the next batch
  /// (add_back), before anything else is recorded.
  void set_aside(std::size_t place);
  bool add_back(protocol::Command command, const SourceLine& line, std::uint32_t listener, std::uint64_t call,
                std::optional<protocol::Bytes> payload);
  /// The elements that come with a pending command, which is to be set aside.
  std::optional<protocol::Bytes> take_payload(std::size_t command);
  /// Who wants to know this command's floating-point errors.
  std::uint32_t listener_of(std::size_t command) const { return listeners_[command]; }

  /// Marks an array as never computed: reading it raises `cause`. Forgotten when the array dies.
  void poison(protocol::ArrayId id, FailurePtr cause) { poisoned_[id] = std::move(cause); }
  /// These arrays have died, so their causes are forgotten.
  void forget_poison(const std::vector<protocol::ArrayId>& ids);
  /// Drops what is pending, after an interrupt. Arrays that it would have created raise the cause of their
  /// line; other arrays keep their elements. `causes`: by line.
  void abandon(const std::vector<FailurePtr>& causes);
  /// The same for one call only: what it has recorded is dropped.
  void undo(std::uint64_t call, const FailurePtr& cause);
  /// These were never made: the engines are not told to free them.
  void forget_frees(const std::unordered_set<protocol::ArrayId>& ids);
  /// Drops commands whose results have died and are read by no other. Returns these results: nobody will be
  /// told to free them.
  std::vector<protocol::ArrayId> drop_dead();
  /// Why the array was not computed; nullptr for a sound array.
  FailurePtr poison_of(protocol::ArrayId id) const;
  bool has_poisoned() const { return !poisoned_.empty(); }

  std::uint64_t recorded_commands() const { return recorded_commands_; }
  CutLimits limits() const { return limits_; }
  void set_limits(CutLimits limits) { limits_ = limits; }

 private:
  /// Every client gets a range of ids of its own, so that it never meets the arrays of another client on the
  /// same engines.
  static protocol::ArrayId first_id();
  /// Takes what is pending, without frees; nothing is pending afterwards.
  Cut take();
  void drop_poisoned(Cut& result);
  /// Drops the pending commands of which `is_kept(index)` is false.
  void keep_only(const std::function<bool(std::size_t)>& is_kept);
  /// The origin for a command of this line, and whether it is new.
  std::pair<std::uint32_t, bool> origin_for(const SourceLine& line, bool goes_on);
  /// True when a command of `line` would begin the next iteration of a loop to which all of this batch, or
  /// much of it, belongs. If it `may_follow_others`: all except what came before that loop.
  bool closes_an_iteration(std::uint32_t line, bool may_follow_others) const;

  CutLimits limits_;
  protocol::ArrayId last_id_ = first_id();
  const std::uint64_t holder_ = (last_id_ >> 32) + 1;  // 0 is nobody
  protocol::Batch pending_;
  std::size_t payload_bytes_ = 0;
  std::int64_t work_ = 0;  // of the pending commands, roughly
  TouchedArrays touched_;  // by the pending commands
  protocol::ArrayId first_of_batch_ =
      0;  // arrays with this number or a higher one are made by the pending commands
  std::vector<SourceLine> lines_;
  std::vector<std::uint32_t> listeners_;  // by command
  std::vector<std::uint64_t> calls_;      // by command
  // By origin. Commands of one line alternate between its two origins, the second of which has no span of its
  // own.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Span {
    std::size_t first, last;  // command of the line in this batch
    std::uint32_t twin = none;
  };
  std::vector<Span> spans_;
  std::unordered_map<SourceLine, std::uint32_t, SourceLineHash> line_index_;
  SourceLine cut_line_;  // where the last automatic cut fell, kept from batch to batch
  bool cuts_every_iteration_ = false;
  SourceLine iteration_line_;  // of the first command since cut_every_iteration
  bool has_cut_line_ = false;  // cut_line_ occurs in this batch, so waiting for it makes sense
  FreeList frees_;
  bool holds_frees_ = false;
  std::function<bool(protocol::ArrayId)> is_needed_;
  std::unordered_map<protocol::ArrayId, FailurePtr> poisoned_;
  std::unordered_set<protocol::ArrayId> inherited_;
  std::uint64_t recorded_commands_ = 0;
};

}  // namespace gamelan::kernel
