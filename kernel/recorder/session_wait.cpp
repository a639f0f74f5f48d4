// SPDX-License-Identifier: BSD-3-Clause
// Everything a session waits for: replies, and with them what became of each batch. Waits let go of the GIL,
// hear signals, and end when the engines do.
#include <algorithm>
#include <utility>

#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/session.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Outcome;
using protocol::Reply;

namespace {

constexpr std::size_t outstanding_limit = 2;  // the engines compute one while the next is recorded and sent
constexpr auto poll_period = std::chrono::milliseconds(100);
std::chrono::milliseconds grace{500};

}  // namespace

void Session::set_grace(std::chrono::milliseconds limit) { grace = limit; }

void Session::make_room() {
  const auto is_abandoned = [](const Sent& sent) { return sent.is_abandoned; };
  // What an interrupted batch still did decides what the next one may name.
  while (outstanding_.size() >= outstanding_limit ||
         std::any_of(outstanding_.begin(), outstanding_.end(), is_abandoned)) {
    settle_oldest();
  }
}

Reply Session::wait_for(std::uint64_t seq) {
  const auto start = std::chrono::steady_clock::now();
  const auto waited = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto client = client_;  // another thread may disconnect meanwhile
  if (client == nullptr) require_current();
  for (;;) {
    std::optional<std::string> cause;
    // Many short waits are one long wait to the user: the hook keeps its pace from one to the next. It comes
    // before `take`, because what it raises must not swallow a reply.
    if (PyErr_CheckSignals() != 0) throw PythonError();
    if (std::chrono::steady_clock::now() - last_hook_ >= poll_period) {
      last_hook_ = std::chrono::steady_clock::now();
      cause = ask_wait_hook(waited(), nullptr);
    }
    std::optional<std::string> lost;
    try {
      std::optional<Reply> reply;
      {
        const WithoutGil released;
        reply = client->take(seq, cause ? std::chrono::milliseconds(0) : poll_period);
      }
      if (reply) {
        waited_seconds_ += waited();
        return std::move(*reply);
      }
    } catch (const Error& error) {
      lost = error.what();
      if (!cause) cause = ask_wait_hook(waited(), error.what());
    }
    if (cause || lost) fail(cause ? *cause : *lost);
  }
}

void Session::stop_soon() {
  if (client_ == nullptr || is_lost_) return;
  PyObject *type = nullptr, *value = nullptr,
           *traceback = nullptr;  // the KeyboardInterrupt, while Python is used
  PyErr_Fetch(&type, &value, &traceback);
  const auto is_abandoned = [](const Sent& sent) { return sent.is_abandoned; };
  try {
    if (is_interrupt(type)) undo_current_call(interrupted(origin_of(UserCall::begun())));
    // Interrupted again while it was being cancelled: nothing is granted.
    const bool is_first = std::none_of(outstanding_.begin(), outstanding_.end(), is_abandoned);
    if (!is_first || !finish_within(grace)) abandon_all();
  } catch (const std::exception&) {
    PyErr_Clear();  // the engines are gone: whoever asks for a value is told
    is_told_ = false;
  }
  float_errors_.clear();
  deferred_ = nullptr;  // the interrupt is how this program ended; arrays that are lost still say why
  PyErr_Restore(type, value, traceback);
}

bool Session::finish_within(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const auto client = client_;
  if (!recorder_.is_empty()) outstanding_.push_back(send_pending(nullptr, {}));
  while (!outstanding_.empty()) {
    Sent sent = std::move(outstanding_.front());
    outstanding_.pop_front();
    std::optional<Reply> reply;
    for (bool is_over = false; !reply && !is_over;) {  // a signal ends a wait, not the grace
      const WithoutGil released;
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      is_over = left <= std::chrono::milliseconds(0);
      reply = client->take(sent.seq, std::max(left, std::chrono::milliseconds(0)));
    }
    if (!reply) {
      outstanding_.push_front(std::move(sent));
      return false;
    }
    book(sent, *reply);
  }
  return true;
}

void Session::abandon_all() {
  // One message for all that this client has sent: between two of them the engines could begin the next
  // batch.
  cancel();
  for (auto& sent : outstanding_) sent.is_abandoned = true;
  const auto cause = interrupted({});
  abandon_calls(cause);
  std::vector<FailurePtr> causes;  // by line
  for (const Site& site : recorder_.sites()) causes.push_back(interrupted(resolve(site)));
  std::vector<std::pair<protocol::ArrayId, FailurePtr>> lost;
  for (const auto& command : recorder_.pending().commands)
    if (command.creates) lost.emplace_back(command.out.base, causes[command.origin]);
  recorder_.abandon(cause);
  for (auto& [id, its_cause] : lost) recorder_.poison(id, std::move(its_cause));
  kept_codes_.clear();
  listeners_ = {};
}

Reply Session::settle(Sent sent) {
  Reply reply;
  if (sent.played != nullptr) {
    reply = std::move(*sent.played);
  } else {
    try {
      reply = wait_for(sent.seq);
    } catch (const PythonError&) {
      if (!is_lost_) {
        outstanding_.push_front(std::move(sent));
        stop_soon();
      }
      throw;
    }
  }
  book(sent, reply);
  return reply;
}

