// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/node_board.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "engine/assert.hpp"

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

namespace {

constexpr std::chrono::milliseconds liveness_period{1000};

// MPI moves messages between nodes only while it is called.
constexpr std::chrono::microseconds between_calls_of_mpi{50};

protocol::Patience patience_on(const Comm& comm) {
  if (comm.is_one_node()) return protocol::Patience(comm.ranks_on_node());
  return protocol::Patience(comm.ranks_on_node(), between_calls_of_mpi);
}

bool is_gone(std::int64_t process_id) {
  return kill(static_cast<pid_t>(process_id), 0) != 0 && errno == ESRCH;
}

}  // namespace

NodeBoard::NodeBoard(Comm& comm, distribution::Heap& heap)
    : comm_(comm),
      heap_(heap),
      leader_(comm.leader()),
      patience_(patience_on(comm)),
      launcher_process_id_(getppid()) {
  const auto block = heap.allocator().allocate(sizeof(Control));
  if (!block || !heap.commit(heap.allocator().take_uncommitted())) {
    if (block) heap.allocator().release(*block);
    throw Error(ErrorKind::memory, "[board] no room for the control words in a heap of " +
                                       std::to_string(heap.bytes_per_rank()) + " bytes per rank");
  }
  block_ = *block;
  controls_.assign(static_cast<std::size_t>(comm.size()), nullptr);
  for (const int rank : comm.near_ranks())
    controls_[static_cast<std::size_t>(rank)] = reinterpret_cast<Control*>(heap.address(rank, block_.offset));
  comm.barrier();  // no rank reads words of an earlier board any more
  new (controls_[static_cast<std::size_t>(comm.rank())]) Control;
  control(comm.rank()).process_id = getpid();
  comm.barrier();
  // Ranks in different process-id name spaces cannot see each other; then only the launcher is watched.
  is_watching_ = std::none_of(comm.near_ranks().begin(), comm.near_ranks().end(),
                              [this](int rank) { return is_gone(control(rank).process_id); });
}

NodeBoard::~NodeBoard() { heap_.allocator().release(block_); }

// ---- messages

void NodeBoard::post(std::uint64_t message, std::uint64_t length, std::span<const std::byte> bytes) {
  Control& leader = control(leader_);
  Slot& slot = leader.slots[message % slot_count];
  for (const int rank : comm_.near_ranks())
    if (rank != 0 && message > slot_count)
      wait_for(control(rank).consumed, message - slot_count, rank, false);
  slot.length = length;
  std::copy(bytes.begin(), bytes.end(), slot.bytes);
  leader.posted.publish(message);
  if (bell_ != nullptr) bell_->add(1);
}

NodeBoard::Posted NodeBoard::take(std::uint64_t message) {
  Control& leader = control(leader_);
  await_message(leader.posted, message);
  const Slot& slot = leader.slots[message % slot_count];
  Posted posted{slot.length, {}};
  if (posted.length <= slot_bytes) posted.bytes.assign(slot.bytes, slot.bytes + posted.length);
  control(comm_.rank()).consumed.publish(message);
  return posted;
}

void NodeBoard::await_message(protocol::SharedCounter& posted, std::uint64_t message) {
  if (bell_ == nullptr) return wait_for(posted, message, leader_);
  auto next_check = std::chrono::steady_clock::now() + liveness_period;
  for (;;) {
    const std::uint64_t rings = bell_->value();
    if (patience_.wait_awake(posted, message)) return;
    const bool has_work = meanwhile_ && meanwhile_();
    bell_->sleep_below(rings + 1,
                       has_work ? between_calls_of_mpi : std::chrono::microseconds(liveness_period));
    if (std::chrono::steady_clock::now() < next_check) continue;
    check_alive(leader_);
    next_check += liveness_period;
  }
}

// ---- the cut
// A rank stores started = s and then loads the decision; the decider stores "deciding" and then
// loads every `started` (Dekker's handshake; all four are seq_cst). So for each rank either the decider sees
// s, and s lies before the cut, or the rank sees that a cut is being decided, waits, and compares s with it.
// A rank that saw no decision may run s, and the decider saw it: nothing from the cut on is ever begun. Every
// rank compares the same numbers, so everything before the cut runs everywhere. Over several nodes each
// leader does so on its own, and the cut lies beyond what any of them saw (nodes/tree_messages.cpp).

bool NodeBoard::begin_step(std::uint64_t step) {
  GAMELAN_ASSERT(cheap, step > 0, "steps are numbered from 1");
  control(comm_.rank()).started.publish(step);
  Control& leader = control(leader_);
  std::uint64_t decision = leader.decision.value();
  if (decision % 3 == 0) return true;
  if (decision % 3 == 1) wait_for(leader.decision, decision + 1, leader_);
  return step < leader.cut.load(std::memory_order_seq_cst);
}

std::uint64_t NodeBoard::begin_decision() {
  protocol::SharedCounter& decision = control(leader_).decision;
  if (decision.value() % 3 == 0) decision.publish(decision.value() + 1);
  std::uint64_t furthest = 0;
  for (const int rank : comm_.near_ranks()) furthest = std::max(furthest, started(rank));
  return furthest;
}

void NodeBoard::set_cut(std::uint64_t cut) {
  Control& leader = control(leader_);
  leader.cut.store(cut, std::memory_order_seq_cst);
  if (leader.decision.value() % 3 == 1) leader.decision.publish(leader.decision.value() + 1);
}

