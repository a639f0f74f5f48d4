// SPDX-License-Identifier: BSD-3-Clause
// The pending batch: see recorder.hpp. A loop is cut at the same line every time, so that the engines' plan
// cache sees the same batch again and again.
#include "kernel/recorder/recorder.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <random>
#include <utility>

#include "kernel/recorder/pending/work.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Command;

FreeList::~FreeList() { drain(); }

void FreeList::push(ArrayId id) noexcept {
  // A failed allocation in a destructor leaks one array on the engines until the session ends; it never
  // throws.
  Node* node = new (std::nothrow) Node{id, head_.load(std::memory_order_relaxed)};
  if (node == nullptr) return;
  while (
      !head_.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

std::vector<ArrayId> FreeList::drain() {
  std::vector<ArrayId> ids;
  Node* node = head_.exchange(nullptr, std::memory_order_acquire);
  while (node != nullptr) {
    ids.push_back(node->id);
    delete std::exchange(node, node->next);
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

std::vector<ArrayId> Recorder::peek_frees() {
  auto ids = frees_.drain();
  for (const auto id : ids) frees_.push(id);
  return ids;
}

namespace {
constexpr std::size_t none_later =
    std::numeric_limits<std::size_t>::max();  // a length that prevents no loop from closing
// Times the limit of work: a batch (0.2 s on a slow core, 0.05 s on a fast one), and a second.
constexpr std::int64_t moments_of_a_batch = 2, far_ahead = 10;
}  // namespace

protocol::ArrayId Recorder::first_id() {
  return static_cast<protocol::ArrayId>(std::random_device{}() & 0x3fff'ffffU) << 32;
}

bool Recorder::is_heavy(const Command& command) const {
  return is_single(command.op) && work_of(command, first_of_batch_, touched_) >= limits_.work;
}

bool Recorder::wants_cut_before(const SourceLine& line, std::uint64_t call) const {
  const std::size_t count = pending_.commands.size();
  if (is_within(call))
    return payload_bytes_ / 2 >= limits_.payload_bytes || count / 2 >= limits_.hard_commands;
  if (payload_bytes_ >= limits_.payload_bytes || count >= limits_.hard_commands) return true;
  if (cuts_every_iteration_ && count > 0 && line == iteration_line_) return true;
  if (work_ / far_ahead >= limits_.work) return true;  // straight-line code on huge arrays
  const auto work = work_ / moments_of_a_batch;
  if (count < limits_.soft_commands && work < limits_.work) return false;
  const auto found = line_index_.find(line);
  if (found == line_index_.end()) return false;
  const bool is_late = count / 3 >= limits_.soft_commands / 2 || work / 2 >= limits_.work;
  const bool is_very_late = work / 3 >= limits_.work;
  if (has_cut_line_ && !is_late && line != cut_line_) return false;
  // Within a statement there are temporaries, which a cut would store. A loop goes back when it begins anew.
  const SourceLine& before = lines_[pending_.commands.back().origin];
  if (!is_late && line.code == before.code && line.offset > before.offset) return false;
  return is_very_late || closes_an_iteration(found->second, is_late);
}

bool Recorder::closes_an_iteration(std::uint32_t line, bool may_follow_others) const {
  const std::size_t count = pending_.commands.size();
  const auto first = spans_[line].first, last = spans_[line].last;
  constexpr std::size_t share = 3;
  if ((count - last) * share >= count) return true;
  return std::all_of(spans_.begin(), spans_.end(), [&](const Span& other) {
    return other.last >= last || (may_follow_others && other.last < first);
  });
}

std::pair<std::uint32_t, bool> Recorder::origin_for(const SourceLine& line, bool goes_on) {
  const auto count = static_cast<std::uint32_t>(lines_.size());
  const auto [entry, is_new] = line_index_.try_emplace(line, count);
  if (is_new) {
    lines_.push_back(line);
    spans_.push_back({pending_.commands.size(), 0});
  }
  spans_[entry->second].last = pending_.commands.size();
  if (is_new || pending_.commands.empty()) return {entry->second, is_new};
  const auto before = pending_.commands.back().origin;
  auto& twin = spans_[entry->second].twin;
  if (goes_on && before == twin) return {twin, false};
  if (goes_on || before != entry->second) return {entry->second, false};
  if (twin != none) return {twin, false};
  twin = count;
  lines_.push_back(line);
  spans_.push_back({0, none_later});
  return {count, true};
}

bool Recorder::add(Command command, const SourceLine& line, std::uint32_t listener, std::uint64_t call) {
  const bool goes_on = is_within(call);
  if (pending_.commands.empty()) {
    has_cut_line_ = line == cut_line_;
    first_of_batch_ = command.creates ? command.out.base : last_id_ + 1;
  }
  if (cuts_every_iteration_ && iteration_line_.code == nullptr) iteration_line_ = line;
  const auto [origin, is_new] = origin_for(line, goes_on);
  command.origin = origin;
  work_ += work_of(command, first_of_batch_, touched_);
  touch(touched_, command);
  pending_.commands.push_back(std::move(command));
  listeners_.push_back(listener);
  calls_.push_back(call);
  ++recorded_commands_;
  return is_new;
}

bool Recorder::add(Command command, const SourceLine& line, std::uint32_t listener, std::uint64_t call,
                   protocol::Bytes payload) {
  command.payload = static_cast<std::int32_t>(pending_.payloads.size());
  payload_bytes_ += payload.size();
  pending_.payloads.push_back(std::move(payload));
  return add(std::move(command), line, listener, call);
}

Recorder::Cut Recorder::cut(const SourceLine* next) {
  if (next != nullptr) cut_line_ = *next;
  Cut result = take();
  for (const ArrayId id : holds_frees_ ? std::vector<ArrayId>() : frees_.drain())
    if (is_needed_ && is_needed_(id))
      frees_.push(id);
    else
      result.batch.frees.push_back(id);
  if (!poisoned_.empty()) drop_poisoned(result);
  return result;
}

void Recorder::rename(ArrayId from, ArrayId to) {
  for (Command& command : pending_.commands) {
    if (command.out.base == from) command.out.base = to;
    for (auto& operand : command.in)
      if (auto* view = std::get_if<protocol::View>(&operand); view != nullptr && view->base == from)
        view->base = to;
  }
}

void Recorder::set_aside(std::size_t place) {
  keep_only([place](std::size_t index) { return index < place; });
}

std::optional<protocol::Bytes> Recorder::take_payload(std::size_t command) {
  const auto payload = pending_.commands[command].payload;
  if (payload < 0) return std::nullopt;
  auto bytes = std::move(pending_.payloads[static_cast<std::size_t>(payload)]);
  payload_bytes_ -= bytes.size();
  return bytes;
}

bool Recorder::add_back(Command command, const SourceLine& line, std::uint32_t listener, std::uint64_t call,
                        std::optional<protocol::Bytes> payload) {
  --recorded_commands_;  // it was counted
  if (payload) return add(std::move(command), line, listener, call, *std::move(payload));
  return add(std::move(command), line, listener, call);
}

void Recorder::drop_poisoned(Cut& result) {
  auto& commands = result.batch.commands;
  const auto is_dropped = [&](const Command& command) {
    FailurePtr cause;
    if (!command.creates) cause = poison_of(command.out.base);
    for (const auto& operand : command.in) {
      const auto* view = std::get_if<protocol::View>(&operand);
      if (view != nullptr && cause == nullptr) cause = poison_of(view->base);
    }
    if (cause == nullptr) return false;
    if (command.creates)
      poison(command.out.base, cause);
    else if (result.blocked == nullptr)
      result.blocked = cause;
    return true;
  };
  std::size_t kept = 0;
  for (std::size_t index = 0; index < commands.size();
       ++index) {  // in order, because a poisoned result poisons later ones
    if (is_dropped(commands[index])) continue;
    result.listeners[kept] = result.listeners[index];
    result.calls[kept] = result.calls[index];
    if (kept != index) commands[kept] = std::move(commands[index]);
    ++kept;
  }
  commands.resize(kept);
  result.listeners.resize(kept);
  result.calls.resize(kept);
  // The engines may not know a poisoned array; they ignore the freeing of unknown ids.
  forget_poison(result.batch.frees);
}

void Recorder::forget_poison(const std::vector<ArrayId>& ids) {
  if (poisoned_.empty()) return;
  for (const ArrayId id : ids) poisoned_.erase(id);
}

void Recorder::abandon(const std::vector<FailurePtr>& causes) {
  const Cut dropped = take();
  for (const Command& command : dropped.batch.commands) {
    if (command.creates) poison(command.out.base, causes[command.origin]);
  }
}

void Recorder::undo(std::uint64_t call, const FailurePtr& cause) {
  keep_only([&](std::size_t index) {
    const Command& command = pending_.commands[index];
    if (calls_[index] == call && command.creates) poison(command.out.base, cause);
    return calls_[index] != call;
  });
}

std::vector<ArrayId> Recorder::drop_dead() {
  if (!has_frees()) return {};
  const auto frees = peek_frees();
  const std::unordered_set<ArrayId> dead(frees.begin(), frees.end());
  const auto& commands = pending_.commands;
  std::unordered_set<ArrayId> read;
  std::vector<bool> is_kept(commands.size());
  std::vector<ArrayId> dropped;
  for (std::size_t n = commands.size(); n-- > 0;) {
    const auto base = commands[n].out.base;
    is_kept[n] = !commands[n].creates || !dead.contains(base) || read.contains(base) ||
                 commands[n].payload >= 0 || protocol::info(commands[n].op).kind == protocol::RowKind::call;
    if (!is_kept[n]) {
      dropped.push_back(base);
      continue;
    }
    if (!commands[n].creates) read.insert(base);
    for (const auto& operand : commands[n].in)
      if (const auto* view = std::get_if<protocol::View>(&operand)) read.insert(view->base);
  }
  if (dropped.empty()) return dropped;
  keep_only([&](std::size_t index) { return is_kept[index]; });
  forget_frees({dropped.begin(), dropped.end()});
  return dropped;
}

void Recorder::forget_frees(const std::unordered_set<ArrayId>& ids) {
  for (const ArrayId id : frees_.drain())
    if (!ids.contains(id)) frees_.push(id);
}

void Recorder::keep_only(const std::function<bool(std::size_t)>& is_kept) {
  auto& commands = pending_.commands;
  std::size_t kept = 0;
  for (std::size_t index = 0; index < commands.size(); ++index) {
    if (!is_kept(index)) continue;
    listeners_[kept] = listeners_[index];
    calls_[kept] = calls_[index];
    if (kept != index) commands[kept] = std::move(commands[index]);
    ++kept;
  }
  commands.resize(kept);
  listeners_.resize(kept);
  calls_.resize(kept);
  work_ = 0;
  touched_.clear();
  for (const Command& command : commands) {
    work_ += work_of(command, first_of_batch_, touched_);
    touch(touched_, command);
  }
  for (Span& span : spans_)
    if (span.last != none_later) span = {std::min(span.first, kept), std::min(span.last, kept), span.twin};
}

Recorder::Cut Recorder::take() {
  line_index_.clear();
  spans_.clear();
  payload_bytes_ = 0;
  work_ = 0;
  touched_.clear();
  return {std::exchange(pending_, {}), std::exchange(lines_, {}), std::exchange(listeners_, {}),
          std::exchange(calls_, {}), nullptr};
}

FailurePtr Recorder::poison_of(ArrayId id) const {
  if (poisoned_.empty()) return nullptr;
  const auto found = poisoned_.find(id);
  return found == poisoned_.end() ? nullptr : found->second;
}

}  // namespace gamelan::kernel
