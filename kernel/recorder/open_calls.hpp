// SPDX-License-Identifier: BSD-3-Clause
// Calls of the user's that end between two of their commands: an interrupt in Python, or one that stops the
// engines. What has not left is undone. What has left and run is half of a call, and its arrays say so when
// they are read (docs/decisions/018).
#pragma once
#include "kernel/recorder/sent_batch.hpp"
// (Python.h first)
#include "kernel/recorder/recorder.hpp"

namespace gamelan::kernel {

class OpenCalls {
 public:
  explicit OpenCalls(Recorder& recorder) : recorder_(recorder) {}

  /// A command of this call is about to be recorded; 0 is no call.
  void begin(std::uint64_t call);
  /// A batch is leaving whose commands belong to these calls.
  void note_sent(const std::vector<std::uint64_t>& calls, SentBatch& sent);
  /// A call has returned; or an interrupt has ended it. Then what it has recorded is undone, and what left
  /// before cannot be: arrays that it has written raise `interrupted`.
  void end(std::uint64_t call, bool is_interrupted);
  /// An interrupt has ended the call that this thread is in: what is pending of it has not happened.
  void undo_current();
  /// What is pending of calls that are not over will not run, though another thread may go on with them.
  void abandon(const FailurePtr& cause);
  /// A batch has run up to the command `first_lost`: what a call has written of which only a part ran is half
  /// made. `cause`: why the rest did not run; null when all ran.
  void book(const SentBatch& sent, std::size_t first_lost, const protocol::Reply& reply,
            const FailurePtr& cause);

 private:
  struct OpenCall {
    std::uint64_t number = 0;
    SplitCallPtr split;      // once a part of it has left
    bool has_ended = false;  // but its last part is pending
  };
  bool is_pending(std::uint64_t call) const;
  /// The line that records a call, as far as it is pending.
  protocol::Origin origin_of(std::uint64_t call) const;
  void break_apart(SplitCall& split, const FailurePtr& cause);

  Recorder& recorder_;
  std::vector<OpenCall> calls_;  // one for each thread at most, but for those that have ended
};

}  // namespace gamelan::kernel
