// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/session.hpp"
#include "engine/assert.hpp"
#include "engine/tiles/float_errors.hpp"
#include "engine/tiles/loops/isa.hpp"

#include <algorithm>
#include <cstring>

namespace gamelan::engine {
namespace {

using protocol::ArrayId;
using protocol::Error;
using protocol::ErrorKind;
using protocol::View;

}  // namespace

Session::Session(Comm& comm, dist::Heap& heap, Board& board)
    : comm_(comm),
      heap_(heap),
      board_(board),
      executor_(comm, heap, board),
      notices_(*heap.allocator().allocate(sizeof(Noticeboard))),
      heap_at_rest_(heap.allocator().in_use()) {
  options_.ranks = comm.size();
  options_.times = &pass_times_;
  if (!comm.is_one_node())
    options_.standpoint = plan::Standpoint{comm.rank(), [&comm](int rank) { return comm.is_near(rank); }};
  // One level of loops for the ensemble, the least that every rank has: levels differ in the last bit of an
  // exponential.
  exec::set_isa(static_cast<exec::Isa>(comm.agree_min(static_cast<std::int64_t>(exec::best_isa()))));
  const auto pages = heap_.allocator().take_uncommitted();
  if (!heap_.commit(pages))
    throw Error(ErrorKind::memory, "[session] no memory for the first page of the heap");
  new (&noticeboard(comm.rank())) Noticeboard{};
  comm.barrier();  // nobody looks at a board before it hangs
  heap_.allocator().reset_peak();
  publish_counters();
  board_.set_reporter([this] {
    const auto mine = reports_of_node();
    const auto bytes = std::as_bytes(std::span(mine));
    return protocol::Bytes(bytes.begin(), bytes.end());
  });
}

Session::~Session() {
  board_.set_reporter({});
  heap_.allocator().release(notices_);
}

// ---- execution

void Session::poison_unmade(const protocol::Batch& batch, const Error& cause) {
  for (const auto& command : batch.commands)
    if (command.creates && !arrays_.contains(command.out.base) && !elided_.contains(command.out.base))
      poisoned_.insert_or_assign(command.out.base, cause);
}

void Session::free(const std::vector<ArrayId>& ids) {
  for (const auto id : ids) {
    poisoned_.erase(id);
    const auto found = arrays_.find(id);
    if (found == arrays_.end()) continue;
    executor_.release(found->second.storage);
    arrays_.erase(found);
  }
}

/// Arrays that the batch only frees go first: their memory serves the batch.
void Session::free_untouched(const protocol::Batch& batch) {
  std::unordered_set<ArrayId> touched;
  const auto touch = [&](const View& view) { touched.insert(view.base); };
  for (const auto& command : batch.commands) {
    touch(command.out);
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand)) touch(*view);
  }
  for (const auto& view : batch.fetches) touch(view);
  std::vector<ArrayId> untouched;
  std::copy_if(batch.frees.begin(), batch.frees.end(), std::back_inserter(untouched),
               [&](ArrayId id) { return !touched.contains(id); });
  free(untouched);
}

Session::Shown::Shown(Published& published, const plan::Plan& plan, const protocol::Batch& batch)
    : published_(published) {
  const std::scoped_lock lock(published_.running);
  published_.plan = &plan;
  published_.batch = &batch;
}

Session::Shown::~Shown() {
  const std::scoped_lock lock(published_.running);
  published_.plan = nullptr;
  published_.batch = nullptr;
}

