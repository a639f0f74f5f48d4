// SPDX-License-Identifier: BSD-3-Clause
#include "engine/board.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "engine/assert.hpp"

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

namespace {

constexpr std::chrono::milliseconds liveness_period{1000};

bool is_gone(std::int64_t process_id) {
  return kill(static_cast<pid_t>(process_id), 0) != 0 && errno == ESRCH;
}

}  // namespace

Board::Board(Comm& comm, dist::Heap& heap)
    : comm_(comm),
      heap_(heap),
      patience_(patience_of(comm.ranks_on_node())),
      launcher_process_id_(getppid()) {
  if (!comm.is_one_node()) throw Error(ErrorKind::not_implemented, "[board] engines on several nodes");
  const auto block = heap.allocator().allocate(sizeof(Control));
  if (!block || !heap.commit(heap.allocator().take_uncommitted())) {
    if (block) heap.allocator().release(*block);
    throw Error(ErrorKind::memory, "[board] no room for the control words in a heap of " +
                                       std::to_string(heap.bytes_per_rank()) + " bytes per rank");
  }
  block_ = *block;
  for (int rank = 0; rank < comm.size(); ++rank) {
    controls_.push_back(reinterpret_cast<Control*>(heap.address(rank, block_.offset)));
  }
  comm.barrier();  // nobody reads words of an earlier board any more
  new (controls_[static_cast<std::size_t>(comm.rank())]) Control;
  control(comm.rank()).process_id = getpid();
  comm.barrier();
  // Ranks in different process-id name spaces cannot see each other; then only the launcher watches over
  // them.
  is_watching_ = std::none_of(controls_.begin(), controls_.end(),
                              [](const Control* c) { return is_gone(c->process_id); });
}

Board::~Board() { heap_.allocator().release(block_); }

Bytes Board::exchange(Bytes mine) {
  const std::uint64_t message = ++exchanged_;
  Control& leader = control(0);
  Slot& slot = leader.slots[message % slot_count];
  if (comm_.rank() == 0) {
    for (int rank = 1; message > slot_count && rank < comm_.size(); ++rank) {
      wait_for(control(rank).consumed, message - slot_count, rank);
    }
    slot.length = mine.size();
    if (mine.size() <= slot_bytes) std::copy(mine.begin(), mine.end(), slot.bytes);
    leader.posted.publish(message);
    return mine.size() <= slot_bytes ? mine : comm_.broadcast(std::move(mine));
  }
  wait_for(leader.posted, message, 0);
  const std::uint64_t length = slot.length;
  Bytes received;
  if (length <= slot_bytes) received.assign(slot.bytes, slot.bytes + length);
  control(comm_.rank()).consumed.publish(message);
  return length <= slot_bytes ? received : comm_.broadcast({});
}

// The cut. A rank stores started = s and then loads the decision; the decider stores "deciding" and then
// loads every `started` (Dekker's handshake; all four are seq_cst). So for each rank either the decider sees
// s, and s lies before the cut, or the rank sees that a cut is being decided, waits, and compares s with it.
// A rank that saw no decision may run s, and the decider saw it: nothing from the cut on is ever begun. Every
// rank compares the same numbers, so everything before the cut runs everywhere.

bool Board::begin_step(std::uint64_t step) {
  GAMELAN_ASSERT(cheap, step > 0, "steps are numbered from 1");
  control(comm_.rank()).started.publish(step);
  Control& leader = control(0);
  std::uint64_t decision = leader.decision.value();
  if (decision % 3 == 0) return true;
  if (decision % 3 == 1) wait_for(leader.decision, decision + 1, 0);
  return step < leader.cut.load(std::memory_order_seq_cst);
}

std::uint64_t Board::request_cut() {
  GAMELAN_ASSERT(cheap, comm_.rank() == 0, "rank 0 decides");
  const std::lock_guard lock(cut_mutex_);
  Control& leader = control(0);
  const std::uint64_t decision = leader.decision.value();
  if (decision % 3 == 0) {
    leader.decision.publish(decision + 1);
    std::uint64_t furthest = 0;
    for (const Control* each : controls_) furthest = std::max(furthest, each->started.value());
    leader.cut.store(furthest + 1, std::memory_order_seq_cst);
    leader.decision.publish(decision + 2);
  }
  return leader.cut.load(std::memory_order_seq_cst);
}

void Board::clear_cut() {
  GAMELAN_ASSERT(cheap, comm_.rank() == 0, "rank 0 decides");
  const std::lock_guard lock(cut_mutex_);
  SharedCounter& decision = control(0).decision;
  if (decision.value() % 3 == 2) decision.publish(decision.value() + 1);
}

void Board::end_step(std::uint64_t step) { control(comm_.rank()).finished.publish(step); }

void Board::await(int rank, std::uint64_t step) {
  SharedCounter& counter = control(rank).finished;
  if (counter.has_reached(step)) return;
  const auto start = std::chrono::steady_clock::now();
  wait_for(counter, step, rank);
  wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Board::await_returned(std::uint64_t drawn) {
  SharedCounter& counter = control(comm_.rank()).tickets.returned();
  given_ += drawn;
  if (counter.has_reached(given_)) return;
  const auto start = std::chrono::steady_clock::now();
  wait_for(counter, given_, -1);
  wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Board::wait_for(SharedCounter& counter, std::uint64_t target, int watched_rank) {
  if (wait_awake(counter, target, patience_)) return;
  auto next_check = std::chrono::steady_clock::now() + liveness_period;
  while (!counter.has_reached(target)) {
    counter.sleep_below(target, liveness_period);
    if (std::chrono::steady_clock::now() < next_check) continue;  // woken, not timed out
    check_alive(watched_rank);
    next_check += liveness_period;
  }
}

void Board::check_alive(int rank) const {
  if (getppid() != launcher_process_id_)
    throw Error(ErrorKind::engine_lost, "[board] the launcher of this rank is gone");
  if (rank < 0) {  // once a second at most, and only where something is wrong
    for (int each = 0; each < comm_.size(); ++each) check_alive(each);
    return;
  }
  if (is_watching_ && is_gone(control(rank).process_id)) {
    throw Error(ErrorKind::engine_lost, "[board] rank " + std::to_string(rank) + " (process " +
                                            std::to_string(control(rank).process_id) + ") is gone");
  }
}

}  // namespace gamelan::engine
