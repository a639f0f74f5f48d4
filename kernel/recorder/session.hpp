// SPDX-License-Identifier: BSD-3-Clause
// One session with one set of engines: what is recorded, what was sent, and what the user is told of it.
// Decides when a batch is sent and when the session waits; its parts do the work. All functions need the GIL.
// Python errors are thrown as PythonError.
#pragma once
#include "kernel/recorder/sender.hpp"
// (Python.h first)
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/connection/route.hpp"
#include "kernel/recorder/pending/foresight.hpp"
#include "kernel/recorder/pending/near_elements.hpp"
#include "kernel/recorder/pending/short_lived.hpp"
#include "kernel/recorder/pending/unstored.hpp"
#include "protocol/connection.hpp"

namespace gamelan::kernel {

/// What engines tell `holder` of arrays of its log: when another client has written into them last.
CommandLog::Told told_of_others(const std::string& info, std::uint64_t holder);

class Session {
 public:
  /// `executor`: a Python callable that stands for the engines in this process (EngineModel); then
  /// `connection` is not used. `routes` and `directory` as for Channel.
  Session(const protocol::Connection& connection, std::vector<Route> routes, std::string directory,
          PyObject* executor);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Exchanges the greeting, which says how much memory the engines have. Raises what Engines::greet raises.
  void greet(double timeout_s);

  /// Notes whether new arrays belong to this session; current_session.cpp decides that.
  void set_is_current(bool is_current) { is_current_ = is_current; }
  bool is_current() const { return is_current_ && (!engines_.is_lost() || can_recover()); }
  /// Raises EngineLostError when the engines that held this session's arrays are gone, and others cannot
  /// compute these arrays again (session_recovery.cpp).
  void require_current();
  /// Raises RuntimeError in a child made by fork.
  static void require_own_process();

  protocol::ArrayId new_id() { return recorder_.new_id(); }
  void free(protocol::ArrayId id) noexcept { recorder_.free(id); }

  /// Adds one command, recorded at the user's current line. May send the batch before it. Does not wait for
  /// results, unless two batches are outstanding.
  void record(protocol::Command command);
  void record(protocol::Command command, protocol::Bytes payload);

  /// Sends what is pending. With `wait` also waits for everything that was sent, and raises the first error
  /// of it. When the engines were lost meanwhile, raises that once, if there was anything to send or to wait
  /// for.
  void flush(bool wait);
  /// Returns the elements of the views, in C order. Flushes, unless these are a few elements of pending
  /// arrays that nobody has looked at yet (partial_look.hpp).
  std::vector<protocol::Bytes> fetch(std::vector<protocol::View> views);
  /// The engines' plan for what is pending, and the layouts of the bases of `views` after it, as JSON.
  /// Computes nothing; what is pending stays pending.
  std::string explain(std::vector<protocol::View> views);
  /// Named options: those that travel with batches count from now on for what this session records; the
  /// others are told to all engines. Returns what the engines answer, as JSON.
  std::string configure(protocol::NamedOptions options);
  /// Asks about who holds arrays, or changes it, after all that is recorded. Returns what the engines answer,
  /// as JSON. Raises what they refuse, and what flush raises.
  std::string hold(protocol::Holding wanted);
  /// Who this client is, for people; said to engines behind the greeting.
  void introduce(std::string who) { who_ = std::move(who); }
  /// For how long it waits for silent engines has changed.
  void tell_patience();
  /// The engines may free the arrays of this session; to be called before they are disconnected.
  void leave();
  /// Raises the cause when the array was never computed.
  void require_sound(protocol::ArrayId id) const;

