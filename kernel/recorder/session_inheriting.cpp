// SPDX-License-Identifier: BSD-3-Clause
// Engines that live still have arrays of a client that was away. A notebook's kernel is lost: the next kernel
// gets the arrays as they lie there. A client comes back after its lease: what others hold is there. And who
// holds arrays.
#include "kernel/recorder/session.hpp"
// (Python.h first)
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "kernel/recorder/gil.hpp"
#include "kernel/recorder/hooks.hpp"

namespace gamelan::kernel {

using protocol::ArrayId;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Holding;
using protocol::Outcome;
using protocol::Reply;
using Ids = std::unordered_set<ArrayId>;

namespace {

using std::chrono::milliseconds;
constexpr milliseconds until_sure{4500}, pause{300};
constexpr const char* no_log = "it is of an earlier kernel, and no log of that was kept";

Ids ids_of(const nlohmann::json& told, const char* name) {
  Ids ids;
  for (const auto& id : told.at(name)) ids.insert(id.get<ArrayId>());
  return ids;
}

}  // namespace

CommandLog::Told told_of_others(const std::string& info, std::uint64_t holder) {
  constexpr const char* name = "written_by_others";
  CommandLog::Told told;
  if (info.find(name) == std::string::npos) return told;
  const auto facts = nlohmann::json::parse(info, nullptr, false);
  if (!facts.is_object() || !facts.contains(name)) return told;
  for (const auto& each : facts.at(name))  // heartbeats are for all clients: they name the maker, too
    if (each.size() == 2 || each.at(2).get<std::uint64_t>() == holder)
      told.emplace_back(each.at(0).get<ArrayId>(), each.at(1).get<std::uint64_t>());
  return told;
}

void Session::hear_of_others() {
  log_.add_foreign(sender_.batches(), told_of_others(engines_.last_status(), recorder_.holder()));
}

void Session::ask_of_others() {
  if (!log_.has_shared() || !engines_.has_client()) return;
  const auto reply = ask_holding(Holding{0, Holding::Ask::list, recorder_.holder(), 0, "", ""});
  const auto facts = nlohmann::json::parse(reply.info, nullptr, false);
  CommandLog::Told told;
  for (const auto& each : facts.at("arrays"))
    if (const auto when = each.at("written_by_others").get<std::uint64_t>(); when > 0)
      told.emplace_back(each.at("id").get<ArrayId>(), when);
  log_.add_foreign(sender_.batches(), told);
}

Ids Session::rejoin() {
  const auto ask = [&](Holding::Ask what) {
    return engines_.tell(Holding{0, what, recorder_.holder(), 0, "", ""});
  };
  const auto reply = ask(Holding::Ask::rejoin);
  if (!reply) return {};
  if (reply->outcome != protocol::Outcome::ok) {
    ask(Holding::Ask::clear);  // all of it is made anew, under the same ids
    return {};
  }
  const auto kept = ids_of(nlohmann::json::parse(reply->info), "kept");
  // What has no reply yet is sent again. It may have run there: an array in which it writes is made anew.
  std::vector<const SentBatch*> unanswered(in_settlement_.begin(), in_settlement_.end());
  for (const auto& sent : outstanding_) unanswered.push_back(&sent);
  for (const auto* sent : unanswered)
    for (const auto& written : sent->written)
      if (!written.is_created && kept.contains(written.id)) {
        ask(Holding::Ask::clear);
        return {};
      }
  return kept;
}

CommandLog Session::log_without(const Ids& kept) {
  auto now = log_.of_now();
  if (kept.empty()) return now;
  std::vector<ArrayId> missing, dead;
  Ids living;
  for (const auto& view : now.living()) {
    living.insert(view.base);
    if (!kept.contains(view.base)) missing.push_back(view.base);
  }
  for (const auto id : kept)
    if (!living.contains(id) && !now.lost().contains(id)) dead.push_back(id);
  free_there(std::move(dead));  // named there, and of no variable here
  // Nothing is read of what others may have changed: what was made from it is made from its commands.
  const auto end = now.mark(missing, std::numeric_limits<std::uint64_t>::max());
  auto past = now.past(end, missing, now.made(), [this] { return new_id(); });
  std::unordered_map<ArrayId, ArrayId> own;
  for (const auto& [then, made] : past.made) own.emplace(made, then);
  past.log.renumber([&](ArrayId id) {
    const auto found = own.find(id);
    return found == own.end() ? id : found->second;
  });
  for (const auto& [id, why] : now.lost())
    if (!kept.contains(id)) past.log.lose(id, why);
  return std::move(past.log);
}

std::string Session::ask_to_inherit(Earlier earlier) {
  const auto granted = std::exchange(granted_, std::nullopt);
  if (granted && granted->earlier.holder == earlier.holder && granted->earlier.mark == earlier.mark &&
      granted->engines == engines_.generation())
    return granted->told;
  if (granted && granted->engines == engines_.generation()) {  // nobody asks for those any more
    const auto told = nlohmann::json::parse(granted->told);
    for (const char* which : {"same", "shared", "others"})
      for (const auto id : ids_of(told, which)) recorder_.free(id);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const auto reply = ask_holding(Holding{0, Holding::Ask::inherit, recorder_.holder(), earlier.holder,
                                           std::to_string(earlier.mark), earlier.has_ended ? "ended" : ""});
    if (reply.outcome == protocol::Outcome::ok) return reply.info;
    const bool is_late = std::chrono::steady_clock::now() - begin > until_sure;
    if (reply.error != ErrorKind::timeout || is_late) raise_error(Error(reply.error, reply.message));
    if (PyErr_CheckSignals() != 0) throw PythonError();
    const WithoutGil released;
    std::this_thread::sleep_for(pause);
  }
}

Session::Inherited Session::inherit(Earlier earlier, CommandLog log, const Ids& wanted) {
  require_current();
  flush(true);
  Inherited result;
  if (!engines_.has_client()) return {take_over(std::move(log), wanted), {}, {}, 0};
  const auto told = nlohmann::json::parse(ask_to_inherit(earlier));
  const auto same = ids_of(told, "same");
  result.shared = ids_of(told, "shared");
  result.written = ids_of(told, "written");
  std::vector<ArrayId> unwanted;
  for (const auto id : ids_of(told, "others")) unwanted.push_back(id);
  Ids kept;
  for (const auto* ids : {&same, &std::as_const(result.shared)})
    for (const auto id : *ids) {
      if (wanted.contains(id))
        kept.insert(id);
      else
        unwanted.push_back(id);
    }
  for (const auto& each : told.at("names")) {
    const Holding published{0,
                            Holding::Ask::publish,
                            recorder_.holder(),
                            each.at("array").get<ArrayId>(),
                            each.at("name").get<std::string>(),
                            each.at("about").get<std::string>()};
    published_[published.name] = published;
    shared_.insert(published.array);
  }
  free_there(std::move(unwanted));
  if (kept.empty()) return {take_over(std::move(log), wanted), {}, {}, 0};
  try {
    inherit_kept(std::move(log), wanted, kept, result);
  } catch (const std::exception&) {
    for (const auto id : kept) recorder_.free(id);
    throw;
  }
  return result;
}

void Session::inherit_kept(CommandLog log, const Ids& wanted, const Ids& kept, Inherited& result) {
  std::vector<ArrayId> missing, gone;
  for (const auto id : wanted)
    if (!kept.contains(id)) missing.push_back(id);
  for (const auto id : log.made())
    if (!kept.contains(id) || result.shared.contains(id)) gone.push_back(id);  // others may have written it
  const auto end = log.mark({wanted.begin(), wanted.end()}, std::numeric_limits<std::uint64_t>::max());
  auto past = log.past(end, missing, gone, [this] { return new_id(); });
  log.keep_marks({});
  log.keep_only(kept);
  const auto made = log.made();
  const Ids made_here(made.begin(), made.end());
  for (const auto id : kept) {
    if (made_here.contains(id))
      recorder_.inherit(id);
    else
      log.lose(id, no_log);
    result.arrays.emplace(id, id);
  }
  shared_.insert(result.shared.begin(), result.shared.end());
  for (const auto id : result.shared) log_.note_shared(id);  // before anybody asks for them
  result.taken = kept.size();
  log_.append(std::move(log), sender_.batches());
  repeat_beside(past.log);
  for (const auto& [then, now] : past.made) {
    const auto why = past.log.lost().find(now);
    if (why != past.log.lost().end())
      result.arrays.insert_or_assign(then, why->second);
    else
      result.arrays.insert_or_assign(then, now);
  }
  log_.append(std::move(past.log), sender_.batches());
}

Reply Session::ask_holding(const Holding& wanted) {
  const auto seq = engines_.send(wanted);
  const auto engines = engines_.generation();
  try {
    if (auto reply = engines_.wait_for(seq)) return std::move(*reply);
  } catch (const PythonError&) {
    late_.push_back({seq, engines, wanted});
    throw;
  }
  if (engines_.is_lost()) engines_.raise_lost();
  throw Error(ErrorKind::engine_lost,
              "other engines have taken the place of those that were asked: try again");
}

void Session::undo_late() {
  while (!late_.empty()) {
    const Late late = late_.back();
    std::optional<Reply> reply;
    if (late.engines == engines_.generation() && !engines_.is_lost()) reply = engines_.wait_for(late.seq);
    late_.pop_back();
    if (!reply || reply->outcome != protocol::Outcome::ok) continue;
    const auto told = nlohmann::json::parse(reply->info, nullptr, false);
    if (late.wanted.ask == Holding::Ask::publish)
      engines_.tell(Holding{0, Holding::Ask::unpublish, recorder_.holder(), 0, late.wanted.name, ""});
    if (late.wanted.ask == Holding::Ask::attach) recorder_.free(told.at("array").get<ArrayId>());
    if (late.wanted.ask == Holding::Ask::inherit)  // they are kept for who asks again: there may be no log
      granted_ = {{late.wanted.array, std::stoull(late.wanted.name)}, late.engines, reply->info};
  }
}

std::string Session::hold(protocol::Holding wanted) {
  if (is_dry()) end_dry("the engines are asked");
  require_current();
  flush(true);
  if (wanted.ask == protocol::Holding::Ask::publish) require_sound(wanted.array);
  if (!engines_.has_client()) return "{}";
  wanted.holder = recorder_.holder();
  if (wanted.ask == protocol::Holding::Ask::publish) shared_.insert(wanted.array);
  undo_late();
  const auto reply = ask_holding(wanted);
  if (reply.outcome != Outcome::ok) raise_error(Error(reply.error, reply.message));
  if (wanted.ask == protocol::Holding::Ask::publish) published_[wanted.name] = wanted;
  if (wanted.ask == protocol::Holding::Ask::unpublish) published_.erase(wanted.name);
  if (wanted.ask == protocol::Holding::Ask::attach) {
    const auto told = nlohmann::json::parse(reply.info, nullptr, false);
    const auto id = told.is_object() ? told.value("array", protocol::ArrayId{0}) : 0;
    if (id != 0 && !recorder_.is_own(id)) {
      recorder_.forget_poison({id});  // it was lost with engines, and its publisher has computed it again
      log_.lose_for_ever(id,
                         "it was attached as '" + wanted.name + "', not computed here: np.attach it again",
                         "it was made from the array attached as '" + wanted.name +
                             "', which this program did not compute: np.attach that again, and run again "
                             "what made this one");
    }
  }
  return reply.info;
}

void Session::publish_again() {
  for (auto& [name, wanted] : published_) {
    if (engines_.is_lost()) return;
    // Another client may have taken the name meanwhile.
    if (!log_.lost().contains(wanted.array)) engines_.tell(wanted);
  }
}

}  // namespace gamelan::kernel
