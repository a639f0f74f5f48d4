// SPDX-License-Identifier: BSD-3-Clause
// Batches that were sent are settled in the order in which they were sent: the session waits for their
// replies and books their outcomes.
#include "kernel/recorder/session.hpp"

#include <algorithm>
#include <utility>

#include "kernel/recorder/call_number.hpp"
#include "kernel/recorder/fork.hpp"
#include "kernel/recorder/gil.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/pending/work.hpp"
#include "protocol/check.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Outcome;
using protocol::Reply;

namespace {

constexpr std::size_t outstanding_limit = 2;  // the engines compute one while the next is recorded

/// A batch for whose reply a thread waits, as long as it waits.
class InSettlement {
 public:
  InSettlement(std::vector<SentBatch*>& all, SentBatch& sent) : all_(all), sent_(&sent) {
    all_.push_back(sent_);
  }
  ~InSettlement() { std::erase(all_, sent_); }
  InSettlement(const InSettlement&) = delete;
  InSettlement& operator=(const InSettlement&) = delete;

 private:
  std::vector<SentBatch*>& all_;
  SentBatch* sent_;
};

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
                 outcomes_.note_loss();
                 hear_of_others();
                 if (!can_recover()) give_up();
                 return was_at_work;
               }) {
  recorder_.set_needed(
      [this](protocol::ArrayId id) { return unstored_.is_read(id) || set_aside_.contains(id); });
  watch_forks();
}

void Session::greet(double timeout_s) {
  engines_.greet(timeout_s);
  if (!who_.empty()) engines_.introduce(recorder_.holder(), who_);
  if (engines_.info() == "{}") return;
  garbage_.set_heap(engines_.heap_bytes());
  auto limits = recorder_.limits();
  limits.work = work_of_a_moment * std::max(engines_.ranks(), 1);
  recorder_.set_limits(limits);
}

void Session::tell_patience() {
  if (who_.empty() || is_forked_child()) return;
  try {
    engines_.introduce(recorder_.holder(), who_);
  } catch (const Error&) {  // they are gone; those that follow are told
  }
}

void Session::require_current() {
  if (is_dry()) return;
  require_own_process();
  survive();
  if (!is_current()) engines_.raise_lost_array();
}

void Session::require_own_process() {
  if (!is_forked_child()) return;
  PyErr_SetString(PyExc_RuntimeError,
                  "gamelan: this process was made by fork, and the engines belong to its parent: make it by "
                  "multiprocessing.get_context(\"spawn\"), or give it small arrays");
  throw PythonError();
}

void Session::require_no_failure(const Command& command) const {
  if (!command.creates) require_sound(command.out.base);
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<protocol::View>(&operand)) require_sound(view->base);
}

bool Session::begins_statement(const SourceLine& line) const {
  if (recorder_.is_empty()) return true;
  const SourceLine& last = recorder_.lines()[recorder_.pending().commands.back().origin];
  return line.code != last.code || line.offset <= last.offset || resolve(line).line != resolve(last).line;
}

void Session::before_record(const Command& command, const SourceLine& line, std::uint64_t call) {
  require_current();
  if (outcomes_.has_failure()) outcomes_.tell_failure();
  calls_.begin(call);
  const bool is_within = recorder_.is_within(call);
  const bool is_heavy = recorder_.is_heavy(command);
  const auto coming = command.creates ? protocol::element_count(command.out.extents) *
                                            static_cast<std::int64_t>(protocol::size_of(command.out.dtype))
                                      : 0;
  const bool is_tight = garbage_.may_not_fit(coming) && !is_within && begins_statement(line);
  const bool waits = is_heavy || is_tight;
  if (is_tight || (is_heavy && !is_within) || recorder_.wants_cut_before(line, call)) {
    make_room();
    if (!recorder_.is_empty()) outstanding_.push_back(send(waits ? nullptr : &line, {}));
    store_if_due();
  }
  if (waits) {
    settle_all();
    let_go();
  }
  if (waits && recorder_.is_empty())
    garbage_.note_settled(command.creates ? command.out.base - 1 : recorder_.last_id(), coming);
  if (outcomes_.has_failure()) outcomes_.tell_failure();
  if (recorder_.has_poisoned()) require_no_failure(command);
}

SentBatch Session::send(const SourceLine* next, std::vector<protocol::View> fetches,
                        std::optional<Batch> rider) {
  looked_at_.clear();
  if (!unstored_.is_empty()) drop_dead_recipes();
  SentBatch sent = sender_.send(next, std::move(fetches), std::move(rider));
  foresight_.note_freed(sent.freed);
  short_lived_.note_freed(sent.freed);
  if (engines_.is_lost() && !can_recover()) engines_.raise_lost();
  return sent;
}