  /// True when the engines are lost, and the session's arrays can be computed again on others.
  bool can_recover() const;
  /// True when engines that follow these compute the arrays again; these may live.
  bool keeps_arrays() const {
    return engines_.is_lost() ? can_recover() : engines_.has_client() && CommandLog::is_on();
  }
  /// In a child made by fork: from now on commands are recorded and never sent; what needs a value raises
  /// this exception (session_dry.cpp).
  static void begin_dry(PyObject* exception);
  static bool is_dry();
  struct DryPlan {
    protocol::Batch batch;
    struct Work {
      double moments;  ///< of a tenth of a second, on one rank
      bool is_single;  ///< it never joins the pass of others
    };
    std::vector<Work> work;  ///< by command
  };
  /// What was recorded since begin_dry.
  DryPlan dry_plan();
  /// Has the engines plan such a batch; computes nothing.
  protocol::Reply ask_dry(protocol::Batch batch);
  /// Nothing is repeated any more: the user has ended the engines, and so the arrays.
  void give_up();
  /// True while this session looks for other engines.
  bool is_recovering() const { return is_recovering_; }
  /// While it is alone, other threads wait before they use the engines, and nothing is freed.
  void be_alone(bool is_alone);
  bool is_my_turn() const;  ///< this thread is alone
  /// The engines are to be ended; others will be adopted. Nobody looks for others until then, or until
  /// end_part().
  void part(const std::string& cause);
  void end_part();
  /// Takes these engines in place of those that are lost. Unless the session is looking for them already,
  /// repeats at once what had run. Raises what greet raises, and what repeating raises.
  void adopt(const protocol::Connection& connection, std::vector<Route> routes, std::string directory,
             double timeout_s);
  CommandLog& log() { return log_; }
  /// Repeats the commands of another process's log, as far as they make arrays that are wanted, and goes on
  /// with these in its own log. Returns their ids here, by those there, or why they cannot be made. Raises
  /// what waiting raises.
  using TakenOver = std::unordered_map<protocol::ArrayId, std::variant<protocol::ArrayId, std::string>>;
  TakenOver take_over(CommandLog log, const std::unordered_set<protocol::ArrayId>& wanted);
  /// What a kernel before this one had on these engines becomes this session's (session_inheriting.cpp):
  /// those of the `wanted` arrays that are as they were at its mark; the others are computed again by its
  /// log.
  struct Earlier {
    std::uint64_t holder, mark;
    bool has_ended = false;  ///< is its process known to be gone?
  };
  struct Inherited {
    TakenOver arrays;                               ///< ids here, or why they cannot be made
    std::unordered_set<protocol::ArrayId> shared;   ///< that other clients may write
    std::unordered_set<protocol::ArrayId> written;  ///< of these, those that were written since the mark
    std::size_t taken = 0;                          ///< how many were not computed again
  };
  /// Waits up to some seconds until it is sure that the other kernel is silent, unless it has ended, or the
  /// one that has inherited from it. Raises Error{timeout} when it is not, and what waiting raises.
  Inherited inherit(Earlier earlier, CommandLog log, const std::unordered_set<protocol::ArrayId>& wanted);
  /// What this client has published, by name.
  const std::map<std::string, protocol::Holding>& published() const { return published_; }
  /// An array of those has a name here. Where the log cannot make it, checkpoints are to have it.
  void note_taken(const protocol::View& whole) { log_.keep_unlogged(whole, sender_.batches()); }
  /// Marks this moment in the log (CommandLog::mark), and on the engines under the same number.
  std::uint64_t mark(std::vector<protocol::ArrayId> wanted) {
    hear_of_others();
    const auto key = log_.mark(std::move(wanted), sender_.batches());
    engines_.mark(recorder_.holder(), key);
    return key;
  }
  /// Makes arrays as they were at a mark, beside those that there are, and goes on with them in the log.
  /// `tell(commands, seconds)` is called before. Returns their new ids, or why they cannot be made. Waits,
  /// and raises what waiting raises; then nothing is left of it.
  TakenOver make_again(std::uint64_t mark, const std::vector<protocol::ArrayId>& wanted,
                       const std::function<void(std::size_t, double)>& tell);
  /// CommandLog::unlogged, without those that died with their engines.
  std::vector<protocol::View> unlogged() const;
  /// A moment at which nothing is on its way.
  struct Moment {
    std::uint64_t batches, log_epoch, engines;
    bool operator==(const Moment&) const = default;
  };
  Moment moment() const { return {sender_.batches(), log_.epoch(), engines_.generation()}; }
  /// These are the engines of `moment`, and the log has only grown since.
  bool goes_on_from(const Moment& moment) const {
    return moment.log_epoch == log_.epoch() && moment.engines == engines_.generation();
  }
  /// The arrays of the log are stored as they were at `moment`: older commands will not be repeated. False,
  /// and nothing is done, where what came later does not go with that.
  bool begin_log_with(std::vector<CommandLog::Stored> arrays, const Moment& moment, double seconds,
                      std::uint64_t storing) {
    if (!goes_on_from(moment)) return false;
    log_.begin_with(std::move(arrays), moment.batches, seconds, storing);
    return true;
  }
  /// Has the engines remove the pieces of such a name from their nodes, and waits at most so long for that.
  /// False where they could not be asked, or have not answered.
  bool remove_pieces(const std::string& name, double wait_s);

