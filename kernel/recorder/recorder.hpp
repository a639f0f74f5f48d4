// SPDX-License-Identifier: BSD-3-Clause
// What the notebook asked for and has not sent yet: commands in program order, ids nobody names any more, and
// where to cut. Knows neither Python nor sockets: a line of the program is two opaque numbers that the caller
// resolves when it cuts. Callers hold Python's GIL, which serves as the one mutex: cutting and sending happen
// without releasing it.
#pragma once
#include <atomic>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/recorder/failure.hpp"
#include "kernel/recorder/source_line.hpp"
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// Sizes at which a batch is sent without being asked for. Between soft and hard the cut waits for the end
/// of a loop's iteration, of the outermost loop that ends one: a cut inside an iteration stores what the rest
/// of it still needs. A call of the user's is cut at twice the hard limits only, because an interrupt between
/// its halves would cost the arrays that it writes.
struct CutLimits {
  std::size_t soft_commands = 2'000;
  std::size_t hard_commands = 4'000;
  std::size_t payload_bytes = std::size_t{64} << 20;
  std::int64_t work =
      std::int64_t{1}
      << 62;  ///< operations on an element, four for a pass over memory; as soft as soft_commands
};

/// Ids whose array died. `push` may run on any thread and in any destructor; it takes no lock.
class FreeList {
 public:
  ~FreeList();
  void push(protocol::ArrayId id) noexcept;
  bool is_empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }
  /// Takes all, oldest first.
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
  /// True when the batch should be cut before a command of this line, and of this call, is added.
  bool wants_cut_before(const SourceLine& line, std::uint64_t call = 0) const;
  /// Appends; returns true when the batch has got a new origin (the caller then keeps the line alive until
  /// the cut). `listener`: who hears of the command's floating-point errors, a number of the caller's; 0
  /// nobody. `call`: of the user's (user_call.hpp), 0 when the command is all of it. Neighbours of one call
  /// have one origin, others never.
  bool add(protocol::Command command, const SourceLine& line, std::uint32_t listener = 0,
           std::uint64_t call = 0);
  bool add(protocol::Command command, const SourceLine& line, std::uint32_t listener, std::uint64_t call,
           protocol::Bytes payload);
  void free(protocol::ArrayId id) noexcept { frees_.push(id); }

  bool has_frees() const { return !frees_.is_empty(); }
  /// What the next cut will free, left where it is.
  std::vector<protocol::ArrayId> peek_frees();

  bool is_empty() const { return pending_.commands.empty(); }
  const protocol::Batch& pending() const { return pending_; }
  const std::vector<std::uint64_t>& pending_calls() const { return calls_; }
  /// Lines in the order of `Command::origin`; their text is filled in by the caller of `cut`.
  const std::vector<SourceLine>& lines() const { return lines_; }
  /// While somebody times a statement, every iteration is a batch of its own: it is cut where the first
  /// command comes again.
  void cut_every_iteration(bool is_on) {
    cuts_every_iteration_ = is_on;
    iteration_line_ = {};
  }
  /// Takes everything pending, frees included, and starts the next batch. Commands that read a poisoned array
  /// are left out, their results poisoned in turn; `blocked` then names the cause of the first in-place write
  /// that was left out.
  struct Cut {
    protocol::Batch batch;
    std::vector<SourceLine> lines;
    std::vector<std::uint32_t> listeners;  ///< by command
    std::vector<std::uint64_t> calls;      ///< by command
    FailurePtr blocked;
  };
  /// `next`: the line of the command that comes next, when the cut is automatic.
  Cut cut(const SourceLine* next = nullptr);

  /// An array that was never computed raises `cause` when it is read. Forgotten when the array dies.
  void poison(protocol::ArrayId id, FailurePtr cause) { poisoned_[id] = std::move(cause); }
  /// These arrays have died: nobody will ask for their cause.
  void forget_poison(const std::vector<protocol::ArrayId>& ids);
  /// Forgets what is pending: an interrupt fell before it. Arrays it would have created raise the cause of
  /// their line; others stay as they are. `causes`: by line.
  void abandon(const std::vector<FailurePtr>& causes);
  /// The same of one call only: what it has recorded has not happened.
  void undo(std::uint64_t call, const FailurePtr& cause);
  /// The cause, or nullptr for a sound array.
  FailurePtr poison_of(protocol::ArrayId id) const;

  std::uint64_t recorded_commands() const { return recorded_commands_; }
  CutLimits limits() const { return limits_; }
  void set_limits(CutLimits limits) { limits_ = limits; }

 private:
  /// A range of ids of its own, so that a client never meets the arrays of another one on the same engines.
  static protocol::ArrayId first_id();
  /// What is pending, without frees; nothing is afterwards.
  Cut take();
  void drop_poisoned(Cut& result);
  /// The origin for a command of this line, and whether it is new.
  std::pair<std::uint32_t, bool> origin_for(const SourceLine& line, bool goes_on);
  /// Whether a command of `line` would begin the next iteration of a loop that all of this batch belongs to,
  /// or much of it; or all but what came before that loop, if it `may_follow_others`.
  bool closes_an_iteration(std::uint32_t line, bool may_follow_others) const;

  CutLimits limits_;
  protocol::ArrayId last_id_ = first_id();
  protocol::Batch pending_;
  std::size_t payload_bytes_ = 0;
  std::int64_t work_ = 0;  // of the pending commands, roughly
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
  std::unordered_map<protocol::ArrayId, FailurePtr> poisoned_;
  std::uint64_t recorded_commands_ = 0;
};

}  // namespace gamelan::kernel
