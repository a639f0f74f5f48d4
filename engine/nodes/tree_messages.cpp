// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/tree_messages.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "engine/ranks/exit_soon.hpp"

namespace gamelan::engine::nodes {
namespace {

using protocol::Error;
using protocol::ErrorKind;
using Kind = Note::Kind;

constexpr double look_s = 1;  // no wait sleeps longer without checking who lives
constexpr double report_patience_s = 2;

/// The step, and the text behind it.
Bytes body_of(const Failure& failure) {
  const std::string_view text = failure.error.what();
  Bytes body(sizeof failure.step + text.size());
  std::memcpy(body.data(), &failure.step, sizeof failure.step);
  std::memcpy(body.data() + sizeof failure.step, text.data(), text.size());
  return body;
}

Failure failure_in(const Bytes& body, std::uint64_t kind) {
  std::uint64_t step = 0;
  const auto size = std::min(body.size(), sizeof step);
  std::memcpy(&step, body.data(), size);
  const auto* text = reinterpret_cast<const char*>(body.data()) + size;
  return {step, {static_cast<ErrorKind>(kind), std::string(text, body.size() - size)}};
}

}  // namespace

TreeMessages::TreeMessages(Comm& comm, NodeBoard& board, const Settings& settings)
    : board_(board), stopped_here_(board.other_processes()), tree_(comm, settings) {
  settled_.assign(tree_.children(), 0);
  stopped_.resize(tree_.children());
}

void TreeMessages::start() {
  tree_.start({[this](Note note) { hear_parent(std::move(note)); },
               [this](std::size_t child, Note note) { hear_child(child, std::move(note)); },
               [this](const std::string& cause) { lose(cause); }});
}

template <class Ready>
bool TreeMessages::wait(std::unique_lock<std::mutex>& lock, double seconds, Ready ready) {
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [&] { return ready() || !lost_cause_.empty(); });
}

void TreeMessages::set_reporter(std::function<Bytes()> reporter) {
  const std::lock_guard lock(mutex_);
  reporter_ = std::move(reporter);
}

void TreeMessages::on_lost(std::function<void(const std::string&)> tell) {
  const std::lock_guard lock(tell_mutex_);
  tell_ = std::move(tell);
}

// ---- rank 0

void TreeMessages::post(std::uint64_t message, std::uint64_t length, std::span<const std::byte> bytes) {
  tree_.send_down({Kind::post, message, length, Bytes(bytes.begin(), bytes.end())});
}

void TreeMessages::tell_failure(std::uint64_t batch, const Failure& failure) {
  tree_.send_down({Kind::verdict, batch, static_cast<std::uint64_t>(failure.error.kind()), body_of(failure)});
}

std::uint64_t TreeMessages::decide_cut() {
  std::unique_lock lock(mutex_);
  furthest_ = board_.begin_decision();
  cuts_missing_ = tree_.children();
  tree_.send_down({Kind::ask_cut, ++cut_number_, 0, {}});
  // A node that does not answer will soon be found lost, and then the job ends.
  while (cuts_missing_ > 0 && lost_cause_.empty()) wait(lock, look_s, [this] { return cuts_missing_ == 0; });
  const std::uint64_t cut = furthest_ + 1;
  tree_.send_down({Kind::cut, cut_number_, cut, {}});
  return cut;
}

Bytes TreeMessages::gather_reports() {
  std::unique_lock lock(mutex_);
  reports_.clear();
  reports_missing_ = tree_.children();
  tree_.send_down({Kind::ask_report, ++report_number_, 0, {}});
  wait(lock, report_patience_s, [this] { return reports_missing_ == 0; });
  return reports_;
}

Bytes TreeMessages::ask_stopped() {
  const std::lock_guard lock(mutex_);
  tree_.send_down({Kind::ask_stopped, 0, 0, {}});
  return stopped_below();
}

TreeMessages::Outcome TreeMessages::settle(std::uint64_t message, Outcome own) {
  std::unique_lock lock(mutex_);
  own_settled_ = message;
  add(std::move(own));
  if (!tree_.is_root()) {
    pass_up_if_settled();
    return {};
  }
  const auto is_settled = [&] {
    return std::all_of(settled_.begin(), settled_.end(), [&](auto each) { return each >= message; });
  };
  while (!is_settled()) {
    wait(lock, look_s, is_settled);
    if (!lost_cause_.empty()) throw Error(ErrorKind::engine_lost, "[nodes] " + lost_cause_);
  }
  return std::exchange(outcome_, {});
}

// ---- the I/O thread