void Session::run(const plan::NamedPlan& named, const protocol::Batch& batch, protocol::Reply& reply) {
  const auto& plan = *named.plan;
  std::vector<dist::StoragePtr> storages(plan.slots.size());
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
    if (plan.slots[slot].is_input)
      storages[slot] = arrays_.at(named.array_of(static_cast<int>(slot))).storage;
  std::vector<ArrayId> owner(plan.slots.size());
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
    owner[slot] = named.array_of(static_cast<int>(slot));
  std::unordered_map<ArrayId, int> bound;
  published_.steps_planned = plan.steps.size();
  published_.steps_before = executor_.last_step();
  const Shown shown(published_, plan, batch);
  const auto bind = [&](int slot, ArrayId array) {
    owner[static_cast<std::size_t>(slot)] = named.name_of(array);
    bound[named.name_of(array)] = slot;
  };
  const std::span<const dist::Exchange> exchanges =
      named.schedule ? named.schedule->steps : std::span<const dist::Exchange>();
  const auto done =
      executor_.run(plan, exchanges, storages, batch,
                    {bind, [this](const Error& failure) { board_.report_failure(batch_number_, failure); },
                     [this] {
                       publish_work();
                       report_float_errors();
                     }});
  // Inputs that were replaced or freed on the way have no storage left; the new versions take their place.
  for (const auto& [id, slot] : bound) {
    auto& storage = storages[static_cast<std::size_t>(slot)];
    arrays_.erase(id);
    if (!(id >> 63)) written_.push_back(id);
    if (storage) arrays_[id] = {plan.slots[static_cast<std::size_t>(slot)].info, storage};
  }
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
    const auto id = owner[slot];
    if (!storages[slot]) {  // released by its last use
      if (plan.slots[slot].is_input && !bound.contains(id)) arrays_.erase(id);
      continue;
    }
    const bool is_current = arrays_.contains(id) && arrays_.at(id).storage == storages[slot];
    if (!is_current || id >> 63) {  // an older version or a temporary whose release was cut off
      executor_.release(storages[slot]);
      if (is_current) arrays_.erase(id);
    }
  }
  if (done < plan.steps.size()) {
    reply.outcome = protocol::Outcome::cancelled;
    reply.command = plan.steps[done].prefix;
    reply.message = "interrupted: " + std::to_string(done) + " of " + std::to_string(plan.steps.size()) +
                    " steps were run";
  }
}

// ---- what went wrong on one rank only

void Session::report_float_errors() {
  if (auto& errors = exec::float_errors(); errors.is_new())
    board_.report_float_errors(batch_number_, errors.tell());
}

/// Numbers of the batch as it came: `made` commands were put in front of it.
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

void Session::settle_last_batch() {
  // A file that cannot be read or written says nothing of arrays: the client gives up what was to be read
  // from it.
  if (const auto failure = board_.failure_of(batch_number_); failure && failure->kind() != ErrorKind::os)
    for (const auto id : written_) poisoned_.insert_or_assign(id, *failure);
  for (const auto id : written_)
    if (poisoned_.contains(id)) {
      elided_.forget(id);
      if (const auto found = arrays_.find(id); found != arrays_.end()) {
        executor_.release(found->second.storage);
        arrays_.erase(found);
      }
    }
  written_.clear();
}

Session::Noticeboard& Session::noticeboard(int rank) const {
  return *reinterpret_cast<Noticeboard*>(heap_.address(rank, notices_.offset));
}

/// Rank 0 reads the views where they lie; ranks of other nodes send what it cannot reach. What goes wrong is
/// rank 0's to tell, the others send all the same.
void Session::fetch(const protocol::Batch& batch, protocol::Reply& reply) {
  if (comm_.rank() != 0 && comm_.is_one_node()) return;
  std::optional<Error> problem;
  if (auto* ghost_exchange = executor_.ghost_exchange()) ghost_exchange->start();
  for (const auto& view : batch.fetches) {
    const auto& array = arrays_.at(view.base);
    plan::Plan plan;
    plan.slots.push_back({view.base, array.info, true});
    const std::vector<dist::StoragePtr> storages{array.storage};
    exec::Counters counters;
    exec::Workspace workspace;
    const exec::StepContext context(comm_, heap_, board_, plan, storages, batch, executor_.last_step() + 1,
                                    counters, workspace, exec::Balance::off, executor_.ghost_exchange());
    context.prepare_read(0);
    try {
      exec::bring_near(context, 0, view, 0);
      if (comm_.rank() != 0 || problem) continue;
      protocol::Bytes bytes(static_cast<std::size_t>(protocol::element_count(view.extents)) *
                            protocol::size_of(view.dtype));
      if (!bytes.empty()) exec::fetch(context, 0, view, bytes.data());
      published_.fetch_bytes += bytes.size();
      reply.payloads.push_back(std::move(bytes));
    } catch (const exec::FollowsFailure& failure) {
      problem = Error(ErrorKind::memory, "[fetch] rank " + std::to_string(failure.rank) +
                                             " has no memory left to send its part of the values");
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::engine_lost) throw;
      problem = error;
    } catch (const std::exception& error) {
      problem =
          Error(ErrorKind::memory, std::string("[fetch] rank 0 cannot hold the values: ") + error.what());
    }
  }
  if (auto* ghost_exchange = executor_.ghost_exchange()) ghost_exchange->rest();
  if (problem && comm_.rank() == 0) fail(reply, batch, {-1, *problem});
}

