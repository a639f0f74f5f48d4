// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/open_calls.hpp"

#include <algorithm>

#include "kernel/recorder/call_number.hpp"
#include "kernel/recorder/current_line.hpp"

namespace gamelan::kernel {

using protocol::Outcome;

bool OpenCalls::is_pending(std::uint64_t call) const {
  const auto& calls = recorder_.pending_calls();
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

protocol::Origin OpenCalls::origin_of(std::uint64_t call) const {
  const auto& calls = recorder_.pending_calls();
  const auto found = std::find(calls.begin(), calls.end(), call);
  if (call == 0 || found == calls.end()) return {};
  const auto& command = recorder_.pending().commands[static_cast<std::size_t>(found - calls.begin())];
  return resolve(recorder_.lines()[command.origin]);
}

void OpenCalls::break_apart(SplitCall& split, const FailurePtr& cause) {
  split.is_broken = true;
  for (const auto id : std::exchange(split.written, {})) recorder_.poison(id, cause);
}

void OpenCalls::begin(std::uint64_t call) {
  if (call == 0 || (!calls_.empty() && calls_.back().number == call)) return;
  const auto is_it = [&](const OpenCall& open) { return open.number == call; };
  if (std::none_of(calls_.begin(), calls_.end(), is_it)) calls_.push_back({call, nullptr});
}

void OpenCalls::note_sent(const std::vector<std::uint64_t>& calls, SentBatch& sent) {
  for (OpenCall& open : calls_) {
    if (std::find(calls.begin(), calls.end(), open.number) == calls.end()) continue;
    if (open.split == nullptr) open.split = std::make_shared<SplitCall>();
    sent.split_calls.emplace_back(open.number, open.split);
  }
  std::erase_if(calls_, [](const OpenCall& open) { return open.has_ended; });
}

void OpenCalls::end(std::uint64_t call, bool is_interrupted) {
  const auto open =
      std::find_if(calls_.begin(), calls_.end(), [&](const OpenCall& each) { return each.number == call; });
  if (open == calls_.end()) return;
  if (is_interrupted) {
    const auto cause = interrupted(origin_of(call));
    recorder_.undo(call, cause);
    if (open->split != nullptr)
      break_apart(*open->split, cause);  // parts that have no reply yet follow when they are booked
  } else if (open->split != nullptr && is_pending(call)) {
    open->has_ended = true;
    return;
  }
  calls_.erase(open);
}

void OpenCalls::undo_current() {
  if (const auto call = call_number::begun(); call != 0) recorder_.undo(call, interrupted(origin_of(call)));
}

void OpenCalls::abandon(const FailurePtr& cause) {
  for (OpenCall& open : calls_) {
    if (!is_pending(open.number)) continue;
    const auto& calls = recorder_.pending_calls();
    const bool goes_on = !open.has_ended &&
                         open.number != call_number::begun();  // in another thread, where nothing went before
    for (std::size_t index = 0; index < calls.size() && goes_on; ++index)
      if (calls[index] == open.number) recorder_.poison(recorder_.pending().commands[index].out.base, cause);
    if (open.split != nullptr) break_apart(*open.split, cause);
  }
  std::erase_if(calls_, [](const OpenCall& open) { return open.has_ended; });
}

void OpenCalls::book(const SentBatch& sent, std::size_t first_lost, const protocol::Reply& reply,
                     const FailurePtr& cause) {
  const auto& written = sent.written;
  for (const auto& [call, split] : sent.split_calls) {
    bool is_cut = false;
    for (std::size_t index = 0; index < written.size(); ++index) {
      if (written[index].call != call) continue;
      if (index < first_lost)
        split->written.insert(written[index].id);
      else
        is_cut = true;
    }
    for (const auto id : sent.freed) split->written.erase(id);
    if (split->is_broken || (is_cut && reply.outcome == Outcome::cancelled))
      break_apart(*split, cause != nullptr ? cause : sent.interrupted_at(0));
  }
  if (cause == nullptr || first_lost >= written.size()) return;
  // When this batch has a call as a whole, the engines run all of it or nothing, unless commands of others
  // stand in between. When they refuse a command, they refuse its call from the first command on.
  std::vector<std::uint64_t> lost;
  for (std::size_t index = first_lost; index < written.size(); ++index)
    if (written[index].call != 0 && (lost.empty() || lost.back() != written[index].call))
      lost.push_back(written[index].call);
  for (std::size_t index = 0; index < first_lost; ++index) {
    const SentBatch::Written& each = written[index];
    const bool is_half_made = each.is_created || reply.outcome == Outcome::cancelled;
    if (each.call != 0 && is_half_made && std::find(lost.begin(), lost.end(), each.call) != lost.end())
      recorder_.poison(each.id, cause);
  }
}

}  // namespace gamelan::kernel