  /// To be called when an interrupt has ended a program, outside of a wait. What is recorded is sent and runs
  /// behind it; in NumPy it would be finished already. When the engines still work at what an earlier
  /// interrupt has left, it is cut. Keeps the Python error.
  void end_interrupted();
  /// Books the replies that have come. For a thread that does not run the program, while no cell runs:
  /// waits for nothing, gives the GIL to nobody while a batch is taken out, and raises nothing.
  void hear_replies();
  /// To be called when a call of the user's has returned, or an interrupt has ended it (OpenCalls::end).
  void end_call(std::uint64_t call, bool is_interrupted) { calls_.end(call, is_interrupted); }
  /// True when a flush has something to do or to report; not because of batches that were cut.
  bool has_unfinished() const;

  /// True when no batch is on its way and what is pending is at most that much work (Recorder::pending_work).
  bool is_quiet(std::int64_t most_work) const {
    return outstanding_.empty() && recorder_.pending_work() <= most_work;
  }

  /// True when nothing is pending, on its way, or untold, in any thread.
  bool is_idle() const { return !engines_.is_lost() && !is_alone_ && in_settlement_.empty() && !has_work(); }
  /// True when the engines of this machine would answer at once: nobody's work is known to be before.
  bool is_at_hand() const;
  /// Asks for a checkpoint where one is due, in the middle of the user's program. Raises what the hook
  /// raises.
  void store_if_due();
  /// Returns when no other thread waits for a batch any more. To be called when this one is alone.
  void wait_for_others();

  Engines& engines() { return engines_; }
  Recorder& recorder() { return recorder_; }
  Garbage& garbage() { return garbage_; }
  const WorkAhead& work_ahead() const { return outcomes_.work_ahead(); }
  protocol::Batch preview() { return sender_.preview(); }
  std::uint64_t batches() const { return sender_.batches(); }
  std::uint64_t fetched_bytes() const { return fetched_bytes_; }
  std::size_t unstored_arrays();  ///< that have a name

