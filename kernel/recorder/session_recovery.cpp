// SPDX-License-Identifier: BSD-3-Clause
// The engines die, the session lives: others take their place, and the commands of the log are repeated
// there. Then the batches that had no reply yet are sent again, and the program goes on where it waits.
#include "kernel/recorder/session.hpp"
// (Python.h first)
#include <algorithm>
#include <thread>
#include <utility>

#include "kernel/recorder/gil.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/log/sums.hpp"

namespace gamelan::kernel {

using protocol::Batch;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Outcome;
using protocol::Reply;

namespace {

constexpr int most_recoveries_in_a_row = 3;
constexpr int most_losses_of_a_batch = 2;
constexpr std::size_t most_frees = protocol::max_commands / 2;

}  // namespace

bool Session::can_recover() const {
  return engines_.is_lost() && is_current_ && !is_given_up_ && engines_.has_client() && CommandLog::is_on();
}

void Session::give_up() {
  is_given_up_ = true;
  outstanding_.clear();
  sender_.forget_lines();
  log_.clear();
}

void Session::note_in_log(SentBatch& sent, Reply& reply) {
  const auto now = std::chrono::steady_clock::now();
  const auto begun = std::max(sent.sent_at, last_reply_at_);
  last_reply_at_ = now;
  recoveries_in_a_row_ = 0;
  const bool is_ok = reply.outcome == Outcome::ok;
  if (sent.asks_for_sum) note_sum_of(sent, reply);
  if (sent.frames == nullptr || !CommandLog::is_on()) {
    std::vector<protocol::ArrayId> written;
    for (const auto& each : sent.written) written.push_back(each.id);
    return log_.skip(written, is_ok ? sent.freed : std::vector<protocol::ArrayId>());
  }
  const std::size_t ran =
      is_ok ? sent.written.size() : static_cast<std::size_t>(std::max<std::int64_t>(reply.command, 0));
  const auto is_older = [&](const SentBatch& other) { return other.number < sent.number; };
  const bool is_in_order = std::none_of(outstanding_.begin(), outstanding_.end(), is_older) &&
                           std::none_of(in_settlement_.begin(), in_settlement_.end(),
                                        [&](const SentBatch* other) { return is_older(*other); });
  log_.add({sent.number, std::move(sent.frames), ran, std::chrono::duration<double>(now - begun).count(),
            is_ok ? sent.freed : std::vector<protocol::ArrayId>(), std::move(sent.files),
            log_.note_told(sent.number, told_of_others(reply.info, recorder_.holder()))},
           is_in_order);
}

void Session::note_sum_of(SentBatch& sent, Reply& reply) {
  sent.asks_for_sum = false;
  auto batch = sent.frames == nullptr ? Batch() : std::get<Batch>(protocol::decode_request(*sent.frames));
  take_out_question(batch);
  if (reply.outcome == Outcome::ok && !reply.payloads.empty()) {
    note_answer(batch, reply.payloads.back());
    reply.payloads.pop_back();
  }
  if (sent.frames != nullptr)
    sent.frames =
        std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request(std::move(batch))));
}

void Session::survive() {
  end_if_left_behind();
  wait_for_my_turn();
  if (is_recovering_ || is_parting_) return;
  engines_.hear_of_end();
  if (can_recover()) recover();
}

void Session::part(const std::string& cause) {
  be_alone(true);
  is_parting_ = true;
  engines_.lose(cause);
}

void Session::end_part() {
  if (is_anothers_turn()) return;
  is_parting_ = false;
  be_alone(false);
}

