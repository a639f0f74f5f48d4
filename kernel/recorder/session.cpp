// SPDX-License-Identifier: BSD-3-Clause
// The life of a session, and what it sends. The order of everything here is the order of the user's program:
// a batch is cut and handed to the client without letting go of the GIL in between, so two threads that flush
// cannot change places.
#include "kernel/recorder/session.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/inspect.hpp"
#include "kernel/recorder/user_call.hpp"
#include "protocol/check.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Outcome;
using protocol::Reply;

namespace {

constexpr auto poll_period = std::chrono::milliseconds(100);
constexpr std::int64_t work_per_rank = 300'000'000;  // four for an element of a pass over memory: a tenth of
                                                     // a second, so that an interrupt finds little ahead

std::shared_ptr<Session> current_session;

std::string human_bytes(std::int64_t bytes) {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3g %s", value, units[unit]);
  return text;
}

}  // namespace

Session::Session(const protocol::Connection& connection, std::vector<Route> routes, std::string directory,
                 PyObject* executor) {
  watch_forks();
  if (executor != nullptr)
    executor_ = Ref::borrow(executor);
  else
    client_ = std::make_shared<Client>(connection, std::move(routes), std::move(directory));
}

Session::~Session() {
  if (is_forked_child()) {
    new std::shared_ptr<Client>(
        std::move(client_));  // never ends: its thread did not survive the fork, joining would hang
  } else if (client_ != nullptr) {
    const WithoutGil released;
    client_.reset();
  }
}

void Session::greet(double timeout_s) {
  if (client_ == nullptr) return;
  const auto start = std::chrono::steady_clock::now();
  const auto seq =
      client_->send(protocol::Hello{0, protocol::protocol_version, protocol::fingerprint(), "gamelan"});
  std::optional<Reply> reply;
  while (!reply) {
    {
      const WithoutGil released;
      reply = client_->take(seq, poll_period);
    }
    if (PyErr_CheckSignals() != 0) throw PythonError();
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    if (const auto cause = reply ? std::nullopt : ask_wait_hook(waited.count(), nullptr)) {
      throw Error(ErrorKind::engine_lost, *cause);
    }
    if (!reply && waited.count() > timeout_s) {
      throw Error(ErrorKind::timeout, "[connect] the engines did not answer within " +
                                          std::to_string(static_cast<int>(timeout_s)) + " s");
    }
  }
  if (reply->outcome != Outcome::ok) raise_error(Error(reply->error, reply->message));
  info_ = reply->info;
  const auto facts = nlohmann::json::parse(info_, nullptr, false);
  if (facts.is_object()) {
    ranks_ = facts.value("ranks", 0);
    heap_bytes_ = facts.value("heap_bytes_per_rank", std::int64_t{0}) * ranks_;
    garbage_.set_heap(heap_bytes_);
    auto limits = recorder_.limits();
    limits.work = work_per_rank * std::max(ranks_, 1);
    recorder_.set_limits(limits);
  }
}

std::shared_ptr<Session> Session::current_or_null() { return current_session; }

std::shared_ptr<Session> Session::current() {
  if (current_session != nullptr && current_session->has_ended() && !is_forked_child()) {
    const auto kept = current_session;  // the hook lets other threads in, which may replace it
    kept->hear_of_end();
  }
  if (current_session != nullptr && !current_session->is_lost_) {
    current_session->require_usable();
    return current_session;
  }
  if (is_forked_child()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "gamelan: the engines belong to the process that forked this one; use distributed "
                    "arrays there, or start engines of your own in a fresh process");
    throw PythonError();
  }
  ask_start_hook();
  if (current_session == nullptr || current_session->is_lost_) {
    throw Error(ErrorKind::engine_lost, "the engines could not be started");
  }
  return current_session;
}

void Session::set_current(std::shared_ptr<Session> session) {
  const auto old = std::exchange(current_session, std::move(session));
  if (old == nullptr || is_forked_child()) return;
  old->lose("they were disconnected");
  auto client = std::exchange(old->client_, nullptr);  // a thread that waits holds it a moment longer
  const WithoutGil released;
  client.reset();
}

