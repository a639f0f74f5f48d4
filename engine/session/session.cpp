// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/session.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/assert.hpp"
#include "engine/session/configuration.hpp"
#include "engine/session/explanation.hpp"
#include "engine/session/fetch_views.hpp"
#include "engine/session/run_plan.hpp"
#include "engine/steps/routines.hpp"
#include "engine/tiles/float_errors.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/tile_translation.hpp"

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

static_assert(static_cast<int>(tiles::Compiling::always) == 2 &&
                  static_cast<int>(steps::Balance::always) == 2 && static_cast<int>(tiles::Isa::avx512) == 2,
              "as in option_words.hpp");

namespace {

/// Sets one level of loops for all ranks, the lowest that any rank has, because levels differ in the last bit
/// of an exponential. Collective; before anything computes.
Comm& with_common_isa(Comm& comm) {
  tiles::set_isa(static_cast<tiles::Isa>(comm.agree_min(static_cast<std::int64_t>(tiles::best_isa()))));
  return comm;
}

/// By command of the batch: a number for the line that the user wrote. Different lines have the same number
/// by chance only.
std::vector<int> lines_of(const protocol::Batch& batch) {
  std::vector<int> lines;
  if (batch.watched == 0) return lines;
  lines.reserve(batch.commands.size());
  for (const auto& command : batch.commands) {
    if (command.origin >= batch.origins.size()) return {};
    const auto& origin = batch.origins[command.origin];
    const auto number = std::hash<std::string>()(origin.file) + static_cast<std::size_t>(origin.line);
    lines.push_back(static_cast<int>(number % std::numeric_limits<int>::max()));
  }
  return lines;
}

}  // namespace

Session::Session(Comm& comm, distribution::Heap& heap, Board& board)
    : comm_(with_common_isa(comm)),
      heap_(heap),
      board_(board),
      executor_(comm, heap, board),
      arrays_(executor_),
      planner_(comm, heap, arrays_),
      progress_(executor_),
      status_(comm, heap, board, {executor_, arrays_, planner_, progress_}) {}

// ---- options and questions

void Session::set_defaults(protocol::NamedOptions defaults) {
  defaults_ = std::move(defaults);
  for (const auto& [name, value] : defaults_) set_option(name, value);
}

void Session::configure(const protocol::Configure& wanted) {
  for (const auto& [name, value] : wanted.options) {
    if (protocol::is_of_batches(name)) {
      check_option(name, value);
    } else if (name == "find_routine") {
      routines::find(value);
    } else if (name == "reset_stats") {
      executor_.reset_counters();
      planner_.reset_counters();
      status_.reset();
    } else {
      throw Error(ErrorKind::value, "[configure] unknown option '" + name + "'");
    }
  }
}

/// Batches of clients with different options may follow each other.
void Session::use(const protocol::NamedOptions& options) {
  if (options == options_) return;
  for (const auto& [name, value] : options) {
    if (!protocol::is_of_batches(name))
      throw Error(ErrorKind::value, "[batch] '" + name + "' is no option of a batch");
    check_option(name, value);
  }
  set_option("disable_passes", "");
  set_option("keep_unread", "0");
  for (const auto& [name, value] : defaults_) set_option(name, value);
  for (const auto& [name, value] : options) set_option(name, value);
  options_ = options;
}

void Session::set_option(const std::string& name, const std::string& value) {
  if (name == "disable_passes") {
    auto disabled = passes_of(value);
    if (auto* ghost_exchange = executor_.ghost_exchange())
      ghost_exchange->set_hiding(!disabled.contains("hide"));
    planner_.options().disabled = std::move(disabled);
  } else if (name == "keep_unread") {
    planner_.options().keeps_unread = value == "1";
  } else if (name == "compile") {
    tiles::set_compiling(static_cast<tiles::Compiling>(chosen(name, value)));
  } else if (name == "balance") {
    executor_.set_balance(static_cast<steps::Balance>(chosen(name, value)));
  } else if (name == "tiling") {
    planner_.options().tiling = static_cast<plan::Tiling>(chosen(name, value));
  }
}

nlohmann::json Session::heartbeat() const { return progress_.heartbeat(); }
nlohmann::json Session::status() const { return status_.status(); }

protocol::Reply Session::explain(protocol::Batch batch) const {
  protocol::Reply reply;
  reply.seq = batch.seq;
  std::size_t made = 0;  // commands in front of the client's
  try {
    Holders(holders_).let_go(batch.holder, batch.frees);
    made = ElidedCopies(elided_).settle(batch).size();
    for (const auto& copy : find_elided(batch)) batch.frees.push_back(copy.to.base);
    const auto [plan, memory] = planner_.forecast(batch, arrays_.untouched_frees(batch));
    reply.info = describe(batch, made, plan, memory, arrays_);
  } catch (const Error& error) {
    reply = protocol::failed_reply(batch.seq, error.kind(), error.what());
    reply.command = error.command();
  }
  if (reply.command >= 0)
    reply.command = std::max<std::int64_t>(reply.command - static_cast<std::int64_t>(made), 0);
  return reply;
}

