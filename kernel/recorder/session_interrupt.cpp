// SPDX-License-Identifier: BSD-3-Clause
// What becomes of what an interrupted program has recorded. After the first interrupt it runs all the same,
// behind the program: nothing is lost, and arrays are those of the moment at which Python stopped. An
// interrupt that comes while the engines still work at it cuts, at the end of a call of the user's.
#include "kernel/recorder/session.hpp"
// (Python.h first)
#include <algorithm>
#include <utility>

#include "kernel/recorder/fork.hpp"
#include "kernel/recorder/hooks.hpp"

namespace gamelan::kernel {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds soon{300};  // to come to the end of the step that runs, and to say where that was

/// The Python error that is set is kept away while Python is used.
class KeptError {
 public:
  KeptError() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~KeptError() { PyErr_Restore(type_, value_, traceback_); }
  KeptError(const KeptError&) = delete;
  KeptError& operator=(const KeptError&) = delete;
  PyObject* type() const { return type_; }

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

}  // namespace

bool Session::is_behind() const {
  return std::any_of(outstanding_.begin(), outstanding_.end(),
                     [](const SentBatch& sent) { return sent.is_behind; });
}

void Session::note_interrupt() {
  if (!engines_.has_client() || engines_.is_lost()) return;
  const KeptError error;
  try {
    is_interrupt_noted_ = true;
    if (is_interrupt(error.type())) calls_.undo_current();
    take_replies(milliseconds(0));
    is_behind() ? cut() : leave_behind();
  } catch (const std::exception&) {
    PyErr_Clear();
    engines_.tell_again();
  }
}

void Session::end_interrupted() {
  if (!engines_.has_client() || engines_.is_lost()) return;
  const KeptError error;
  try {
    const bool is_noted = std::exchange(is_interrupt_noted_, false);
    take_replies(milliseconds(0));
    !is_noted&& is_behind() ? cut() : leave_behind();
  } catch (const std::exception&) {
    PyErr_Clear();
    engines_.tell_again();
  }
}

void Session::hear_replies() {
  if (!engines_.has_client() || engines_.is_lost() || is_alone_ || is_forked_child() ||
      !in_settlement_.empty())
    return;
  try {
    take_replies(milliseconds(0));
  } catch (const std::exception&) {  // who needs the engines next hears of it
    PyErr_Clear();
    engines_.tell_again();
  }
}

void Session::leave_behind() {
  if (!recorder_.is_empty()) outstanding_.push_back(send(nullptr, {}));
  for (auto& sent : outstanding_) sent.is_behind = true;
  outcomes_.drop_float_errors();
}

void Session::cut() {
  untold_cut_ = protocol::Origin{};
  if (!recorder_.is_empty())
    untold_cut_ = resolve(recorder_.lines()[recorder_.pending().commands.front().origin]);
  // One message for all batches that this client has sent: between two messages the engines could begin the
  // next batch.
  engines_.cancel();
  outcomes_.begin_epoch();
  for (auto& sent : outstanding_) sent.is_abandoned = sent.is_behind = true;
  for (auto* sent : in_settlement_) sent->is_abandoned = sent->is_behind = true;
  calls_.abandon(interrupted({}));
  sender_.abandon(nullptr);
  outcomes_.drop_untold();
  take_replies(soon);
}

void Session::tell_cut_of(const SentBatch& sent, const protocol::Reply& reply) {
  if (!untold_cut_ || !sent.is_abandoned) return;
  const auto first_lost = static_cast<std::size_t>(std::max<std::int64_t>(reply.command, 0));
  if (reply.outcome == protocol::Outcome::cancelled && first_lost < sent.written.size()) {
    untold_cut_ = sent.interrupted_at(first_lost)->origin;
  } else if (std::any_of(outstanding_.begin(), outstanding_.end(),
                         [](const SentBatch& other) { return other.is_abandoned; })) {
    return;  // that one may say where
  }
  if (const auto origin = *std::exchange(untold_cut_, std::nullopt); origin.line > 0) tell_cut(origin);
}

void Session::take_replies(milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!outstanding_.empty()) {
    SentBatch sent = std::move(outstanding_.front());
    outstanding_.pop_front();
    std::optional<protocol::Reply> reply;
    try {
      const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
      if (sent.played != nullptr)
        reply = *sent.played;
      else
        reply = engines_.take(sent.seq, std::max(left, milliseconds(0)));
    } catch (const std::exception&) {
      outstanding_.push_front(std::move(sent));
      throw;
    }
    if (!reply) {
      outstanding_.push_front(std::move(sent));
      return;
    }
    if (sent.played == nullptr) note_in_log(sent, *reply);
    book(sent, *reply);
  }
}

}  // namespace gamelan::kernel