void TreeMessages::hear_parent(Note note) {
  switch (note.kind) {
    case Kind::post:
      tree_.send_down(note);
      try {
        board_.post(note.number, note.value, note.body);
      } catch (const Error& error) {  // a rank of this node is gone
        lose(error.what());
      }
      return;
    case Kind::verdict:
      tree_.send_down(note);
      return board_.set_failure(note.number, failure_in(note.body, note.value));
    case Kind::clear_cut:
      tree_.send_down(note);
      return board_.clear_cut();
    case Kind::cut:
      tree_.send_down(note);
      return board_.set_cut(note.value);
    case Kind::ask_cut: {
      tree_.send_down(note);
      const std::lock_guard lock(mutex_);
      cut_number_ = note.number;
      cuts_missing_ = tree_.children();
      furthest_ = board_.begin_decision();
      return answer_cut_if_known();
    }
    case Kind::ask_report: {
      tree_.send_down(note);
      const std::lock_guard lock(mutex_);
      report_number_ = note.number;
      reports_missing_ = tree_.children();
      reports_ = reporter_ ? reporter_() : Bytes{};
      return answer_report_if_whole();
    }
    case Kind::ask_stopped: {
      tree_.send_down(note);
      const std::lock_guard lock(mutex_);
      const auto here = stopped_here_.look();
      const auto bytes = std::as_bytes(std::span(here));
      auto all = stopped_below();
      all.insert(all.end(), bytes.begin(), bytes.end());
      return tree_.send_up({Kind::stopped, 0, 0, std::move(all)});
    }
    default:
      return;  // a parent says nothing else
  }
}

void TreeMessages::hear_child(std::size_t child, Note note) {
  const std::lock_guard lock(mutex_);
  switch (note.kind) {
    case Kind::settled:
      settled_[child] = std::max(settled_[child], note.number);
      if (note.value == 0)
        add({std::nullopt, std::move(note.body)});
      else
        add({failure_in(note.body, note.value - 1), {}});
      pass_up_if_settled();
      break;
    case Kind::started:
      if (note.number != cut_number_) return;
      furthest_ = std::max(furthest_, note.value);
      --cuts_missing_;
      answer_cut_if_known();
      break;
    case Kind::report:
      if (note.number != report_number_) return;
      reports_.insert(reports_.end(), note.body.begin(), note.body.end());
      --reports_missing_;
      answer_report_if_whole();
      break;
    case Kind::stopped:
      stopped_[child] = {std::move(note.body), StoppedRanks::Clock::now()};
      break;
    default:
      return;  // a child says nothing else
  }
  changed_.notify_all();
}

/// The failure of the earliest step counts, and all floating-point errors.
void TreeMessages::add(Outcome outcome) {
  if (outcome.failure && (!outcome_.failure || outcome.failure->step < outcome_.failure->step))
    outcome_.failure = std::move(outcome.failure);
  outcome_.float_errors.insert(outcome_.float_errors.end(), outcome.float_errors.begin(),
                               outcome.float_errors.end());
}

void TreeMessages::pass_up_if_settled() {
  if (tree_.is_root() || passed_up_ >= own_settled_) return;
  if (std::any_of(settled_.begin(), settled_.end(), [&](auto each) { return each < own_settled_; })) return;
  passed_up_ = own_settled_;
  auto outcome = std::exchange(outcome_, {});
  if (outcome.failure)
    tree_.send_up({Kind::settled, own_settled_, 1 + static_cast<std::uint64_t>(outcome.failure->error.kind()),
                   body_of(*outcome.failure)});
  else
    tree_.send_up({Kind::settled, own_settled_, 0, std::move(outcome.float_errors)});
}

void TreeMessages::answer_cut_if_known() {
  if (!tree_.is_root() && cuts_missing_ == 0) tree_.send_up({Kind::started, cut_number_, furthest_, {}});
}

void TreeMessages::answer_report_if_whole() {
  if (!tree_.is_root() && reports_missing_ == 0) tree_.send_up({Kind::report, report_number_, 0, reports_});
}

/// What each child has answered last, if that was lately. Two questions may come before an answer does.
Bytes TreeMessages::stopped_below() const {
  const auto now = StoppedRanks::Clock::now();
  Bytes all;
  for (const auto& [body, when] : stopped_)
    if (now - when <= StoppedRanks::longest_pause) all.insert(all.end(), body.begin(), body.end());
  return all;
}

void TreeMessages::lose(const std::string& cause) {
  std::fprintf(stderr, "gamelan-engine: %s\n", cause.c_str());
  board_.set_lost(cause);
  {
    const std::lock_guard lock(mutex_);
    lost_cause_ = cause;
  }
  changed_.notify_all();
  {
    const std::lock_guard lock(tell_mutex_);
    if (tell_) tell_(cause);
  }
  exit_soon();  // the main thread may sit in an MPI call that will never end; the launcher ends the other
                // ranks with this one
}

}  // namespace gamelan::engine::nodes
