// SPDX-License-Identifier: BSD-3-Clause
// What became of the batches that were sent: which arrays were not computed and why, and what the user is
// still to be told of it. An error of a batch that ran ahead is raised by whoever waits next.
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

  /// A batch has left.
  void note_sent(const SentBatch& sent) { work_ahead_.sent(sent.seq, sent.written.size()); }
  /// The engines are gone: no reply will come.
  void note_loss() { work_ahead_.lost(); }
  /// A reply has come: arrays that the batch did not compute raise the cause from now on. `later`: the
  /// batches that were sent after it.
  void book(SentBatch& sent, const protocol::Reply& reply, const std::deque<SentBatch>& later);
  /// This failure is to be raised, unless another one came first.
  void defer(const FailurePtr& failure) {
    if (deferred_ == nullptr) deferred_ = failure;
  }
  bool has_untold() const { return deferred_ != nullptr || !float_errors_.empty(); }
  /// Tells what the batches that are done have met: floating-point errors first, as their lines came first;
  /// then raises the deferred failure.
  void tell();
  /// After an interrupt, which is how the program ended: nothing is told. Arrays that are lost still say why.
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
