// SPDX-License-Identifier: BSD-3-Clause
// One session with one set of engines: what is recorded, what was sent, and what the user is told of it.
// Decides when a batch is sent and when the session waits; its parts do the work. All functions need the GIL.
// Python errors are thrown as PythonError.
#pragma once
#include "kernel/recorder/sender.hpp"
// (Python.h first)
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernel/connection/route.hpp"
#include "protocol/connection.hpp"

namespace gamelan::kernel {

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
  bool is_current() const { return is_current_ && !engines_.is_lost(); }
  /// Raises EngineLostError when the engines that held this session's arrays are gone.
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
  /// Flushes and returns the elements of the views, in C order.
  std::vector<protocol::Bytes> fetch(std::vector<protocol::View> views);
  /// The engines' plan for what is pending, and the layouts of the bases of `views` after it, as JSON.
  /// Computes nothing; what is pending stays pending.
  std::string explain(std::vector<protocol::View> views);
  /// Sets named options on every engine. Returns the options of the engines after that, as JSON.
  std::string configure(std::vector<std::pair<std::string, std::string>> options);
  /// Raises the cause when the array was never computed.
  void require_sound(protocol::ArrayId id) const;

  /// To be called after an interrupt. What was recorded gets half a second (set_grace) to finish; in NumPy it
  /// would be finished already. If it finishes, every array is what the program had made of it. Otherwise all
  /// of it is cancelled. Keeps the Python error.
  void stop_soon();
  /// Sets that time, for tests.
  static void set_grace(std::chrono::milliseconds limit);
  /// To be called when a call of the user's has returned, or an interrupt has ended it (OpenCalls::end).
  void end_call(std::uint64_t call, bool is_interrupted) { calls_.end(call, is_interrupted); }
  /// True when a flush has something to do or to report; not because of batches that were cancelled.
  bool has_unfinished() const;

  /// True when no batch is on its way and what is pending is at most that much work (Recorder::pending_work).
  bool is_quiet(std::int64_t most_work) const {
    return outstanding_.empty() && recorder_.pending_work() <= most_work;
  }

  Engines& engines() { return engines_; }
  Recorder& recorder() { return recorder_; }
  Garbage& garbage() { return garbage_; }
  const WorkAhead& work_ahead() const { return outcomes_.work_ahead(); }
  protocol::Batch preview() { return sender_.preview(); }
  std::uint64_t batches() const { return sender_.batches(); }
  std::uint64_t fetched_bytes() const { return fetched_bytes_; }

 private:
  void before_record(const SourceLine& line, std::uint64_t call);
  bool has_work() const;
  void make_room();
  /// Waits for one batch and books its outcome. After an interrupt see `stop_soon`.
  protocol::Reply settle(SentBatch sent);
  void settle_oldest();
  void settle_all();
  /// Waits until what is recorded and sent has run; false when that takes longer than `limit`.
  bool finish_within(std::chrono::milliseconds limit);
  /// Cancels everything that was sent, and drops what is pending, which comes later in the program. The
  /// replies say what the engines still did.
  void abandon_all();

  Recorder recorder_;
  Garbage garbage_;
  OpenCalls calls_{recorder_};
  Outcomes outcomes_{recorder_, calls_, garbage_};
  std::deque<SentBatch> outstanding_;
  std::uint64_t fetched_bytes_ = 0;
  bool is_current_ = false;
  Sender sender_;
  Engines engines_;  // last member, because its client may call the others
};

}  // namespace gamelan::kernel
