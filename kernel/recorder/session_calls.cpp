// SPDX-License-Identifier: BSD-3-Clause
// Calls of the user's that end between two of their commands: an interrupt in Python, or one that stops the
// engines. What has not left is undone. What has left and run is half of a call, and its arrays say so when
// they are read (docs/decisions/018).
#include <algorithm>
#include <utility>

#include "kernel/recorder/session.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

using protocol::ErrorKind;
using protocol::Outcome;

FailurePtr interrupted(const protocol::Origin& origin) {
  return std::make_shared<const Failure>(
      Failure{ErrorKind::cancelled, "Lost: interrupted before it was computed", origin});
}

FailurePtr Session::interrupted_at(const Sent& sent, std::size_t command) {
  const auto origin = command < sent.written.size() ? sent.written[command].origin : sent.origins.size();
  return interrupted(origin < sent.origins.size() ? sent.origins[origin] : protocol::Origin{});
}

protocol::Origin Session::origin_of(std::uint64_t call) const {
  const auto& calls = recorder_.pending_calls();
  const auto found = std::find(calls.begin(), calls.end(), call);
  if (call == 0 || found == calls.end()) return {};
  const auto& command = recorder_.pending().commands[static_cast<std::size_t>(found - calls.begin())];
  return resolve(recorder_.sites()[command.origin]);
}

bool Session::is_pending(std::uint64_t call) const {
  const auto& calls = recorder_.pending_calls();
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

void Session::break_apart(Spread& spread, const FailurePtr& cause) {
  spread.is_broken = true;
  for (const auto id : std::exchange(spread.written, {})) recorder_.poison(id, cause);
}

void Session::end_call(std::uint64_t call, bool is_interrupted) {
  const auto open = std::find_if(open_calls_.begin(), open_calls_.end(),
                                 [&](const OpenCall& each) { return each.number == call; });
  if (open == open_calls_.end()) return;
  if (is_interrupted) {
    const auto cause = interrupted(origin_of(call));
    recorder_.undo(call, cause);
    if (open->spread != nullptr)
      break_apart(*open->spread, cause);  // parts that are on their way follow when they are booked
  } else if (open->spread != nullptr && is_pending(call)) {
    open->has_ended = true;
    return;
  }
  open_calls_.erase(open);
}

void Session::undo_current_call(const FailurePtr& cause) {
  if (const auto call = UserCall::begun(); call != 0) recorder_.undo(call, cause);
}

void Session::abandon_calls(const FailurePtr& cause) {
  for (OpenCall& open : open_calls_) {
    if (!is_pending(open.number)) continue;
    const auto& calls = recorder_.pending_calls();
    const bool goes_on =
        !open.has_ended && open.number != UserCall::begun();  // in another thread, where nothing went before
    for (std::size_t index = 0; index < calls.size() && goes_on; ++index)
      if (calls[index] == open.number) recorder_.poison(recorder_.pending().commands[index].out.base, cause);
    if (open.spread != nullptr) break_apart(*open.spread, cause);
  }
  std::erase_if(open_calls_, [](const OpenCall& open) { return open.has_ended; });
}

void Session::book_calls(const Sent& sent, std::size_t first_lost, const protocol::Reply& reply,
                         const FailurePtr& cause) {
  const auto& written = sent.written;
  for (const auto& [call, spread] : sent.spreads) {
    bool is_cut = false;
    for (std::size_t index = 0; index < written.size(); ++index) {
      if (written[index].call != call) continue;
      if (index < first_lost)
        spread->written.insert(written[index].id);
      else
        is_cut = true;
    }
    for (const auto id : sent.freed) spread->written.erase(id);
    if (spread->is_broken || (is_cut && reply.outcome == Outcome::cancelled))
      break_apart(*spread, cause != nullptr ? cause : interrupted_at(sent, 0));
  }
  if (cause == nullptr || first_lost >= written.size()) return;
  // Of a call that is in this batch as a whole the engines run all or nothing, unless commands of others
  // stand between. What they refuse they refuse from the call on.
  std::vector<std::uint64_t> lost;
  for (std::size_t index = first_lost; index < written.size(); ++index)
    if (written[index].call != 0 && (lost.empty() || lost.back() != written[index].call))
      lost.push_back(written[index].call);
  for (std::size_t index = 0; index < first_lost; ++index) {
    const auto& [id, call, origin, is_created] = written[index];
    const bool is_half_made = is_created || reply.outcome == Outcome::cancelled;
    if (call != 0 && is_half_made && std::find(lost.begin(), lost.end(), call) != lost.end())
      recorder_.poison(id, cause);
  }
}

}  // namespace gamelan::kernel
