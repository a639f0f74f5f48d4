// SPDX-License-Identifier: BSD-3-Clause
// Calls of the user's that end between two of their commands, by an interrupt in Python or one that stops the
// engines. Commands that were not sent are undone. Of those that were sent and have run, the arrays are
// marked: reading them raises an error (docs/decisions/018).
#pragma once
#include "kernel/recorder/sent_batch.hpp"
// (Python.h first)
#include "kernel/recorder/recorder.hpp"

namespace gamelan::kernel {

class OpenCalls {
 public:
  explicit OpenCalls(Recorder& recorder) : recorder_(recorder) {}

  /// To be called before a command of this call is recorded. 0: it belongs to no call.
  void begin(std::uint64_t call);
  /// To be called when a batch is sent whose commands belong to these calls.
  void note_sent(const std::vector<std::uint64_t>& calls, SentBatch& sent);
  /// To be called when a call has returned, or an interrupt has ended it. Then its commands that were not
  /// sent are undone, and arrays that the others have written raise `interrupted`.
  void end(std::uint64_t call, bool is_interrupted);
  /// An interrupt has ended the call in which this thread is: its pending commands are undone.
  void undo_current();
  /// Pending commands of calls that are not over will not run, even if another thread goes on with these
  /// calls.
  void abandon(const FailurePtr& cause);
  /// Notes that a batch has run up to the command `first_lost`. Where only a part of a call has run, the
  /// arrays that it has written are half made. `cause`: why the rest did not run; nullptr when all ran.
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
  std::vector<OpenCall> calls_;  // at most one for each thread, besides those that have ended
};

}  // namespace gamelan::kernel