void Session::recover() {
  struct Recovering {
    Session& session;
    bool was_alone;
    explicit Recovering(Session& of) : session(of), was_alone(of.is_alone_) {
      session.be_alone(true);
      session.is_recovering_ = true;
    }
    ~Recovering() {
      session.is_recovering_ = false;
      session.be_alone(was_alone);
    }
  } const guard(*this);
  near_.forget();  // others may compute other last bits
  try {
    do {
      if (recoveries_in_a_row_ >= most_recoveries_in_a_row) {
        give_up();
        engines_.raise_lost();
      }
      log_.prune();
      if (engines_.is_lost()) ask_start_hook();  // which calls `adopt`
      if (engines_.is_lost()) engines_.raise_lost();
      ++recoveries_in_a_row_;
      if (!options_.empty()) engines_.ask(protocol::Configure{0, {options_.begin(), options_.end()}});
      // Engines that were only out of reach may hold arrays of this session, under names, too.
      const auto kept = rejoin();
      if (engines_.is_lost()) continue;
      if (kept.empty()) log_.forget_told();
      auto now = log_without(kept);
      repeat(now);
      if (engines_.is_lost()) continue;
      for (const auto& [id, why] : now.lost()) {
        log_.lose(id, why);
        recorder_.poison(
            id, std::make_shared<const Failure>(
                    Failure{ErrorKind::engine_lost, "this array was lost with its engines: " + why, {}}));
      }
      publish_again();
      send_again();
    } while (engines_.is_lost());
  } catch (const std::exception&) {
    // Nothing is lost but time: the next use of an array begins again.
    if (!engines_.is_lost()) {
      recoveries_in_a_row_ = 0;  // these engines live
      engines_.lose("an interrupt, or an error, ended the repetition of what had been computed");
    }
    engines_.note_told();
    throw;
  }
}

void Session::adopt(const protocol::Connection& connection, std::vector<Route> routes, std::string directory,
                    double timeout_s) {
  const bool is_asked_for = !is_recovering_;
  if (is_asked_for) be_alone(true);
  try {
    engines_.replace(std::make_shared<Client>(connection, std::move(routes), std::move(directory)));
    greet(timeout_s);
    if (is_asked_for) {
      recoveries_in_a_row_ = 0;
      recover();
    }
  } catch (const std::exception& error) {
    engines_.lose(std::string("the engines that followed could not be used: ") + error.what());
    if (is_asked_for) end_part();
    throw;
  }
  if (is_asked_for) end_part();
}

void Session::free_there(std::vector<protocol::ArrayId> ids) {
  for (std::size_t first = 0; first < ids.size() && !engines_.is_lost(); first += most_frees) {
    Batch batch;
    batch.holder = recorder_.holder();
    const auto last = std::min(ids.size(), first + most_frees);
    batch.frees.assign(ids.begin() + static_cast<std::ptrdiff_t>(first),
                       ids.begin() + static_cast<std::ptrdiff_t>(last));
    Client::SharedFrames frames;
    engines_.wait_for(engines_.send_batch(std::move(batch), frames));
  }
}

void Session::repeat(CommandLog& log) {
  const auto lost = log.lost();
  for (CommandLog::Failed failed; !repeat_without(failed, log);) log.set_lost(lost);
}

