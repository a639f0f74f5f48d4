// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/outcomes.hpp"

#include <algorithm>
#include <utility>

#include "kernel/recorder/hooks.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::Outcome;
using protocol::Reply;

void Outcomes::book(SentBatch& sent, const Reply& reply, const std::deque<SentBatch>& later) {
  work_ahead_.answered(sent.seq);
  if (!reply.float_errors.empty() && !sent.is_abandoned && !sent.is_behind)
    float_errors_.emplace_back(std::move(sent.listeners), reply.float_errors);
  const bool is_ok = reply.outcome == Outcome::ok;
  if (is_ok && sent.split_calls.empty()) return;
  // The commands before the one at fault have run, as a program runs up to its error.
  const std::size_t first_lost =
      is_ok ? sent.written.size() : static_cast<std::size_t>(std::max<std::int64_t>(reply.command, 0));
  FailurePtr cause;
  const FailurePtr before = is_ok ? nullptr : failure_before(sent);
  if (before != nullptr) {
    cause = before;
  } else if (reply.outcome == Outcome::cancelled) {
    cause = sent.interrupted_at(first_lost);
  } else if (!is_ok) {
    cause = std::make_shared<const Failure>(Failure{reply.error, reply.message, reply.origin});
    if (sent.epoch == epoch_) {
      begin_epoch();
      last_failure_ = cause;
    }
  }
  calls_.book(sent, first_lost, reply, cause);
  if (is_ok) return recorder_.forget_poison(sent.freed);
  // A batch that was cancelled or refused in the queue has freed nothing. Freeing an array twice does no
  // harm, except of one that was attached: it may be held twice, and is let go when this client ends.
  for (const auto id : sent.freed)
    if (recorder_.is_own(id)) recorder_.free(id);
  for (std::size_t index = first_lost; index < sent.written.size(); ++index)
    if (sent.written[index].is_created)
      recorder_.poison(sent.written[index].id, reply.outcome == Outcome::cancelled && before == nullptr
                                                   ? sent.interrupted_at(index)
                                                   : cause);
  recorder_.forget_poison(sent.freed);
  for (const auto& each : later) recorder_.forget_poison(each.freed);
  // An interrupt was reported when it happened, and so was the failure before this batch.
  if (!sent.is_abandoned && before == nullptr) defer(cause);
}

FailurePtr Outcomes::failure_before(const SentBatch& sent) const {
  return sent.epoch + 1 == epoch_ ? last_failure_ : nullptr;
}

void Outcomes::tell_float_errors() {
  const auto all = std::exchange(float_errors_, {});  // telling may run the user's code, and that the engines
  for (const auto& [listeners, errors] : all)
    for (const auto& each : errors) listeners.tell(each);
}

void Outcomes::tell() {
  tell_float_errors();
  tell_failure();
}

void Outcomes::tell_failure() {
  if (deferred_ == nullptr) return;
  const auto failure = std::exchange(deferred_, nullptr);
  if (failure->kind == ErrorKind::memory)
    garbage_.collect();  // so that a second try finds all memory that can be had
  raise_error(Error(failure->kind, failure->message), failure->origin);
}

void Outcomes::drop_untold() {
  float_errors_.clear();
  deferred_ = nullptr;
}

}  // namespace gamelan::kernel