/// An array is changed in place.
void Session::note_change() {
  foresight_.forget();
  near_.forget();
}

void Session::record(protocol::Command command) {
  protocol::check(command, {});  // here, at its line: engines refuse the whole batch
  if (is_dry()) return record_dry(std::move(command), nullptr);
  CurrentLine current = current_line();
  const auto call = call_number::recording();
  before_record(command, current.line, call);
  auto listener = FloatListeners::nobody;
  do {
    listener = sender_.listener_at(current);
  } while (restore_for(command));  // meanwhile batches were sent, and other threads may have looked
  if (recorder_.has_poisoned()) require_no_failure(command);
  if (!command.creates) note_change();
  sender_.add(std::move(command), std::move(current), call, listener);
}

void Session::record(protocol::Command command, protocol::Bytes payload) {
  if (is_dry()) return record_dry(std::move(command), &payload);
  CurrentLine current = current_line();
  const auto call = call_number::recording();
  before_record(command, current.line, call);
  while (restore_for(command)) {
  }
  if (!command.creates) note_change();
  sender_.add(std::move(command), std::move(current), call, std::move(payload));
}

void Session::require_sound(protocol::ArrayId id) const {
  if (const auto failure = recorder_.poison_of(id))
    raise_error(Error(failure->kind, failure->message), failure->origin);
}

bool Session::has_work() const {
  return !recorder_.is_empty() || !unstored_.is_empty() || outcomes_.has_untold() ||
         std::any_of(outstanding_.begin(), outstanding_.end(),
                     [](const SentBatch& sent) { return !sent.is_abandoned; });
}

bool Session::is_at_hand() const {
  const bool is_here =
      is_current() && !is_alone_ && !is_forked_child() && !engines_.has_ended() && engines_.has_lane();
  if (!is_here || !recorder_.pending().commands.empty() || !outstanding_.empty() || !in_settlement_.empty() ||
      outcomes_.has_untold())
    return false;
  const std::string status = engines_.last_status();  // at most a second old; at first nothing is known
  return status.find("\"clients\":") == std::string::npos ||
         status.find("\"clients\":1,") != std::string::npos;
}

bool Session::has_unfinished() const {
  if (!engines_.is_lost()) return has_work();
  return can_recover() ? has_work() && !engines_.is_told() : engines_.has_untold_loss_at_work();
}

void Session::make_room() {
  const auto is_abandoned = [](const SentBatch& sent) { return sent.is_abandoned; };
  const auto is_far_ahead = [&] {
    std::int64_t work = 0;
    for (const auto& sent : outstanding_) work += sent.work;
    return work / 2 >= recorder_.limits().work;
  };
  // What an interrupted batch still did decides which arrays the next one may read.
  while (outstanding_.size() >= outstanding_limit || is_far_ahead() ||
         std::any_of(outstanding_.begin(), outstanding_.end(), is_abandoned)) {
    settle_oldest();
  }
}

Reply Session::settle(SentBatch sent) {
  std::optional<Reply> reply;
  try {
    const InSettlement guard(in_settlement_, sent);
    while (sent.played == nullptr && !reply) {
      // Engines may have been replaced while it was on its way to the ones before. Who is alone with them
      // repeats it, and waits until it has its reply: it must not wait for a turn.
      if (is_anothers_turn() && (engines_.is_lost() || sent.engines != engines_.generation())) {
        wait_a_moment();
        continue;
      }
      if (sent.engines != engines_.generation() && !is_alone_ && !engines_.is_lost()) send_again(sent);
      if (sent.played == nullptr) reply = engines_.wait_for(sent.seq);
      if (reply || sent.played != nullptr) break;
      if (is_anothers_turn()) {
        wait_a_moment();
        continue;
      }
      survive();
      if (engines_.is_lost()) engines_.raise_lost();
    }
  } catch (const std::exception&) {
    const bool is_lost = engines_.is_lost();
    if (!is_lost || can_recover()) outstanding_.push_front(std::move(sent));
    if (!is_lost && !is_left_behind()) note_interrupt();
    throw;
  }
  const bool is_played = !reply;
  if (is_played) reply = std::move(*sent.played);
  if (!sent.made_by_rider.empty()) settle_rider(sent, *reply);
  if (!is_played) note_in_log(sent, *reply);
  book(sent, *reply);
  return std::move(*reply);
}

