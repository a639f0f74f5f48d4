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
  /// The epoch of what is sent now. What was sent behind a failure does not run (Batch::epoch); a new epoch
  /// begins when the failure is known, or when an interrupt has cut what was sent.
  std::uint64_t epoch() const { return epoch_; }
  void begin_epoch() {
    ++epoch_;
    last_failure_ = nullptr;
  }
  /// The failure that ended the epoch before this one; nullptr after an interrupt.
  const FailurePtr& failure_of_last_epoch() const { return last_failure_; }
  bool has_failure() const { return deferred_ != nullptr; }
  /// Raises the kept failure, if any.
  void tell_failure();
  bool has_untold() const { return deferred_ != nullptr || !float_errors_.empty(); }
  /// Reports what finished batches have met: first floating-point errors, because their lines came first;
  /// then raises the kept failure.
  void tell();
  /// After an interrupt: drops floating-point errors that have not been reported.
  void drop_float_errors() { float_errors_.clear(); }
  /// After an interrupt that cut: drops the kept failure, too. Lost arrays still raise their cause.
  void drop_untold();
  const WorkAhead& work_ahead() const { return work_ahead_; }

 private:
  void tell_float_errors();
  /// The failure that has kept this batch from running, which was sent behind it; nullptr when there is none.
  FailurePtr failure_before(const SentBatch& sent) const;

  Recorder& recorder_;
  OpenCalls& calls_;
  Garbage& garbage_;
  WorkAhead work_ahead_;
  FailurePtr deferred_;
  std::uint64_t epoch_ = 1;
  FailurePtr last_failure_;
  std::deque<std::pair<FloatListeners, std::vector<protocol::FloatErrors>>> float_errors_;
};

}  // namespace gamelan::kernel