bool Session::repeat_without(CommandLog::Failed& failed, CommandLog& log) {
  free_there(log.made());
  log.find_foreign();
  for (std::size_t number = 0; number < log.batches() && !engines_.is_lost(); ++number) {
    if (!log.foreign_of(number).empty()) free_there(log.foreign_of(number));
    std::vector<std::size_t> places;
    bool is_freed = false;
    for (bool is_first = true;; is_first = false) {
      auto batch = log.repeatable(number, places, failed);
      if (batch.commands.empty()) break;
      // What the batch gives back went with it, as the first time: what fuses away is not stored.
      if (is_freed && log.needs_freed(batch, number)) return false;
      auto expected = CommandLog::take_sums(batch);
      if (is_first) is_freed = expected.empty();
      if (is_first && is_freed) batch.frees = log.frees_of(number);
      std::vector<protocol::ArrayId> written, made;  // made: 0 for a command that makes none
      for (const auto& command : batch.commands) {
        written.push_back(command.out.base);
        made.push_back(command.creates ? command.out.base : 0);
      }
      batch.holder = recorder_.holder();  // not that of an earlier kernel
      batch.epoch = 0;                    // what cannot be repeated costs its own arrays only
      Client::SharedFrames frames;
      const auto reply = engines_.wait_for(engines_.send_batch(std::move(batch), frames));
      if (!reply) return true;  // to be begun again on other engines
      if (reply->outcome == Outcome::ok) {
        check_sums(log, expected);
        break;
      }
      // The command at fault costs its array, and those that need it. The others behind it go on.
      const auto at_fault = static_cast<std::size_t>(std::max<std::int64_t>(reply->command, 0));
      const auto last = reply->command < 0 ? written.size() - 1 : std::min(at_fault, written.size() - 1);
      for (auto index = std::min(at_fault, last); index <= last; ++index) {
        const auto why = "it could not be computed again: " + reply->message;
        failed.emplace(std::pair(number, places[index]), why);
        log.lose(written[index], why);
      }
      std::erase_if(expected, [&](const auto& each) { return each.command >= at_fault; });
      check_sums(log, expected);
      places.resize(last + 1);
      made.erase(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(last) + 1);
      std::erase(made, protocol::ArrayId{0});
      free_there(std::move(made));  // the engines call them lost, with the failed batch
    }
    if (!is_freed) free_there(log.frees_of(number));
  }
  return true;
}

Session::TakenOver Session::take_over(CommandLog log, const std::unordered_set<protocol::ArrayId>& wanted) {
  require_current();
  flush(true);
  log.keep_only(wanted);
  std::unordered_map<protocol::ArrayId, protocol::ArrayId> ids;
  log.renumber([&](protocol::ArrayId id) {
    const auto [entry, is_new] = ids.try_emplace(id, 0);
    if (is_new) entry->second = new_id();
    return entry->second;
  });
  repeat_beside(log);
  TakenOver result;
  for (const auto id : wanted) {
    const auto here = ids.find(id);
    const auto why = here == ids.end() ? log.lost().end() : log.lost().find(here->second);
    if (here == ids.end())
      result.emplace(id, "the log does not say how it was made");
    else if (why != log.lost().end())
      result.emplace(id, why->second);
    else
      result.emplace(id, here->second);
  }
  log_.append(std::move(log), sender_.batches());
  return result;
}

void Session::repeat_beside(CommandLog& log) {
  try {
    for (repeat(log); engines_.is_lost(); repeat(log)) {
      survive();
      if (engines_.is_lost()) engines_.raise_lost();
    }
  } catch (const std::exception&) {
    for (const auto id : log.made()) recorder_.free(id);
    throw;
  }
}

Session::TakenOver Session::make_again(std::uint64_t mark, const std::vector<protocol::ArrayId>& wanted,
                                       const std::function<void(std::size_t, double)>& tell) {
  require_current();
  flush(true);
  ask_of_others();
  struct Alone {  // what is read on the engines must not be freed meanwhile
    Session& session;
    explicit Alone(Session& of) : session(of) { session.be_alone(true); }
    ~Alone() { session.be_alone(false); }
  } const guard(*this);
  auto past = log_.past(mark, wanted, recorder_.peek_frees(), [this] { return new_id(); });
  tell(past.log.commands(), past.log.seconds());
  repeat_beside(past.log);
  TakenOver result;
  for (const auto& [then, now] : past.made) {
    const auto why = past.log.lost().find(now);
    if (why != past.log.lost().end())
      result.emplace(then, why->second);
    else
      result.emplace(then, now);
  }
  log_.append(std::move(past.log), sender_.batches());
  return result;
}