void Session::book(SentBatch& sent, const Reply& reply) {
  const auto epoch = outcomes_.epoch();
  note_unstored(sent, reply);
  outcomes_.book(sent, reply, outstanding_);
  tell_cut_of(sent, reply);
  if (outcomes_.epoch() == epoch) return;
  // The program has not come to what is pending. What was sent is cancelled by rank 0.
  const FailurePtr cause = outcomes_.failure_of_last_epoch();
  calls_.abandon(cause);
  sender_.abandon(cause);
}

void Session::settle_oldest() {
  SentBatch sent = std::move(outstanding_.front());
  outstanding_.pop_front();
  settle(std::move(sent));
  if (PyErr_CheckSignals() != 0) {  // an interrupt came together with the reply
    note_interrupt();
    throw PythonError();
  }
}

void Session::settle_all() {
  while (!outstanding_.empty()) settle_oldest();
  if (recorder_.is_empty()) garbage_.note_settled(recorder_.last_id());
}

void Session::flush(bool wait) {
  if (is_dry()) return;
  require_own_process();
  engines_.hear_of_end();
  if (engines_.is_lost() && !is_recovering_) {
    if (!has_unfinished()) return;
    if (!can_recover()) engines_.raise_lost();
  }
  survive();
  make_room();
  if (!recorder_.is_empty() || (wait && recorder_.has_frees())) outstanding_.push_back(send(nullptr, {}));
  if (!wait) return;
  settle_all();
  store_all();
  if (!late_.empty()) undo_late();
  is_interrupt_noted_ = false;
  garbage_.rest();
  outcomes_.tell();
  store_if_due();
}

std::vector<protocol::Bytes> Session::fetch(std::vector<protocol::View> views) {
  if (is_dry()) end_dry("a value of an array is needed");
  require_current();
  make_room();
  let_go();
  for (const auto& view : views) require_sound(view.base);
  restore_all(views);
  if (auto elements = look(views)) return std::move(*elements);
  while (restore_all(views)) {  // another thread may have looked meanwhile
  }
  const std::size_t wanted = views.size();
  SentBatch sent = send_for_look(views);
  try {
    const InSettlement guard(in_settlement_, sent);
    settle_all();
  } catch (const std::exception&) {
    if (!engines_.is_lost() || can_recover()) {
      sent.is_behind = true;  // nobody waits for what it fetches any more
      outstanding_.push_back(std::move(sent));
    }
    throw;
  }
  Reply reply = settle(std::move(sent));
  outcomes_.tell();
  for (const auto& view : views)
    require_sound(view.base);                 // at the cut its operands may have turned out to be poisoned
  if (reply.outcome == Outcome::cancelled) {  // with the commands of another thread, which was told why
    const auto& failure = outcomes_.failure_of_last_epoch();
    const auto cause = failure != nullptr ? failure : interrupted({});
    raise_error(Error(cause->kind, cause->message), cause->origin);
  }
  if (reply.outcome != Outcome::ok || reply.payloads.size() != wanted) {
    raise_error(Error(ErrorKind::internal, "[fetch] the engines answered with " +
                                               std::to_string(reply.payloads.size()) + " arrays, expected " +
                                               std::to_string(wanted)));
  }
  for (const auto& payload : reply.payloads) fetched_bytes_ += payload.size();
  store_if_due();
  return std::move(reply.payloads);
}

std::string Session::explain(std::vector<protocol::View> views) {
  if (is_dry()) end_dry("the engines are asked");
  require_current();
  restore_all(views);
  Batch batch = preview();
  batch.fetches = std::move(views);
  if (!engines_.has_client()) return "no engines: the batch is played by a model in this process";
  make_room();
  const Reply reply = engines_.ask(std::move(batch));
  if (reply.outcome != Outcome::ok) raise_error(Error(reply.error, reply.message), reply.origin);
  return reply.info;
}

std::string Session::configure(protocol::NamedOptions options) {
  if (is_dry()) end_dry("the engines are asked");
  require_current();
  flush(true);
  if (!engines_.has_client()) return "{}";
  for (const auto& [name, value] : options)
    if (!protocol::is_of_batches(name) && name != "reset_stats") options_[name] = value;
  const Reply reply = engines_.ask(protocol::Configure{0, options});
  if (reply.outcome != Outcome::ok) raise_error(Error(reply.error, reply.message));
  auto of_batches = sender_.options();
  for (auto& option : options) {
    if (!protocol::is_of_batches(option.first)) continue;
    std::erase_if(of_batches, [&](const auto& other) { return other.first == option.first; });
    of_batches.push_back(std::move(option));
  }
  sender_.set_options(std::move(of_batches));
  return reply.info;
}

void Session::leave() { engines_.leave(recorder_.holder()); }

}  // namespace gamelan::kernel
