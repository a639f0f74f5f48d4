// SPDX-License-Identifier: BSD-3-Clause
// One session with one set of engines: what is recorded, what is on its way, and what the user is told of it.
// Decides when a batch is sent and when something is waited for; the work is done by its parts. All functions
// need the GIL; Python errors leave as PythonError.
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
  /// `executor`: a Python callable that plays the engines in this process (EngineModel); then `connection` is
  /// not used. `routes` and `directory` as for Channel.
  Session(const protocol::Connection& connection, std::vector<Route> routes, std::string directory,
          PyObject* executor);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// The greeting, which says how much memory the engines have; raises what Engines::greet raises.
  void greet(double timeout_s);

  /// New arrays belong to it, or to another one; current_session.cpp says which.
  void set_is_current(bool is_current) { is_current_ = is_current; }
  bool is_current() const { return is_current_ && !engines_.is_lost(); }
  /// Raises EngineLostError when the engines that held these arrays are gone.
  void require_current();
  /// Raises RuntimeError in a child made by fork.
  static void require_own_process();

  protocol::ArrayId new_id() { return recorder_.new_id(); }
  void free(protocol::ArrayId id) noexcept { recorder_.free(id); }

  /// Adds one command, recorded at the user's current line; may send the batch before it (never waits for
  /// results unless two batches are outstanding).
  void record(protocol::Command command);
  void record(protocol::Command command, protocol::Bytes payload);

  /// Sends what is pending; with `wait` also waits for everything sent and raises the first error of it. When
  /// the engines were lost meanwhile, raises that once, if there was anything to send or to wait for.
  void flush(bool wait);
  /// Flushes and returns the elements of the views, in C order.
  std::vector<protocol::Bytes> fetch(std::vector<protocol::View> views);
  /// The engines' plan for what is pending, and how the bases of `views` lie after it, as JSON; computes
  /// nothing and forgets nothing.
  std::string explain(std::vector<protocol::View> views);
  /// Sets named options on every engine; what is theirs then, as JSON.
  std::string configure(std::vector<std::pair<std::string, std::string>> options);
  /// Raises the cause when the array was never computed.
  void require_sound(protocol::ArrayId id) const;

  /// After an interrupt. What was recorded before it is given a moment to finish, as it would have by then
  /// had nothing run ahead: then every array is what the program had made of it. Else all of it is cancelled.
  /// Keeps the Python error.
  void stop_soon();
  /// That moment: half a second, but for tests.
  static void set_grace(std::chrono::milliseconds limit);
  /// A call of the user's has returned; or an interrupt has ended it (OpenCalls::end).
  void end_call(std::uint64_t call, bool is_interrupted) { calls_.end(call, is_interrupted); }
  /// True when a flush has something to do or to tell: not for batches that were cancelled.
  bool has_unfinished() const;

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
  /// Waits for one batch and books its outcome; after an interrupt see `stop_soon`.
  protocol::Reply settle(SentBatch sent);
  void settle_oldest();
  void settle_all();
  /// Lets what is recorded and sent come to its end; false when that took longer than `limit`.
  bool finish_within(std::chrono::milliseconds limit);
  /// All that is outstanding is cancelled (what the engines still did of it is learnt from its replies), and
  /// by the order of the program what is pending too.
  void abandon_all();

  Recorder recorder_;
  Garbage garbage_;
  OpenCalls calls_{recorder_};
  Outcomes outcomes_{recorder_, calls_, garbage_};
  std::deque<SentBatch> outstanding_;
  std::uint64_t fetched_bytes_ = 0;
  bool is_current_ = false;
  Sender sender_;
  Engines engines_;  // last: its client ends before what it may tell of
};

}  // namespace gamelan::kernel