void Session::send_again() {
  std::vector<SentBatch*> all = in_settlement_;
  for (auto& sent : outstanding_) all.push_back(&sent);
  std::erase_if(all, [](const SentBatch* sent) { return sent->played != nullptr; });
  std::sort(all.begin(), all.end(),
            [](const SentBatch* left, const SentBatch* right) { return left->number < right->number; });
  if (!all.empty()) ++all.front()->losses;
  bool is_refused = false;
  for (SentBatch* sent : all) {
    if (is_refused && !sent->is_abandoned)
      refuse(*sent, protocol::failed_reply(0, ErrorKind::engine_lost, "a statement before this has failed"));
    else
      is_refused = !send_again(*sent) || is_refused;
  }
}

void Session::refuse(SentBatch& sent, Reply reply, std::size_t command) {
  reply.seq = sent.seq;
  reply.command = static_cast<std::int64_t>(command);
  const std::size_t origin = command < sent.written.size() ? sent.written[command].origin : 0;
  if (origin < sent.origins.size()) reply.origin = sent.origins[origin];
  sent.played = std::make_shared<Reply>(std::move(reply));
}

bool Session::send_again(SentBatch& sent) {
  sent.engines = engines_.generation();
  // An interrupt has cancelled it, or rank 0 would have, because of an error before it.
  if (sent.is_abandoned || sent.epoch != outcomes_.epoch()) {
    Reply reply;
    reply.outcome = Outcome::cancelled;
    refuse(sent, std::move(reply));
    return true;
  }
  const auto is_refused_for = [&](const char* why) {
    refuse(sent, protocol::failed_reply(0, ErrorKind::engine_lost, why));
    return false;
  };
  if (sent.frames == nullptr)
    return is_refused_for("it was sent while no log was kept (np.config.log_bytes)");
  if (sent.losses >= most_losses_of_a_batch)
    return is_refused_for("the engines ended each time they came to this: the arrays are as before it");
  auto batch = std::get<Batch>(protocol::decode_request(*sent.frames));
  if (std::exchange(sent.asks_for_sum, false)) take_out_question(batch);  // there may be other ranks now
  std::string why;
  const auto is_lost = [&](const protocol::View& view) {
    const auto found = log_.lost().find(view.base);
    if (found != log_.lost().end()) why = found->second;
    return found != log_.lost().end();
  };
  const auto needs_lost = [&](const protocol::Command& command) {
    return is_lost(command.out) ||
           std::any_of(command.in.begin(), command.in.end(), [&](const auto& operand) {
             const auto* view = std::get_if<protocol::View>(&operand);
             return view != nullptr && is_lost(*view);
           });
  };
  const auto first = std::find_if(batch.commands.begin(), batch.commands.end(), needs_lost);
  if (first != batch.commands.end() || std::any_of(batch.fetches.begin(), batch.fetches.end(), is_lost)) {
    const auto count = static_cast<std::size_t>(first - batch.commands.begin());
    return send_beginning(sent, std::move(batch), count,
                          "an array that this needs was lost with its engines: " + why);
  }
  sent.seq = engines_.send_batch(std::move(batch), sent.frames);
  sent.sent_at = std::chrono::steady_clock::now();
  outcomes_.note_sent(sent);
  return true;
}

bool Session::send_beginning(SentBatch& sent, Batch batch, std::size_t count, const std::string& why) {
  if (count > 0) {
    batch.commands.resize(count);
    batch.fetches.clear();
    batch.frees.clear();
    Client::SharedFrames frames;
    const auto reply = engines_.wait_for(engines_.send_batch(std::move(batch), frames));
    if (!reply) return true;  // lost again: all is sent again
    if (reply->outcome != Outcome::ok)
      count = static_cast<std::size_t>(std::max<std::int64_t>(reply->command, 0));
    log_.add({sent.number, sent.frames, count, 0, {}, sent.files}, false);
  }
  refuse(sent, protocol::failed_reply(0, ErrorKind::engine_lost, why), count);
  return false;
}

}  // namespace gamelan::kernel