void Session::book(Sent& sent, const Reply& reply) {
  work_ahead_.answered(sent.seq);
  if (!reply.float_errors.empty() && !sent.is_abandoned)
    float_errors_.emplace_back(std::move(sent.listeners), reply.float_errors);
  const bool is_ok = reply.outcome == Outcome::ok;
  if (is_ok && sent.spreads.empty()) return;
  // Commands before the one at fault were run, as a program runs up to its error.
  const std::size_t first_lost =
      is_ok ? sent.written.size() : static_cast<std::size_t>(std::max<std::int64_t>(reply.command, 0));
  FailurePtr cause;
  if (reply.outcome == Outcome::cancelled)
    cause = interrupted_at(sent, first_lost);
  else if (!is_ok)
    cause = std::make_shared<const Failure>(Failure{reply.error, reply.message, reply.origin});
  book_calls(sent, first_lost, reply, cause);
  if (is_ok) return recorder_.forget_poison(sent.freed);
  // A batch that was cancelled or refused in the queue has not freed anything; to free twice does no harm.
  for (const auto id : sent.freed) recorder_.free(id);
  for (std::size_t index = first_lost; index < sent.written.size(); ++index)
    if (sent.written[index].is_created)
      recorder_.poison(sent.written[index].id,
                       reply.outcome == Outcome::cancelled ? interrupted_at(sent, index) : cause);
  recorder_.forget_poison(sent.freed);
  for (const auto& later : outstanding_) recorder_.forget_poison(later.freed);
  // An interrupt was reported when it happened; an error is raised by whoever waits next.
  if (!sent.is_abandoned && deferred_ == nullptr) deferred_ = cause;
}

void Session::settle_oldest() {
  Sent sent = std::move(outstanding_.front());
  outstanding_.pop_front();
  settle(std::move(sent));
  if (PyErr_CheckSignals() != 0) {  // it came while the reply did
    stop_soon();
    throw PythonError();
  }
}

void Session::settle_all() {
  while (!outstanding_.empty()) settle_oldest();
}

void Session::tell_float_errors() {
  const auto all = std::exchange(float_errors_, {});  // telling may run the user's code, and that the engines
  for (const auto& [listeners, errors] : all)
    for (const auto& each : errors) listeners.tell(each);
}

void Session::raise_deferred() {
  tell_float_errors();
  if (deferred_ == nullptr) return;
  const auto failure = std::exchange(deferred_, nullptr);
  if (failure->kind == ErrorKind::memory)
    garbage_.collect();  // who tries again finds what there is to be had
  raise_error(Error(failure->kind, failure->message), failure->origin);
}

void Session::flush(bool wait) {
  require_usable();
  hear_of_end();
  if (is_lost_) {
    if (has_unfinished()) fail(lost_cause_);
    return;
  }
  make_room();
  if (!recorder_.is_empty() || (wait && recorder_.has_frees()))
    outstanding_.push_back(send_pending(nullptr, {}));
  if (!wait) return;
  settle_all();
  garbage_.rest();
  raise_deferred();
}

std::vector<protocol::Bytes> Session::fetch(std::vector<protocol::View> views) {
  require_current();
  make_room();
  for (const auto& view : views) require_sound(view.base);
  const std::size_t wanted = views.size();
  Sent sent = send_pending(nullptr, views);
  try {
    settle_all();
  } catch (const PythonError&) {
    if (!is_lost_) {
      sent.is_abandoned =
          true;  // nobody waits for it any more, whether or not it was cancelled with the others
      outstanding_.push_back(std::move(sent));
    }
    throw;
  }
  Reply reply = settle(std::move(sent));
  raise_deferred();
  for (const auto& view : views)
    require_sound(view.base);  // the cut may have found what it would be computed from unsound
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
  if (client_ == nullptr) return "no engines: the batch is played by a model in this process";
  make_room();
  const auto seq = send(std::move(batch));
  const Reply reply = wait_for_answer(seq);
  if (reply.outcome != Outcome::ok) raise_error(Error(reply.error, reply.message), reply.origin);
  return reply.info;
}

std::string Session::status(double timeout_s) {
  const auto client = client_;
  if (client == nullptr) return "{}";
  const auto seq = send(protocol::StatusRequest{});
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    try {
      const WithoutGil released;
      if (auto reply = client->take(seq, poll_period)) return reply->info;
    } catch (const Error& error) {
      lose_with_cause(error.what());
      fail(lost_cause_);
    }
    const bool is_interrupted = PyErr_CheckSignals() != 0;
    const bool is_late =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > timeout_s;
    if (is_interrupted || is_late) client->forget(seq);
    if (is_interrupted) throw PythonError();
    if (is_late) throw Error(ErrorKind::timeout, "[status] the engines did not answer");
  }
}

Reply Session::wait_for_answer(std::uint64_t seq) {
  try {
    return wait_for(seq);
  } catch (const PythonError&) {
    if (client_ != nullptr) client_->forget(seq);
    throw;
  }
}

std::string Session::configure(std::vector<std::pair<std::string, std::string>> options) {
  require_current();
  flush(true);
  if (client_ == nullptr) return "{}";
  const auto seq = send(protocol::Configure{0, std::move(options)});
  const Reply reply = wait_for_answer(seq);
  if (reply.outcome != Outcome::ok) raise_error(Error(reply.error, reply.message));
  return reply.info;
}

}  // namespace gamelan::kernel