// ---- a batch

protocol::Reply Session::execute(protocol::Batch& batch) {
  try {
    use(batch.options);
  } catch (const Error& error) {
    return protocol::failed_reply(batch.seq, error.kind(), error.what());
  }
  if (const auto heir = holders_.heir_of(batch.holder); heir != 0)
    return protocol::failed_reply(
        batch.seq, ErrorKind::engine_lost,
        holders_.who(heir) + " has taken over the arrays of this program (%session restore)");
  if (batch.explain) return explain(batch);
  protocol::Reply reply;
  reply.seq = batch.seq;
  progress_.begin_batch();
  settle_last_batch();
  heap_.allocator().settle(executor_.last_step());  // rank 0 waited for every rank before it sent this batch
  ++batch_number_;
  holders_.let_go(batch.holder, batch.frees);
  const auto freed = batch.frees;
  const auto made = elided_.settle(batch);  // one command in front of the batch for each
  tiles::float_errors().watch(batch.watched, lines_of(batch));
  try {
    arrays_.free_untouched(batch);
    std::optional<Refusal> refusal;
    plan_and_run(batch, reply, refusal);
    put_back(made, batch);
    if (reply.outcome == protocol::Outcome::cancelled) {
      refusal.reset();  // the interrupt stopped the program before that command
      arrays_.free_made_from(batch, std::max(static_cast<std::size_t>(reply.command), made.size()));
    }
    finish(batch, made.size(), reply, std::move(refusal));
  } catch (const Error& error) {  // from the planner: the same on every rank
    if (error.kind() == ErrorKind::engine_lost) throw;
    put_back(made, batch);
    fail(reply, batch, {error.command(), error});
  }
  arrays_.free(batch.frees);
  tell_of_others(batch, reply);
  note_holder(batch, made.size(), freed);
  if (reply.command >= 0)
    reply.command = std::max<std::int64_t>(reply.command - static_cast<std::int64_t>(made.size()), 0);
  status_.add_batch(batch.commands.size() - made.size());
  progress_.end_batch();
  return reply;
}

/// Settles what went wrong on one rank only in the batch before. It has ended there, and the other ranks went
/// on: lost is what the failed step and the later ones have written, and what later commands have written
/// before.
void Session::settle_last_batch() {
  if (const auto failure = board_.failure_of(batch_number_)) {
    comm_.agree_max(0);  // all have read it: this batch may have no step, and the one after it may fail, too
    const auto place = place_of(*failure);
    auto lost = arrays_written_from(last_plan_, place.step);
    for (auto c = static_cast<std::size_t>(place.first_lost); c < last_written_.size(); ++c)
      lost.push_back(last_written_[c]);
    for (const auto id : lost)
      if (arrays_.contains(id) || elided_.contains(id)) lose(id, failure->error);
    last_plan_ = {};  // settled
  }
  last_written_.clear();
}

void Session::lose(protocol::ArrayId id, const Error& cause) {
  arrays_.poison(id, cause);
  arrays_.release(id);
  elided_.forget(id);
  for (const auto copy : elided_.forget_views_of(id)) arrays_.poison(copy, cause);
}

Session::FailurePlace Session::place_of(const Failure& failure) const {
  const auto& steps = last_plan_.plan->steps;
  FailurePlace place{static_cast<std::size_t>(failure.step - last_begin_ - 1), -1,
                     static_cast<std::int64_t>(last_written_.size())};
  for (std::size_t s = place.step; s < steps.size(); ++s) {
    const auto& commands = steps[s].commands;
    if (commands.empty()) continue;
    const auto first = *std::min_element(commands.begin(), commands.end());
    place.first_lost = std::min<std::int64_t>(place.first_lost, first);
    if (place.guilty < 0) place.guilty = first;  // of several steps of a command the last one names it
  }
  return place;
}

std::vector<ElidedCopies::Copy> Session::find_elided(const protocol::Batch& batch) const {
  const auto& options = planner_.options();
  if (options.keeps_unread || options.disabled.contains("elide_stores")) return {};
  return ElidedCopies::find(batch);
}

/// Copies that were to be made in front of the batch, but were cut off or refused with it, stay elided.
void Session::put_back(const Copies& made, protocol::Batch& batch) {
  for (const auto& copy : made)
    if (!arrays_.contains(copy.to.base)) elided_.put_back(copy, batch);
}

/// Plans the batch with elided copies where that is possible.
plan::NamedPlan Session::make_plan(protocol::Batch& batch, Copies& copies, std::optional<Refusal>& refusal) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t frees = batch.frees.size();
  for (const auto& copy : copies) batch.frees.push_back(copy.to.base);
  auto plan = planner_.make(batch, refusal);
  batch.frees.resize(frees);
  if (refusal && !copies.empty()) {  // the commands before the refused one must leave their arrays behind
    copies.clear();
    refusal.reset();
    plan = planner_.make(batch, refusal);
  }
  status_.add_plan_seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return plan;
}

