// SPDX-License-Identifier: BSD-3-Clause
// Batches that were sent are settled in the order in which they were sent: the session waits for their
// replies and books their outcomes.
#include "kernel/recorder/session.hpp"

#include <algorithm>
#include <utility>

#include "kernel/recorder/call_number.hpp"
#include "kernel/recorder/fork.hpp"
#include "kernel/recorder/hooks.hpp"
#include "protocol/check.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Outcome;
using protocol::Reply;

namespace {

constexpr std::size_t outstanding_limit = 2;         // the engines compute one while the next is recorded
constexpr std::int64_t work_per_rank = 300'000'000;  // four for an element of a pass over memory: a tenth of
                                                     // a second, so that an interrupt finds little ahead

std::optional<EngineModel> model_of(PyObject* executor) {
  if (executor == nullptr) return std::nullopt;
  return EngineModel(executor);
}

}  // namespace

Session::Session(const protocol::Connection& connection, std::vector<Route> routes, std::string directory,
                 PyObject* executor)
    : sender_(recorder_, calls_, outcomes_, engines_, model_of(executor)),
      engines_(executor != nullptr
                   ? nullptr
                   : std::make_shared<Client>(connection, std::move(routes), std::move(directory)),
               [this] {
                 const bool was_at_work = has_work();
                 outstanding_.clear();
                 outcomes_.note_loss();
                 sender_.forget_lines();
                 return was_at_work;
               }) {
  watch_forks();
}

void Session::greet(double timeout_s) {
  engines_.greet(timeout_s);
  if (engines_.info() == "{}") return;
  garbage_.set_heap(engines_.heap_bytes());
  auto limits = recorder_.limits();
  limits.work = work_per_rank * std::max(engines_.ranks(), 1);
  recorder_.set_limits(limits);
}

void Session::require_current() {
  require_own_process();
  engines_.hear_of_end();
  if (!is_current()) engines_.raise_lost_array();
}

void Session::require_own_process() {
  if (!is_forked_child()) return;
  PyErr_SetString(PyExc_RuntimeError,
                  "gamelan: this process was made by fork, and the engines belong to its parent: make it by "
                  "multiprocessing.get_context(\"spawn\"), or give it small arrays");
  throw PythonError();
}

void Session::before_record(const SourceLine& line, std::uint64_t call) {
  require_current();
  calls_.begin(call);
  if (!recorder_.wants_cut_before(line, call)) return;
  make_room();
  outstanding_.push_back(sender_.send(&line, {}));
}

void Session::record(protocol::Command command) {
  protocol::check(command, {});  // here, at its line: engines refuse the whole batch
  CurrentLine current = current_line();
  const auto call = call_number::recording();
  before_record(current.line, call);
  sender_.add(std::move(command), std::move(current), call);
}

void Session::record(protocol::Command command, protocol::Bytes payload) {
  CurrentLine current = current_line();
  const auto call = call_number::recording();
  before_record(current.line, call);
  sender_.add(std::move(command), std::move(current), call, std::move(payload));
}

void Session::require_sound(protocol::ArrayId id) const {
  if (const auto failure = recorder_.poison_of(id))
    raise_error(Error(failure->kind, failure->message), failure->origin);
}

bool Session::has_work() const {
  return !recorder_.is_empty() || outcomes_.has_untold() ||
         std::any_of(outstanding_.begin(), outstanding_.end(),
                     [](const SentBatch& sent) { return !sent.is_abandoned; });
}

bool Session::has_unfinished() const {
  return engines_.is_lost() ? engines_.has_untold_loss_at_work() : has_work();
}

void Session::make_room() {
  const auto is_abandoned = [](const SentBatch& sent) { return sent.is_abandoned; };
  // What an interrupted batch still did decides which arrays the next one may read.
  while (outstanding_.size() >= outstanding_limit ||
         std::any_of(outstanding_.begin(), outstanding_.end(), is_abandoned)) {
    settle_oldest();
  }
}

Reply Session::settle(SentBatch sent) {
  Reply reply;
  if (sent.played != nullptr) {
    reply = std::move(*sent.played);
  } else {
    try {
      reply = engines_.wait_for(sent.seq);
    } catch (const PythonError&) {
      if (!engines_.is_lost()) {
        outstanding_.push_front(std::move(sent));
        stop_soon();
      }
      throw;
    }
  }
  outcomes_.book(sent, reply, outstanding_);
  return reply;
}

void Session::settle_oldest() {
  SentBatch sent = std::move(outstanding_.front());
  outstanding_.pop_front();
  settle(std::move(sent));
  if (PyErr_CheckSignals() != 0) {  // an interrupt came together with the reply
    stop_soon();
    throw PythonError();
  }
}

void Session::settle_all() {
  while (!outstanding_.empty()) settle_oldest();
}

void Session::flush(bool wait) {
  require_own_process();
  engines_.hear_of_end();
  if (engines_.is_lost()) {
    if (has_unfinished()) engines_.raise_lost();
    return;
  }
  make_room();
  if (!recorder_.is_empty() || (wait && recorder_.has_frees()))
    outstanding_.push_back(sender_.send(nullptr, {}));
  if (!wait) return;
  settle_all();
  garbage_.rest();
  outcomes_.tell();
}

std::vector<protocol::Bytes> Session::fetch(std::vector<protocol::View> views) {
  require_current();
  make_room();
  for (const auto& view : views) require_sound(view.base);
  const std::size_t wanted = views.size();
  SentBatch sent = sender_.send(nullptr, views);
  try {
    settle_all();
  } catch (const PythonError&) {
    if (!engines_.is_lost()) {
      sent.is_abandoned =
          true;  // nobody waits for it any more, whether or not it was cancelled with the others
      outstanding_.push_back(std::move(sent));
    }
    throw;
  }
  Reply reply = settle(std::move(sent));
  outcomes_.tell();
  for (const auto& view : views)
    require_sound(view.base);  // at the cut its operands may have turned out to be poisoned
  if (reply.outcome != Outcome::ok || reply.payloads.size() != wanted) {
    raise_error(Error(ErrorKind::internal, "[fetch] the engines answered with " +
                                               std::to_string(reply.payloads.size()) + " arrays, expected " +
                                               std::to_string(wanted)));
  }
  for (const auto& payload : reply.payloads) fetched_bytes_ += payload.size();
  return std::move(reply.payloads);
}

std::string Session::explain(std::vector<protocol::View> views) {
  require_current();
  Batch batch = preview();
  batch.explain = true;
  batch.fetches = std::move(views);
  if (!engines_.has_client()) return "no engines: the batch is played by a model in this process";
  make_room();
  const Reply reply = engines_.ask(std::move(batch));
  if (reply.outcome != Outcome::ok) raise_error(Error(reply.error, reply.message), reply.origin);
  return reply.info;
}

std::string Session::configure(std::vector<std::pair<std::string, std::string>> options) {
  require_current();
  flush(true);
  if (!engines_.has_client()) return "{}";
  const Reply reply = engines_.ask(protocol::Configure{0, std::move(options)});
  if (reply.outcome != Outcome::ok) raise_error(Error(reply.error, reply.message));
  return reply.info;
}

}  // namespace gamelan::kernel