protocol::Reply Session::execute(protocol::Batch& batch) {
  if (batch.explain) return explain(batch);
  protocol::Reply reply;
  reply.seq = batch.seq;
  published_.is_busy = true;
  settle_last_batch();
  heap_.allocator().settle(executor_.last_step());  // rank 0 awaited every rank before it let this batch out
  ++batch_number_;
  const auto made = elided_.settle(batch);  // a command each, in front
  exec::float_errors().watch(batch.watched);
  try {
    free_untouched(batch);
    std::optional<Refusal> refusal;
    plan_and_run(batch, reply, refusal);
    put_back(made, batch);
    if (reply.outcome == protocol::Outcome::cancelled) {
      refusal.reset();  // the program was stopped before it came there
      free_future(batch, std::max(static_cast<std::size_t>(reply.command), made.size()));
    }
    GAMELAN_ASSERT(cheap, heap_.allocator().take_uncommitted().empty(), "what was admitted is committed");
    const bool is_whole = !refusal && reply.outcome == protocol::Outcome::ok;  // on all ranks alike
    board_.settle(executor_.last_step(), batch_number_);
    if (comm_.rank() == 0 && batch.watched != 0) reply.float_errors = float_errors(made.size());
    if (is_whole) fetch(batch, reply);
    if (comm_.rank() == 0)
      if (const auto failure = board_.failure_of(batch_number_))
        refusal = Refusal{failure->command(), *failure};
    if (refusal) {
      fail(reply, batch, *refusal);
    } else if (reply.outcome == protocol::Outcome::cancelled) {
      poison_unmade(batch, Error(ErrorKind::cancelled,
                                 "interrupted before the array was computed: run its cell again"));
    }
    free(batch.frees);
  } catch (const Error& error) {  // from the planner: the same on every rank
    if (error.kind() == ErrorKind::engine_lost) throw;
    put_back(made, batch);
    fail(reply, batch, {error.command(), error});
    free(batch.frees);
  }
  published_.batches += 1;
  published_.commands += batch.commands.size() - made.size();
  if (reply.command >= 0)
    reply.command = std::max<std::int64_t>(reply.command - static_cast<std::int64_t>(made.size()), 0);
  publish_counters();
  published_.is_busy = false;
  return reply;
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

std::optional<Refusal> Session::find_fault(const protocol::Batch& batch) const {
  Checker checker(
      [this](ArrayId id) -> std::optional<std::int64_t> {
        if (const auto lost = poisoned_.find(id); lost != poisoned_.end()) throw lost->second;
        const auto found = arrays_.find(id);
        if (found == arrays_.end()) return std::nullopt;
        const auto& info = found->second.info;
        return protocol::element_count(info.extents) *
               static_cast<std::int64_t>(protocol::size_of(info.dtype));
      },
      [this](ArrayId id) { return arrays_.contains(id) || poisoned_.contains(id); });
  return checker.find_fault(batch);
}

plan::Catalog Session::catalog() const {
  return [this](ArrayId id) -> const plan::ArrayInfo* {
    const auto found = arrays_.find(id);
    return found == arrays_.end() ? nullptr : &found->second.info;
  };
}

}  // namespace gamelan::engine
