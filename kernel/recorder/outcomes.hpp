// SPDX-License-Identifier: BSD-3-Clause
// The outcomes of the batches that were sent: which arrays were not computed and why, and which errors the
// user has not been told yet. The next wait raises an error of an earlier batch.
#pragma once
#include "kernel/recorder/open_calls.hpp"
// (Python.h first)
#include <deque>

#include "kernel/recorder/garbage.hpp"
#include "kernel/recorder/work_ahead.hpp"

namespace gamelan::kernel {

class Outcomes {
 public:
  Outcomes(Recorder& recorder, OpenCalls& calls, Garbage& garbage)
      : recorder_(recorder), calls_(calls), garbage_(garbage) {}

  /// A batch was sent.
  void note_sent(const SentBatch& sent) { work_ahead_.sent(sent.seq, sent.written.size()); }
  /// The engines are gone: no reply will come.
  void note_loss() { work_ahead_.lost(); }
  /// A reply has come: from now on arrays that the batch did not compute raise the cause. `later`: the
  /// batches that were sent after it.
  void book(SentBatch& sent, const protocol::Reply& reply, const std::deque<SentBatch>& later);
  /// Keeps this failure to be raised, unless there is an earlier one.
  void defer(const FailurePtr& failure) {
    if (deferred_ == nullptr) deferred_ = failure;
  }
  bool has_untold() const { return deferred_ != nullptr || !float_errors_.empty(); }
  /// Reports what finished batches have met: first floating-point errors, because their lines came first;
  /// then raises the kept failure.
  void tell();
  /// After an interrupt, which the user knows of: drops everything that has not been reported. Lost arrays
  /// still raise their cause.
  void drop_untold();
  const WorkAhead& work_ahead() const { return work_ahead_; }

 private:
  void tell_float_errors();

  Recorder& recorder_;
  OpenCalls& calls_;
  Garbage& garbage_;
  WorkAhead work_ahead_;
  FailurePtr deferred_;
  std::deque<std::pair<FloatListeners, std::vector<protocol::FloatErrors>>> float_errors_;
};

}  // namespace gamelan::kernel