void NodeBoard::clear_cut() {
  protocol::SharedCounter& decision = control(leader_).decision;
  if (decision.value() % 3 == 2) decision.publish(decision.value() + 1);
}

// ---- failures

void NodeBoard::set(Verdict& verdict, std::uint64_t batch, const Failure& failure, const std::string& text) {
  verdict.step = failure.step;
  verdict.kind = static_cast<std::uint8_t>(failure.error.kind());
  std::snprintf(verdict.text, sizeof verdict.text, "%s", text.c_str());
  verdict.failed_batch.store(batch);
}

void NodeBoard::report_failure(std::uint64_t batch, const Failure& failure) {
  auto& own = control(comm_.rank()).own[batch % 2];
  if (own.failed_batch.load() == batch) return;  // its first failure counts
  set(own, batch, failure, "rank " + std::to_string(comm_.rank()) + ": " + failure.error.what());
  control(leader_).failed_batches[batch % 2].store(batch);
}

void NodeBoard::set_failure(std::uint64_t batch, const Failure& failure) {
  set(control(leader_).agreed[batch % 2], batch, failure, failure.error.what());
  control(leader_).failed_batches[batch % 2].store(batch);
}

/// The ranks are looked at only after a failure.
std::optional<Failure> NodeBoard::failure_of(std::uint64_t batch) const {
  const Control& leader = control(leader_);
  if (batch == 0 || leader.failed_batches[batch % 2].load() != batch) return std::nullopt;
  if (const auto& agreed = leader.agreed[batch % 2]; agreed.failed_batch.load() == batch)
    return agreed.failure();
  std::optional<Failure> first;
  for (const int rank : comm_.near_ranks()) {
    const auto& own = control(rank).own[batch % 2];
    if (own.failed_batch.load() == batch && (!first || own.step < first->step)) first = own.failure();
  }
  return first;
}

void NodeBoard::report_float_errors(std::uint64_t batch, std::span<const protocol::FloatErrors> errors) {
  auto& report = control(comm_.rank()).float_report;
  report.batch = batch;
  report.count = std::min(errors.size(), protocol::most_float_errors);
  std::copy_n(errors.begin(), report.count, report.errors);
}

void NodeBoard::add_float_errors(std::uint64_t batch, std::vector<protocol::FloatErrors>& errors) const {
  for (const int rank : comm_.near_ranks()) {
    const auto& report = control(rank).float_report;
    if (report.batch == batch) errors.insert(errors.end(), report.errors, report.errors + report.count);
  }
}

void NodeBoard::set_lost(const std::string& cause) {
  Control& leader = control(leader_);
  std::snprintf(leader.lost_cause, sizeof leader.lost_cause, "%s", cause.c_str());
  leader.is_lost.store(true);
}

// ---- steps and waits

void NodeBoard::end_step(std::uint64_t step) { control(comm_.rank()).finished.publish(step); }

void NodeBoard::await(int rank, std::uint64_t step) {
  protocol::SharedCounter& counter = control(rank).finished;
  if (counter.has_reached(step)) return;
  const auto start = std::chrono::steady_clock::now();
  wait_for(counter, step, rank);
  wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void NodeBoard::await_done(std::uint64_t taken) {
  protocol::SharedCounter& counter = control(comm_.rank()).work_queue.done();
  taken_by_others_ += taken;
  if (counter.has_reached(taken_by_others_)) return;
  const auto start = std::chrono::steady_clock::now();
  wait_for(counter, taken_by_others_, -1);
  wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void NodeBoard::wait_for(protocol::SharedCounter& counter, std::uint64_t target, int watched_rank,
                         bool works) {
  if (patience_.wait_awake(counter, target)) return;
  auto next_check = std::chrono::steady_clock::now() + liveness_period;
  while (!counter.has_reached(target)) {
    const bool has_work = works && meanwhile_ && meanwhile_();
    counter.sleep_below(target, has_work ? between_calls_of_mpi : std::chrono::microseconds(liveness_period));
    if (std::chrono::steady_clock::now() < next_check) continue;  // woken, not timed out
    check_alive(watched_rank);
    next_check += liveness_period;
  }
}

nodes::StoppedRanks::Processes NodeBoard::other_processes() const {
  nodes::StoppedRanks::Processes processes;
  for (const int rank : comm_.near_ranks())
    if (is_watching_ && rank != comm_.rank()) processes.emplace_back(rank, control(rank).process_id);
  return processes;
}

void NodeBoard::check_alive(int rank) const {
  if (const Control& leader = control(leader_); leader.is_lost.load())
    throw Error(ErrorKind::engine_lost, std::string("[board] ") + leader.lost_cause);
  if (getppid() != launcher_process_id_)
    throw Error(ErrorKind::engine_lost, "[board] the launcher of this rank is gone");
  if (rank < 0) {  // once a second at most, and only where something is wrong
    for (const int each : comm_.near_ranks()) check_alive(each);
    return;
  }
  if (is_watching_ && is_gone(control(rank).process_id)) {
    throw Error(ErrorKind::engine_lost, "[board] rank " + std::to_string(rank) + " (process " +
                                            std::to_string(control(rank).process_id) + ") is gone");
  }
}

}  // namespace gamelan::engine