bool Session::is_current() const { return !is_lost_ && current_session.get() == this; }

void Session::require_current() {
  require_usable();
  hear_of_end();
  if (!is_current()) {
    is_told_ = true;
    raise_error(Error(ErrorKind::engine_lost, "the engines that held this array are gone: " + lost_cause_));
  }
}

void Session::require_usable() const {
  if (!is_forked_child()) return;
  PyErr_SetString(PyExc_RuntimeError,
                  "gamelan: this array lives on engines of the process that forked this one");
  throw PythonError();
}

void Session::check_fits(std::int64_t bytes, PyObject* proxy) const {
  if (heap_bytes_ == 0 || bytes <= heap_bytes_) return;
  Ref shape = Ref::checked(PyObject_GetAttrString(proxy, "shape"));
  Ref text = Ref::checked(PyUnicode_FromFormat(
      "%S and data type %S", shape.get(),
      reinterpret_cast<PyObject*>(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(proxy)))));
  const char* what = PyUnicode_AsUTF8(text.get());
  raise_error(Error(ErrorKind::memory,
                    "Unable to allocate " + human_bytes(bytes) + " for an array with shape " +
                        (what ? what : "?") + ": the " + std::to_string(ranks_) + " engines have " +
                        human_bytes(heap_bytes_) + " together (" + human_bytes(heap_bytes_ / ranks_) +
                        " each; more engines or GAMELAN_HEAP give more)"));
}

void Session::before_record(const SourceLine& line, std::uint64_t call) {
  require_current();
  if (call != 0 && (open_calls_.empty() || open_calls_.back().number != call) &&
      std::none_of(open_calls_.begin(), open_calls_.end(),
                   [&](const OpenCall& open) { return open.number == call; })) {
    open_calls_.push_back({call, nullptr});
  }
  if (!recorder_.wants_cut_before(line, call)) return;
  make_room();
  outstanding_.push_back(send_pending(&line, {}));
}

void Session::note_write(const Array* target, protocol::Dtype dtype) {
  target->b->is_recorded = true;
  if (dtype != protocol::Dtype::bool_) target->b->may_hold_any_bytes = true;
  ++target->b->version;
}

void Session::record(const Array* target, protocol::Command command) {
  protocol::check(command, {});  // here, at its line: engines refuse the whole batch
  const auto dtype = command.out.dtype;
  CurrentLine current = current_line();
  const auto call = UserCall::recording();
  before_record(current.line, call);
  const auto listener = current.is_numpys_own ? listeners_.current() : 0;
  if (recorder_.add(std::move(command), current.line, listener, call)) keep(std::move(current));
  note_write(target, dtype);
}

void Session::record(const Array* target, protocol::Command command, protocol::Bytes payload) {
  CurrentLine current = current_line();
  const auto call = UserCall::recording();
  before_record(current.line, call);
  const auto dtype = command.out.dtype;
  if (recorder_.add(std::move(command), current.line, 0, call, std::move(payload))) keep(std::move(current));
  note_write(target, dtype);
}

void Session::keep(CurrentLine current) {
  kept_codes_.try_emplace(current.line.code, std::move(current.code));
  listeners_.add_line(std::move(current.globals));
}