 private:
  void before_record(const protocol::Command& command, const SourceLine& line, std::uint64_t call);
  /// Raises the failure that came before this command in the program.
  void require_no_failure(const protocol::Command& command) const;
  /// True when the line begins another statement than that of the last pending command.
  bool begins_statement(const SourceLine& line) const;
  bool has_work() const;
  void make_room();
  /// Cuts and sends; raises EngineLostError when there is nobody to send it to, and never will be.
  SentBatch send(const SourceLine* next, std::vector<protocol::View> fetches,
                 std::optional<protocol::Batch> rider = std::nullopt);
  /// The same at a look: what is expected to die unread is not stored (session_unstored.cpp).
  SentBatch send_for_look(const std::vector<protocol::View>& fetches,
                          std::optional<protocol::Batch> rider = std::nullopt);
  /// Has such an array stored before what is pending, and waits for that. False, and it does not wait, where
  /// it is none. Raises what has failed.
  bool restore(protocol::ArrayId id);
  bool restore_all(const std::vector<protocol::View>& views);
  /// The same for what a command needs that is about to be recorded.
  bool restore_for(const protocol::Command& command);
  /// Those that keep a dead array from being freed are stored.
  void let_go();
  /// All are stored. What fails is told later.
  void store_all();
  void store(protocol::ArrayId id);
  void record(Recipe recipe);
  /// Forgets those that have died. Returns what has died.
  std::unordered_set<protocol::ArrayId> drop_dead_recipes();
  void note_unstored(const SentBatch& sent, const protocol::Reply& reply);
  /// Calls `send_others` while the pending commands from this place on are set aside, and adds them again.
  void set_aside(std::size_t place, const std::function<void()>& send_others);
  /// All that is recorded is to be computed and stored, because it is timed.
  bool keeps_unread() const;
  /// The elements, where they are a few of pending arrays. Nothing: all that is pending is to be sent.
  std::optional<std::vector<protocol::Bytes>> look(const std::vector<protocol::View>& views);
  std::optional<std::vector<protocol::Bytes>> look_at_part(const std::vector<protocol::View>& views,
                                                           PartialLook part);
  /// Where the first turn of a loop begins among the pending commands. Nothing where what is before it cannot
  /// be sent alone.
  std::optional<std::size_t> place_of_turn() const;
  /// Sends what is before this place, and behind it, in the same request, the first turns of the loop.
  std::optional<std::vector<protocol::Bytes>> look_behind(std::size_t place, const Foresight::Rules& rules);
  /// What the rider has met is no error of the batch.
  void settle_rider(SentBatch& sent, protocol::Reply& reply);
  void note_change();
  /// A turn of a loop, with those that follow.
  std::optional<std::vector<protocol::Bytes>> look_ahead(const std::vector<protocol::View>& views,
                                                         Foresight::Ahead turns);
  /// Books all that was sent. False when the commands that are pending may be others now.
  bool settle_before_look();
  /// The answer of the engines. Nothing when they are lost, or have failed.
  std::optional<protocol::Reply> ask(PartialLook look);
  Foresight::Rules foresight_rules();
  /// True when nobody but this session's program writes the array, and it is stored or pending.
  bool may_read(protocol::ArrayId id) const;
  std::optional<PartialLook> part_of(const std::vector<protocol::View>& views);
  /// Waits for one batch and books its outcome. After an interrupt see `note_interrupt`.
  protocol::Reply settle(SentBatch sent);
  void book(SentBatch& sent, const protocol::Reply& reply);
  void note_in_log(SentBatch& sent, protocol::Reply& reply);
  /// What the last heartbeat says of other clients' writes, for the log.
  void hear_of_others();
  /// The same, of this moment, from the engines. Raises what waiting raises.
  void ask_of_others();
  /// Takes the answer out of the reply, and notes in what was sent the sum of what was read.
  void note_sum_of(SentBatch& sent, protocol::Reply& reply);
  /// When the engines are lost: finds others that compute the arrays again, or raises EngineLostError. While
  /// another thread does that, waits for it.
  void survive();
  void recover();
  void repeat(CommandLog& log);
  /// The same without the commands that have failed, and notes those that fail. False when one has failed
  /// whose batch has given back what later commands of it read: to be called once more.
  bool repeat_without(CommandLog::Failed& failed, CommandLog& log);
  /// The same for a log of its own. Then what `log` has made is known by these ids; raises as waiting does,
  /// and has it freed.
  void repeat_beside(CommandLog& log);
  [[noreturn]] static void end_dry(const char* why);
  void record_dry(protocol::Command command, protocol::Bytes* payload);
  void publish_again();
  /// Comes back to engines that may have arrays of this session. Returns those that they keep, because others
  /// hold them.
  std::unordered_set<protocol::ArrayId> rejoin();
  /// What makes all the other arrays that live, under the ids that they have.
  CommandLog log_without(const std::unordered_set<protocol::ArrayId>& kept);
  protocol::Reply ask_holding(const protocol::Holding& wanted);
  /// Takes back what was asked for when an interrupt came: nobody knows of it.
  void undo_late();
  std::string ask_to_inherit(Earlier earlier);
  void inherit_kept(CommandLog log, const std::unordered_set<protocol::ArrayId>& wanted,
                    const std::unordered_set<protocol::ArrayId>& kept, Inherited& result);
  void free_there(std::vector<protocol::ArrayId> ids);
  /// What is not as it was written to a checkpoint is lost to the log, and freed there.
  void check_sums(CommandLog& log, std::span<const CommandLog::Expected> expected);
  void send_again();
  /// False, and its reply is an error, where it cannot be sent again.
  bool send_again(SentBatch& sent);
  /// Only its first `count` commands can run: they do, and its reply is this error.
  bool send_beginning(SentBatch& sent, protocol::Batch batch, std::size_t count, const std::string& why);
  static void refuse(SentBatch& sent, protocol::Reply reply, std::size_t command = 0);
  bool is_anothers_turn() const;  ///< another thread is alone
  void wait_a_moment();           ///< without the GIL; an interrupt raises
  void wait_for_my_turn();
  void settle_oldest();
  void settle_all();
  /// To be called when an exception has ended a wait: the first one leaves all as it is, the second cuts.
  void note_interrupt();
  void leave_behind();
  /// Cancels everything that was sent, and drops what is pending, which comes later in the program. The
  /// replies say what the engines still did.
  void cut();
  void tell_cut_of(const SentBatch& sent, const protocol::Reply& reply);
  /// Books the replies that have come, and those that come within `limit`.
  void take_replies(std::chrono::milliseconds limit);
  bool is_behind() const;

