// SPDX-License-Identifier: BSD-3-Clause
// One session with one set of engines: a Recorder, the Client that carries its batches, and what is
// outstanding. Cuts batches, waits (GIL released, signals heard, engines' end noticed), turns failed replies
// into Python exceptions and poisons what was never computed. All functions need the GIL; Python errors leave
// as PythonError.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "kernel/connection/client.hpp"
#include "kernel/connection/route.hpp"
#include "kernel/recorder/float_errors.hpp"
#include "kernel/recorder/garbage.hpp"
#include "kernel/recorder/recorder.hpp"
#include "kernel/recorder/source_line.hpp"
#include "kernel/recorder/work_ahead.hpp"

namespace gamelan::kernel {

/// Why an array was not computed that an interrupt has cut off.
FailurePtr interrupted(const protocol::Origin& origin);

class Session : public std::enable_shared_from_this<Session> {
 public:
  /// `executor`: a Python callable that plays the engines in this process (the reference model of the tests);
  /// then `connection` is not used. `routes` and `directory` as for Wire.
  Session(const protocol::Connection& connection, std::vector<Route> routes, std::string directory,
          PyObject* executor);
  ~Session();
  /// Hello and its answer; raises VersionError, EngineTimeoutError, EngineLostError.
  void greet(double timeout_s);

  /// The session that new arrays belong to; asks gamelan._session to start or find engines when there is
  /// none.
  static std::shared_ptr<Session> current();
  static std::shared_ptr<Session> current_or_null();
  static void set_current(std::shared_ptr<Session> session);
  bool is_current() const;
  /// Raises EngineLostError when the engines that held these arrays are gone.
  void require_current();
  /// The client may have found while nobody waited that the engines are gone: then they count as lost from
  /// here on, with the launcher's cause. May raise what the wait hook raises.
  void hear_of_end() {
    if (client_ != nullptr && client_->is_lost() && !is_lost_) lose_with_cause(*client_->lost_cause());
  }
  /// As hear_of_end() would find, without asking for the cause.
  bool has_ended() const { return is_lost_ || (client_ != nullptr && client_->is_lost()); }
  /// Why the engines are gone, when no exception has said it yet; nothing the second time.
  std::optional<std::string> take_untold_loss();

  protocol::ArrayId new_id() { return recorder_.new_id(); }
  void free(protocol::ArrayId id) noexcept { recorder_.free(id); }
  /// Raises MemoryError when no arrangement of the engines' memory could hold `bytes`; `proxy` says what was
  /// wanted.
  void check_fits(std::int64_t bytes, PyObject* proxy) const;

  /// Adds one command, recorded at the user's current line; may send the batch before it (never waits for
  /// results unless two batches are outstanding). `target` is what the command writes.
  void record(const Array* target, protocol::Command command);
  void record(const Array* target, protocol::Command command, protocol::Bytes payload);

  /// Sends what is pending; with `wait` also waits for everything sent and raises the first error of it. When
  /// the engines were lost meanwhile, raises that once, if there was anything to send or to wait for.
  void flush(bool wait);
  /// Flushes and returns the elements of the views, in C order.
  std::vector<protocol::Bytes> fetch(std::vector<protocol::View> views);
  /// The engines' plan for what is pending, and how the bases of `views` lie after it, as JSON; computes
  /// nothing and forgets nothing.
  std::string explain(std::vector<protocol::View> views);
  /// Raises the cause when the array was never computed.
  void require_sound(protocol::ArrayId id) const;

  /// After an interrupt. What was recorded before it is given a moment to finish, as it would have by then
  /// had nothing run ahead: then every array is what the program had made of it. Else all of it is cancelled.
  /// Keeps the Python error.
  void stop_soon();
  /// That moment: half a second, but for tests.
  static void set_grace(std::chrono::milliseconds limit);
  /// A call of the user's has returned; or an interrupt has ended it. Then what it has recorded is undone,
  /// and what left before cannot be: arrays that it has written raise CancelledError.
  void end_call(std::uint64_t call, bool is_interrupted);
  /// True when a flush has something to do or to tell: not for batches that were cancelled.
  bool has_unfinished() const;

  std::string status(double timeout_s);  ///< JSON
  std::string last_status() const { return client_ == nullptr ? "{}" : client_->last_status(); }
  std::string route() const { return client_ == nullptr ? "" : client_->route(); }
  std::uint64_t connections() const { return client_ == nullptr ? 0 : client_->connections(); }
  std::string configure(std::vector<std::pair<std::string, std::string>> options);
  void cancel();    ///< whatever runs; safe on any thread
  void shutdown();  ///< asks the engines to leave; does not wait
  /// Declares the engines gone. Arrays of this session raise `cause` from now on.
  void lose(const std::string& cause);

  Recorder& recorder() { return recorder_; }
  Garbage& garbage() { return garbage_; }
  const std::string& info() const { return info_; }
  int ranks() const { return ranks_; }
  std::uint64_t batches() const { return batches_; }
  std::uint64_t fetched_bytes() const { return fetched_bytes_; }
  std::size_t outstanding() const { return outstanding_.size(); }
  const WorkAhead& work_ahead() const { return work_ahead_; }
  double waited_seconds() const { return waited_seconds_; }
  /// The pending batch as the engines would receive it, for inspection (encoded and decoded again).
  protocol::Batch preview();