Batch Session::cut(const SourceLine* next, Sent& sent) {
  auto result = recorder_.cut(next);
  for (const SourceLine& line : result.lines) result.batch.origins.push_back(resolve(line));
  sent.listeners = std::exchange(listeners_, {});
  sent.listeners.close(result.batch, result.listeners);
  result.batch.watched = static_cast<std::uint8_t>(sent.listeners.watched());
  sent.written.reserve(result.calls.size());
  for (std::size_t index = 0; index < result.calls.size(); ++index) {
    const auto& command = result.batch.commands[index];
    sent.written.push_back({command.out.base, result.calls[index], command.origin, command.creates});
  }
  sent.origins = result.batch.origins;
  for (OpenCall& open : open_calls_) {
    if (std::find(result.calls.begin(), result.calls.end(), open.number) == result.calls.end()) continue;
    if (open.spread == nullptr) open.spread = std::make_shared<Spread>();
    sent.spreads.emplace_back(open.number, open.spread);
  }
  std::erase_if(open_calls_, [](const OpenCall& open) { return open.has_ended; });
  kept_codes_.clear();
  if (result.blocked != nullptr && deferred_ == nullptr) deferred_ = result.blocked;
  return std::move(result.batch);
}

Session::Sent Session::send_pending(const SourceLine* next, std::vector<protocol::View> fetches) {
  Sent sent;
  Batch batch = cut(next, sent);
  sent.freed = batch.frees;
  batch.fetches = std::move(fetches);
  std::erase_if(batch.fetches,
                [&](const protocol::View& view) { return recorder_.poison_of(view.base) != nullptr; });
  ++batches_;
  if (client_ != nullptr) {
    sent.seq = send(std::move(batch));
  } else {
    sent.played = std::make_shared<Reply>(play(batch));
  }
  work_ahead_.sent(sent.seq, sent.written.size());
  return sent;
}

void Session::require_sound(protocol::ArrayId id) const {
  if (const auto failure = recorder_.poison_of(id))
    raise_error(Error(failure->kind, failure->message), failure->origin);
}

Batch Session::preview() {
  Batch batch = recorder_.pending();
  batch.frees = recorder_.peek_frees();
  for (const SourceLine& line : recorder_.lines()) batch.origins.push_back(resolve(line));
  return std::get<Batch>(protocol::decode_request(protocol::encode(protocol::Request{std::move(batch)})));
}

Reply Session::play(const Batch& batch) {
  // Through the codec, so that what the model executes is what engines would have received.
  const auto decoded = std::get<Batch>(protocol::decode_request(protocol::encode(protocol::Request{batch})));
  Ref message = Ref::checked(to_python(decoded));
  Ref answer = Ref::checked(PyObject_CallOneArg(executor_.get(), message.get()));
  Reply reply;
  reply.payloads = bytes_list(answer.get());
  return reply;
}

bool Session::has_unfinished() const {
  if (is_lost_) return was_at_work_ && !is_told_;  // said once
  return !recorder_.is_empty() || deferred_ != nullptr || !float_errors_.empty() ||
         std::any_of(outstanding_.begin(), outstanding_.end(),
                     [](const Sent& sent) { return !sent.is_abandoned; });
}

void Session::cancel() {
  if (client_ != nullptr && !has_ended()) client_->forget(client_->send(protocol::Cancel{}));
}

void Session::shutdown() {
  if (client_ != nullptr && !has_ended()) client_->forget(client_->send(protocol::Shutdown{}));
}

void Session::lose(const std::string& cause) {
  if (is_lost_) return;
  was_at_work_ = has_unfinished();
  is_lost_ = true;
  lost_cause_ = cause;
  outstanding_.clear();
  work_ahead_.lost();
  kept_codes_.clear();
  if (client_ != nullptr && !is_forked_child()) client_->lose(cause);
}

void Session::lose_with_cause(const std::string& found) {
  const auto cause = ask_wait_hook(0, found.c_str());
  lose(cause ? *cause : found);
}

std::optional<std::string> Session::take_untold_loss() {
  if (!is_lost_ || std::exchange(is_told_, true)) return std::nullopt;
  return lost_cause_;
}

std::uint64_t Session::send(protocol::Request request) {
  try {
    return client_->send(std::move(request));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::engine_lost) throw;
    lose_with_cause(error.what());
  }
  fail(lost_cause_);
}

void Session::fail(const std::string& cause) {
  lose(cause);
  is_told_ = true;
  raise_error(Error(ErrorKind::engine_lost, cause));
}

}  // namespace gamelan::kernel
