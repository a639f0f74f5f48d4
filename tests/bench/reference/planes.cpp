// SPDX-License-Identifier: BSD-3-Clause
// Halos. On one node a rank says by a flag in shared memory how far it is, and its neighbours wait for that
// flag alone: there is no barrier in a stencil loop. Between nodes the edge planes travel as four
// non-blocking messages.
#include "tests/bench/reference/planes.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

Planes::Planes(const World& world, const Parameters& parameters, std::int64_t count,
               std::int64_t plane_doubles, bool is_periodic, int buffers)
    : world_(world),
      count_(count),
      pitch_(whole_lines(plane_doubles)),
      is_messages_(parameters.text("halo", world.is_one_node() ? "shared" : "messages") == "messages"),
      block_(world.block(count)) {
  std::fill_n(requests_, 4, MPI_REQUEST_NULL);
  const int working = static_cast<int>(std::min<std::int64_t>(world.size(), count));
  if (block_.count() > 0) {
    before_ = world.rank() > 0 ? world.rank() - 1 : is_periodic ? working - 1 : -1;
    after_ = world.rank() + 1 < working ? world.rank() + 1 : is_periodic ? 0 : -1;
  }
  if (is_messages_) origin_ = block_.first - 1;
  for (int each = 0; each < buffers; ++each) {
    buffers_.push_back(is_messages_ ? Array<double>::local((block_.count() + 2) * pitch_)
                                    : Array<double>::shared(world, block_.count() * pitch_));
  }
  if (is_messages_) return;
  flags_ = Array<Flag>::shared(world, 1);
  flags_[world.rank()].turn = 0;
  world.barrier();
}

const double* Planes::before(int buffer) const {
  if (before_ < 0) return nullptr;
  return plane(buffer, is_messages_ || block_.first > 0 ? block_.first - 1 : count_ - 1);
}

const double* Planes::after(int buffer) const {
  if (after_ < 0) return nullptr;
  return plane(buffer, is_messages_ || block_.last < count_ ? block_.last : 0);
}

void Planes::start(int buffer) {
  fence();
  ++turn_;
  if (!is_messages_) {
    std::atomic_ref(flags_[world_.rank()].turn).store(turn_, std::memory_order_release);
    return;
  }
  if (block_.count() == 0) return;
  const auto peer = [](int rank) { return rank < 0 ? MPI_PROC_NULL : rank; };
  const int doubles = static_cast<int>(pitch_);
  // Tags by direction: with two ranks in a ring both neighbours are the same rank.
  MPI_Irecv(plane(buffer, block_.first - 1), doubles, MPI_DOUBLE, peer(before_), 0, MPI_COMM_WORLD,
            &requests_[0]);
  MPI_Irecv(plane(buffer, block_.last), doubles, MPI_DOUBLE, peer(after_), 1, MPI_COMM_WORLD, &requests_[1]);
  MPI_Isend(plane(buffer, block_.last - 1), doubles, MPI_DOUBLE, peer(after_), 0, MPI_COMM_WORLD,
            &requests_[2]);
  MPI_Isend(plane(buffer, block_.first), doubles, MPI_DOUBLE, peer(before_), 1, MPI_COMM_WORLD,
            &requests_[3]);
}

void Planes::finish() {
  if (is_messages_) {
    MPI_Waitall(4, requests_, MPI_STATUSES_IGNORE);
    return;
  }
  if (before_ >= 0) wait_for(before_);
  if (after_ >= 0) wait_for(after_);
}

void Planes::wait_for(int neighbour) {
  const std::atomic_ref flag(flags_[neighbour].turn);
  // With more ranks than cores the neighbour may need this very core.
  for (int tries = 0; flag.load(std::memory_order_acquire) < turn_; ++tries) {
    if (tries > 1000) sched_yield();
  }
}

}  // namespace gamelan::bench