void Session::plan_and_run(protocol::Batch& batch, protocol::Reply& reply, std::optional<Refusal>& refusal) {
  auto copies = find_elided(batch);
  last_plan_ = make_plan(batch, copies, refusal);
  const auto planned =
      refusal ? static_cast<std::size_t>(std::max<std::int64_t>(refusal->command, 0)) : batch.commands.size();
  for (std::size_t c = 0; c < planned; ++c) last_written_.push_back(batch.commands[c].out.base);
  last_begin_ = executor_.last_step();
  run(last_plan_, batch, reply);
  // After an interrupt an array equals its view if the assignment has run. If the array was stored for steps
  // that were then cut off, there is no copy to elide.
  for (auto& copy : copies) {
    const bool is_equal =
        reply.outcome == protocol::Outcome::ok || static_cast<std::int64_t>(copy.command) < reply.command;
    if (is_equal && !arrays_.contains(copy.to.base)) elided_.add(std::move(copy));
  }
}

void Session::run(const plan::NamedPlan& named, const protocol::Batch& batch, protocol::Reply& reply) {
  const auto& steps = named.plan->steps;
  const Progress::Run running(progress_, *named.plan, batch);
  const RunObserver observer{
      [this](const Failure& failure) { board_.report_failure(batch_number_, failure); },
      [this] {
        status_.publish_work();
        if (auto& errors = tiles::float_errors(); errors.is_new())
          board_.report_float_errors(batch_number_, errors.tell());
      }};
  const auto done = run_plan(named, batch, executor_, arrays_, observer);
  if (done == steps.size()) return;
  reply.outcome = protocol::Outcome::cancelled;
  reply.command = steps[done].prefix;
  reply.message =
      "interrupted: " + std::to_string(done) + " of " + std::to_string(steps.size()) + " steps were run";
}

/// All ranks have come to the end of the plan: decides what rank 0 replies, and which arrays are lost. `made`
/// commands were put in front of the batch.
void Session::finish(protocol::Batch& batch, std::size_t made, protocol::Reply& reply,
                     std::optional<Refusal> refusal) {
  GAMELAN_ASSERT(cheap, heap_.allocator().take_uncommitted().empty(), "what was admitted is committed");
  const bool is_whole = !refusal && reply.outcome == protocol::Outcome::ok;  // on all ranks alike
  board_.settle(executor_.last_step(), batch_number_);
  if (comm_.rank() == 0 && batch.watched != 0) reply.float_errors = float_errors(made);
  if (is_whole) fetch(batch, reply);
  std::optional<FailurePlace> failed;
  if (comm_.rank() == 0)
    if (const auto failure = board_.failure_of(batch_number_)) {
      failed = place_of(*failure);
      refusal = Refusal{failed->guilty, failure->error};
    }
  if (refusal) {
    fail(reply, batch, *refusal);
    if (failed) reply.command = failed->first_lost;
  } else if (reply.outcome == protocol::Outcome::cancelled) {
    poison_unmade(
        batch, Error(ErrorKind::cancelled, "interrupted before the array was computed: run its cell again"));
  }
}

void Session::fetch(const protocol::Batch& batch, protocol::Reply& reply) {
  const auto problem = fetch_views(batch, comm_, heap_, board_, executor_, arrays_, reply.payloads);
  for (const auto& bytes : reply.payloads) status_.add_fetched(bytes.size());
  const auto behind_all = static_cast<std::int64_t>(batch.commands.size());
  if (problem && comm_.rank() == 0) fail(reply, batch, {behind_all, *problem});  // all have run
}

void Session::fail(protocol::Reply& reply, const protocol::Batch& batch, const Refusal& refusal) {
  reply.outcome = protocol::Outcome::failed;
  reply.error = refusal.error.kind();
  reply.message = refusal.error.what();
  reply.command = refusal.command;
  if (refusal.command >= 0 && refusal.command < static_cast<std::int64_t>(batch.commands.size())) {
    const auto origin = batch.commands[static_cast<std::size_t>(refusal.command)].origin;
    if (origin < batch.origins.size()) reply.origin = batch.origins[origin];
  }
  reply.payloads.clear();
  poison_unmade(batch, refusal.error);
}

void Session::poison_unmade(const protocol::Batch& batch, const Error& cause) {
  for (const auto& command : batch.commands)
    if (command.creates && !arrays_.contains(command.out.base) && !elided_.contains(command.out.base))
      arrays_.poison(command.out.base, cause);
}

/// The floating-point errors, with commands numbered as in the batch that came: `made` commands were put in
/// front of it.
std::vector<protocol::FloatErrors> Session::float_errors(std::size_t made) const {
  auto errors = board_.float_errors_of(batch_number_);
  const auto ahead = static_cast<std::int32_t>(made);
  std::erase_if(errors, [&](const auto& each) { return each.first < ahead; });
  for (auto& each : errors) {
    each.first -= ahead;
    each.last -= ahead;
  }
  return errors;
}

}  // namespace gamelan::engine
