// SPDX-License-Identifier: BSD-3-Clause
// Who holds the session's arrays: clients come and leave, arrays get names.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/session/holdings.hpp"
#include "engine/session/session.hpp"

namespace gamelan::engine {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Error;
using protocol::ErrorKind;
using Ask = protocol::Holding::Ask;
using Json = nlohmann::json;

void Session::tell_of_others(const Batch& batch, protocol::Reply& reply) const {
  if (comm_.rank() != 0) return;
  auto told = Json::array();
  for (const auto& [id, maker, when] : holders_.written_by_others()) {
    const auto is_it = [id = id](const protocol::View& view) { return view.base == id; };
    const auto uses = [&](const protocol::Command& command) {
      return is_it(command.out) ||
             std::any_of(command.in.begin(), command.in.end(), [&](const auto& operand) {
               const auto* view = std::get_if<protocol::View>(&operand);
               return view != nullptr && is_it(*view);
             });
    };
    if (maker == batch.holder && (std::any_of(batch.commands.begin(), batch.commands.end(), uses) ||
                                  std::any_of(batch.fetches.begin(), batch.fetches.end(), is_it)))
      told.push_back({id, when});
  }
  if (!told.empty()) reply.info = Json{{"written_by_others", told}}.dump();
}

void Session::note_holder(const Batch& batch, std::size_t made, const std::vector<ArrayId>& freed) {
  const auto is_gone = [&](ArrayId id) { return !arrays_.contains(id) && !elided_.contains(id); };
  for (const auto* ids : {&freed, &batch.frees})
    for (const auto id : *ids)
      if (holders_.knows(id) && is_gone(id)) holders_.forget(id);
  static const protocol::Origin nowhere;
  for (std::size_t c = made; c < batch.commands.size(); ++c) {
    const auto& command = batch.commands[c];
    if (!command.creates || is_gone(command.out.base)) continue;
    holders_.note(command.out.base, batch.holder,
                  command.origin < batch.origins.size() ? batch.origins[command.origin] : nowhere,
                  batch_number_);
  }
  protocol::ArrayId last = 0;  // a loop writes to the same one again and again
  for (const auto& command : batch.commands)
    if (!command.creates && std::exchange(last, command.out.base) != command.out.base)
      holders_.note_write(command.out.base, batch.holder, batch_number_);
  progress_.set_foreign(holders_.written_by_others());
}

void Session::free_all(std::vector<ArrayId> ids) {
  if (ids.empty()) return;
  Batch batch;  // the way of all frees: what equals a view of these is stored first
  batch.frees = std::move(ids);
  execute(batch);
}

void Session::part(const protocol::Holding& wanted) {
  const auto who = holders_.who(wanted.holder);
  const auto parted = holders_.leave(wanted.holder, wanted.ask == Ask::clear);
  std::int64_t bytes = 0;
  for (const auto id : parted.frees)
    if (const auto* array = arrays_.find(id)) bytes += array->bytes();
  free_all(parted.frees);
  for (const auto id : parted.lost)
    arrays_.poison(id, Error(ErrorKind::array_lost, "this array was attached, and " + who +
                                                        " has lost it with its own: np.attach it again"));
  if (comm_.rank() == 0 && !wanted.about.empty())
    std::fprintf(stderr, "gamelan-engine: %s: %s; its arrays are freed: %zu with %lld bytes\n", who.c_str(),
                 wanted.about.c_str(), parted.frees.size(), static_cast<long long>(bytes));
}

std::string Session::rejoin(const protocol::Holding& wanted) {
  const auto rejoined = holders_.rejoin(wanted.holder);
  free_all(rejoined.frees);
  std::vector<ArrayId> kept;
  for (const auto id : rejoined.kept)
    if (arrays_.contains(id) || elided_.contains(id)) kept.push_back(id);
  return Json{{"kept", kept}}.dump();
}

std::string Session::inherit(const protocol::Holding& wanted) {
  const auto earlier = wanted.array;
  const auto key = std::strtoull(wanted.name.c_str(), nullptr, 10);
  auto inherited = holders_.inherit(wanted.holder, earlier, key);
  const auto is_gone = [&](ArrayId id) { return !arrays_.contains(id) && !elided_.contains(id); };
  for (auto* ids : {&inherited.same, &inherited.shared})
    for (auto id = ids->begin(); id != ids->end();) {
      if (is_gone(*id)) inherited.others.push_back(*id);
      id = is_gone(*id) ? ids->erase(id) : id + 1;
    }
  Json told = {{"same", inherited.same},
               {"shared", inherited.shared},
               {"written", inherited.written},
               {"others", inherited.others}};
  told["names"] = Json::array();
  for (const auto& [name, published] : inherited.names)
    told["names"].push_back({{"name", name}, {"array", published.array}, {"about", published.about}});
  return told.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Session::publish(const protocol::Holding& wanted) {
  if (const auto* cause = arrays_.cause_of_loss(wanted.array)) throw *cause;
  if (!arrays_.contains(wanted.array) && !elided_.contains(wanted.array))
    throw Error(ErrorKind::value,
                "[publish] array " + std::to_string(wanted.array) + " does not exist on these engines");
  holders_.publish(wanted.name, {wanted.array, wanted.holder, wanted.about});
}

protocol::Reply Session::hold(const protocol::Holding& wanted) {
  protocol::Reply reply;
  reply.seq = wanted.seq;
  settle_last_batch();  // what one rank alone has lost is lost for all that follows
  try {
    switch (wanted.ask) {
      case Ask::list:
        if (comm_.rank() == 0) reply.info = describe(holders_, arrays_, elided_, wanted.holder);
        break;
      case Ask::introduce:
        holders_.introduce(wanted.holder, wanted.about);
        break;
      case Ask::leave:
      case Ask::clear:
        part(wanted);
        break;
      case Ask::publish:
        publish(wanted);
        break;
      case Ask::attach: {
        const auto& published = holders_.attach(wanted.name, wanted.holder);
        const nlohmann::json told = {{"array", published.array}, {"about", published.about}};
        reply.info = told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        break;
      }
      case Ask::unpublish:
        free_all(holders_.unpublish(wanted.name));
        break;
      case Ask::mark:
        holders_.mark(wanted.holder, wanted.array, batch_number_);
        break;
      case Ask::inherit:
        reply.info = inherit(wanted);
        break;
      case Ask::rejoin:
        reply.info = rejoin(wanted);
        break;
    }
  } catch (const Error& error) {
    return protocol::failed_reply(wanted.seq, error.kind(), error.what());
  }
  progress_.set_foreign(holders_.written_by_others());
  return reply;
}

}  // namespace gamelan::engine