 private:
  /// A call of the user's whose commands left in more than one batch, or may yet. Whatever ends between them
  /// leaves arrays half made.
  struct Spread {
    std::unordered_set<protocol::ArrayId> written;  // by commands that have run
    bool is_broken = false;
  };
  using SpreadPtr = std::shared_ptr<Spread>;
  struct OpenCall {
    std::uint64_t number = 0;
    SpreadPtr spread;        // once a part of it has left
    bool has_ended = false;  // but its last part is pending
  };
  struct Written {
    protocol::ArrayId id;
    std::uint64_t call;
    std::uint32_t origin;
    bool is_created;
  };
  struct Sent {
    std::uint64_t seq = 0;
    std::vector<Written> written;  // by command
    std::vector<protocol::Origin> origins;
    std::vector<std::pair<std::uint64_t, SpreadPtr>> spreads;
    std::vector<protocol::ArrayId> freed;
    FloatListeners listeners;
    bool is_abandoned = false;  // interrupted: its reply is awaited only to learn where it was cut
    std::shared_ptr<protocol::Reply> played;  // by an executor in this process
  };

  void require_usable() const;
  void keep(CurrentLine current);
  /// What a recorded command makes of its target, as the notebook sees it.
  static void note_write(const Array* target, protocol::Dtype dtype);
  void before_record(const SourceLine& line, std::uint64_t call);
  void make_room();
  protocol::Batch cut(const SourceLine* next, Sent& sent);
  /// Sends what is pending with these fetches, as far as they are sound; the result is not yet among the
  /// outstanding.
  Sent send_pending(const SourceLine* next, std::vector<protocol::View> fetches);
  /// Raises whatever the wait hook or a signal raises (the reply stays wanted), EngineLostError when none can
  /// come.
  protocol::Reply wait_for(std::uint64_t seq);
  /// The same for a request that changes no array: after an interrupt its reply is not wanted.
  protocol::Reply wait_for_answer(std::uint64_t seq);
  protocol::Reply play(const protocol::Batch& batch);
  /// All that is outstanding is cancelled (what the engines still did of it is learnt from its replies), and
  /// by the order of the program what is pending too.
  void abandon_all();
  /// What became of a batch: arrays that it did not compute raise the cause from now on.
  void book(Sent& sent, const protocol::Reply& reply);
  /// The same of calls of which it ran a part: what they have written is half made.
  void book_calls(const Sent& sent, std::size_t first_lost, const protocol::Reply& reply,
                  const FailurePtr& cause);
  /// What is pending of calls that are not over will not run, though another thread may go on with them.
  void abandon_calls(const FailurePtr& cause);
  void undo_current_call(const FailurePtr& cause);
  bool is_pending(std::uint64_t call) const;
  /// The line that records a call, as far as it is pending.
  protocol::Origin origin_of(std::uint64_t call) const;
  /// Why the array is lost that this command of an interrupted batch was to make.
  static FailurePtr interrupted_at(const Sent& sent, std::size_t command);
  void break_apart(Spread& spread, const FailurePtr& cause);
  /// Lets what is recorded and sent come to its end; false when that took longer than `limit`.
  bool finish_within(std::chrono::milliseconds limit);
  /// Waits for one batch and books its outcome; after an interrupt see `stop_soon`.
  protocol::Reply settle(Sent sent);
  void settle_oldest();
  void settle_all();
  /// What the batches that are done have met: floating-point errors first, as their lines came first.
  void raise_deferred();
  void tell_float_errors();
  /// Sends a request; the engines count as lost, and the cause is raised, when the client has found that they
  /// are gone.
  std::uint64_t send(protocol::Request request);
  /// `found` is what the client says; the launcher may know more.
  void lose_with_cause(const std::string& found);
  [[noreturn]] void fail(const std::string& cause);

  Recorder recorder_;
  Garbage garbage_;
  std::shared_ptr<Client> client_;  // empty once disconnected, and with an executor
  Ref executor_;
  std::deque<Sent> outstanding_;
  WorkAhead work_ahead_;
  std::vector<OpenCall> open_calls_;  // one for each thread at most, but for those that have ended
  std::unordered_map<const void*, Ref> kept_codes_;  // code objects named by the pending lines
  FloatListeners listeners_;                         // of what is pending
  std::deque<std::pair<FloatListeners, std::vector<protocol::FloatErrors>>> float_errors_;  // not told yet
  FailurePtr deferred_;  // error of a batch that ran ahead, raised at the next flush
  std::string info_ = "{}";
  std::int64_t heap_bytes_ = 0;  // of all engines together; 0 = not told
  int ranks_ = 0;
  std::string lost_cause_;
  bool is_lost_ = false;
  bool was_at_work_ = false;  // when they were lost: somebody may wait for what they had to do
  bool is_told_ = false;      // an exception has said the cause
  std::uint64_t batches_ = 0, fetched_bytes_ = 0;
  double waited_seconds_ = 0;
  std::chrono::steady_clock::time_point last_hook_ = std::chrono::steady_clock::now();
};

}  // namespace gamelan::kernel