  Recorder recorder_;
  Garbage garbage_;
  OpenCalls calls_{recorder_};
  Outcomes outcomes_{recorder_, calls_, garbage_};
  std::deque<SentBatch> outstanding_;
  std::vector<SentBatch*> in_settlement_;  // by threads that wait for them
  CommandLog log_;
  std::map<std::string, std::string> options_;  // that were set, for other engines
  std::string who_;
  std::map<std::string, protocol::Holding> published_;  // by this client, by name
  std::unordered_set<protocol::ArrayId> shared_;        // that others may write, or could once
  struct Late {
    std::uint64_t seq, engines;
    protocol::Holding wanted;
  };
  std::vector<Late> late_;  // asked for when an interrupt came
  struct Granted {
    Earlier earlier;
    std::uint64_t engines;
    std::string told;
  };
  std::optional<Granted> granted_;  // what was inherited when an interrupt had ended the wait for it
  std::chrono::steady_clock::time_point last_reply_at_{};
  bool is_recovering_ = false, is_given_up_ = false, is_parting_ = false, is_alone_ = false;
  unsigned long alone_thread_ = 0;
  int recoveries_in_a_row_ = 0;  // without a reply to a batch of the program's
  std::uint64_t fetched_bytes_ = 0;
  bool is_current_ = false;
  std::vector<protocol::View> looked_at_;  // parts of pending arrays
  Foresight foresight_;
  NearElements near_;
  std::unordered_set<protocol::ArrayId> set_aside_;  // that commands name which are set aside
  ShortLived short_lived_;
  Unstored unstored_;
  std::unordered_map<protocol::ArrayId, std::vector<CurrentLine>> recipe_lines_;  // by unstored array
  bool is_interrupt_noted_ = false;                                               // by the wait that it ended
  std::optional<protocol::Origin> untold_cut_;  // where what was not sent began, until a reply says more
  Sender sender_;
  Engines engines_;  // last member, because its client may call the others
};

}  // namespace gamelan::kernel
