// SPDX-License-Identifier: BSD-3-Clause
// How a session ends what an interrupted program has recorded.
#include "kernel/recorder/session.hpp"
// (Python.h first)
#include <algorithm>
#include <utility>

#include "kernel/recorder/gil.hpp"

namespace gamelan::kernel {

namespace {
std::chrono::milliseconds grace{500};
}  // namespace

void Session::set_grace(std::chrono::milliseconds limit) { grace = limit; }

void Session::stop_soon() {
  if (!engines_.has_client() || engines_.is_lost()) return;
  PyObject *type = nullptr, *value = nullptr,
           *traceback = nullptr;  // the KeyboardInterrupt, while Python is used
  PyErr_Fetch(&type, &value, &traceback);
  try {
    if (is_interrupt(type)) calls_.undo_current();
    // A second interrupt during the cancellation: no time is granted.
    const bool is_first = std::none_of(outstanding_.begin(), outstanding_.end(),
                                       [](const SentBatch& sent) { return sent.is_abandoned; });
    if (!is_first || !finish_within(grace)) abandon_all();
  } catch (const std::exception&) {
    PyErr_Clear();
    engines_.tell_again();
  }
  outcomes_.drop_untold();
  PyErr_Restore(type, value, traceback);
}

bool Session::finish_within(std::chrono::milliseconds limit) {
  using std::chrono::milliseconds;
  const auto end = std::chrono::steady_clock::now() + limit;
  if (!recorder_.is_empty()) outstanding_.push_back(sender_.send(nullptr, {}));
  while (!outstanding_.empty()) {
    SentBatch sent = std::move(outstanding_.front());
    outstanding_.pop_front();
    std::optional<protocol::Reply> reply;
    for (bool is_over = false; !reply && !is_over;) {  // a signal ends a wait, not the grace
      const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
      is_over = left <= milliseconds(0);
      reply = engines_.take(sent.seq, std::max(left, milliseconds(0)));
    }
    if (!reply) {
      outstanding_.push_front(std::move(sent));
      return false;
    }
    outcomes_.book(sent, *reply, outstanding_);
  }
  return true;
}

void Session::abandon_all() {
  // One message for all batches that this client has sent: between two messages the engines could begin the
  // next batch.
  engines_.cancel();
  for (auto& sent : outstanding_) sent.is_abandoned = true;
  calls_.abandon(interrupted({}));
  sender_.abandon();
}

}  // namespace gamelan::kernel
