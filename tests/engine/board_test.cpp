// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/board.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "tests/engine/nodes_settings.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using testing::comm;
using namespace std::chrono_literals;
constexpr std::size_t megabyte = std::size_t{1} << 20;

struct BoardTest : ::testing::Test {
  distribution::Heap heap{comm(), 4 * megabyte};
  Board board{comm(), heap, testing::nodes_settings()};
};

Bytes message(std::size_t number, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(number * 31 + i);
  return bytes;
}

/// Every rank's number, in order of rank.
std::vector<std::uint64_t> gather(std::uint64_t mine) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(comm().size()));
  MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm().world());
  return all;
}

/// The rank so many places further on this node, round and round.
int neighbour(std::ptrdiff_t places) {
  const auto& near = comm().near_ranks();
  const auto count = static_cast<std::ptrdiff_t>(near.size());
  const auto own = std::find(near.begin(), near.end(), comm().rank()) - near.begin();
  return near[static_cast<std::size_t>((own + places + count) % count)];
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_F(BoardTest, messages_arrive_in_order_and_none_is_overwritten) {
  // Sizes around the slot's and beyond; readers dawdle, so that rank 0 runs into the end of the ring.
  std::mt19937 random(5);
  const std::size_t sizes[] = {0, 1, 100, 16 * 1024 - 9, 16 * 1024 - 8, 16 * 1024 - 7, 100'000};
  for (std::size_t number = 0; number < 3000; ++number) {
    const std::size_t size = sizes[random() % (number % 50 == 0 ? 7 : 3)];
    const Bytes sent = message(number, size);
    ASSERT_EQ(board.exchange(comm().rank() == 0 ? sent : Bytes{}), sent) << number;
    if (comm().rank() > 0 && number % 500 == 0) std::this_thread::sleep_for(2ms);
  }
}

TEST_F(BoardTest, messages_arrive_at_a_bell_that_others_ring_too) {
  const auto block = heap.allocator().allocate(sizeof(protocol::SharedCounter));
  ASSERT_TRUE(block);
  const auto bell_of = [&](int rank) {
    return reinterpret_cast<protocol::SharedCounter*>(heap.address(rank, block->offset));
  };
  new (bell_of(comm().rank())) protocol::SharedCounter;
  comm().barrier();
  // Some ranks sleep at the bell, others at the messages; rank 0 rings for the first, and now and then for
  // nothing.
  if (comm().rank() % 3 != 2 || comm().rank() == comm().leader()) board.sleep_at(bell_of(comm().leader()));
  for (std::size_t number = 0; number < 600; ++number) {
    if (comm().rank() == 0 && number % 3 == 0) bell_of(0)->add(number % 4);
    if (comm().rank() == 0 && number % 50 == 0) std::this_thread::sleep_for(1ms);  // they sleep by now
    if (comm().rank() == 1 && number % 70 == 0) std::this_thread::sleep_for(1ms);
    const Bytes sent = message(number, number % 100);
    ASSERT_EQ(board.exchange(comm().rank() == 0 ? sent : Bytes{}), sent) << number;
  }
  board.sleep_at(nullptr);
  comm().barrier();
  heap.allocator().release(*block);
}

TEST_F(BoardTest, waiting_for_a_message_costs_no_processor_time) {
  double least =
      1;  // of a few: the launcher and the clock of a virtual machine have their own ideas at times
  for (int round = 0; round < 3; ++round) {
    board.exchange({});
    comm().barrier();
    const double before = cpu_seconds();
    if (comm().rank() == 0) std::this_thread::sleep_for(1200ms);  // longer than one look at who is alive
    board.exchange({});
    least = std::min(least, cpu_seconds() - before);
  }
  EXPECT_LT(least, 0.02);
}

TEST_F(BoardTest, await_sees_what_was_written_before_the_step_ended) {
  const auto block = heap.allocator().allocate(4096);
  ASSERT_TRUE(block && heap.commit(heap.allocator().take_uncommitted()));
  const auto number = [&](int rank) -> std::uint64_t& {
    return *reinterpret_cast<std::uint64_t*>(heap.address(rank, block->offset));
  };
  const int next = neighbour(1), previous = neighbour(-1);
  // Odd steps write one's own number, even steps read the neighbour's: one await orders each way.
  for (std::uint64_t round = 1; round <= 2000; ++round) {
    board.await(previous, 2 * round - 2);  // it has read what is overwritten now
    ASSERT_TRUE(board.begin_step(2 * round - 1));
    number(comm().rank()) = round * 10;
    board.end_step(2 * round - 1);
    board.await(next, 2 * round - 1);
    ASSERT_TRUE(board.begin_step(2 * round));
    ASSERT_EQ(number(next), round * 10);
    board.end_step(2 * round);
  }
  EXPECT_EQ(board.finished(comm().rank()), 4000u);
  EXPECT_GE(board.wait_seconds(), 0.0);
  comm().barrier();
}

TEST_F(BoardTest, wait_seconds_measure_the_wait) {
  const auto alone = comm().agree_max(comm().ranks_on_node() == 1);
  if (alone) GTEST_SKIP() << "nobody to wait for";
  comm().barrier();
  if (comm().is_leader()) {
    std::this_thread::sleep_for(300ms);
    board.end_step(1);
    EXPECT_EQ(board.wait_seconds(), 0.0);
  } else {
    board.await(comm().leader(), 1);
    EXPECT_GT(board.wait_seconds(), 0.2);
  }
  comm().barrier();
}

TEST_F(BoardTest, without_a_request_every_step_runs) {
  for (std::uint64_t step = 1; step <= 1000; ++step) {
    ASSERT_TRUE(board.begin_step(step));
    board.end_step(step);
  }
  comm().barrier();
}

TEST_F(BoardTest, a_standing_cut_is_returned_again_and_can_be_cleared) {
  ASSERT_TRUE(board.begin_step(7));
  board.end_step(7);
  comm().barrier();
  if (comm().rank() == 0) {
    EXPECT_EQ(board.request_cut(), 8u);
    EXPECT_EQ(board.request_cut(), 8u);
  }
  comm().barrier();
  EXPECT_FALSE(board.begin_step(8));
  EXPECT_FALSE(board.begin_step(9));
  board.end_step(20);  // as if 20 had been planned
  comm().barrier();
  if (comm().rank() == 0) {
    board.clear_cut();
    board.clear_cut();
  }
  board.exchange({});  // what rank 0 has done before it holds on every node
  EXPECT_TRUE(board.begin_step(21));
  board.await(comm().leader(), 20);
}

/// Runs steps from `first` with a little work each until a cut stops them or `last` is done; every rank waits
/// for a neighbour now and then, so that ranks drift apart by different amounts. Returns the first step that
/// did not run.
std::uint64_t run_steps(Board& board, std::uint64_t first, std::uint64_t last, std::mt19937& random,
                        std::atomic<std::uint64_t>& runs) {
  const int next = neighbour(1);
  for (std::uint64_t step = first; step <= last; ++step) {
    if (!board.begin_step(step)) return step;
    runs.fetch_add(1, std::memory_order_relaxed);
    const auto kind = random() % 64;
    if (kind < 40) {
      for (auto k = random() % 200; k > 0; --k) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (kind == 50) std::this_thread::yield();
    if (kind == 51 && step > first + 3) board.await(next, step - 3);
    board.end_step(step);
  }
  return last + 1;
}

TEST_F(BoardTest, an_interrupt_at_a_random_moment_cuts_all_ranks_at_one_step) {
  const unsigned seed = 20'261 + static_cast<unsigned>(comm().size());
  std::mt19937 random(seed + 100 * static_cast<unsigned>(comm().rank()));
  std::uint64_t first = 1;
  int cuts = 0, in_the_middle = 0;
  constexpr int rounds = 400;
  constexpr std::uint64_t planned = 3000;
  for (int round = 0; round < rounds; ++round) {
    comm().barrier();
    const std::uint64_t last = first + planned - 1;
    std::atomic<std::uint64_t> runs = 0;
    std::uint64_t cut = 0;
    std::thread server;  // on rank 0, as the ZeroMQ thread is
    std::atomic<bool> is_over = false;
    if (comm().rank() == 0) {
      const std::uint64_t moment =
          random() % (planned + planned / 10);  // in steps: a busy machine wakes sleepers late
      server = std::thread([&, moment] {
        while (runs.load() < moment && !is_over.load()) std::this_thread::yield();
        cut = board.request_cut();
      });
    }
    const std::uint64_t stopped_at = run_steps(board, first, last, random, runs);
    is_over = true;
    if (server.joinable()) server.join();
    board.end_step(last);
    const auto stops = gather(stopped_at), counts = gather(runs);
    for (std::size_t rank = 0; rank < stops.size(); ++rank) {
      ASSERT_EQ(stops[rank], stops[0]) << "round " << round << " seed " << seed;
      ASSERT_EQ(counts[rank], stops[0] - first) << "each step before the cut ran, and none after it";
    }
    if (comm().rank() == 0) {
      // A request before the first step of a round cuts where the last round was cut.
      ASSERT_EQ(stopped_at, std::clamp(cut, first, last + 1));
      cuts += stopped_at <= last;
      in_the_middle += stopped_at <= last && stopped_at > first;
      board.clear_cut();
    }
    board.exchange({});
    first = last + 1;
    comm().barrier();
  }
  if (comm().rank() == 0) {
    RecordProperty("cuts", cuts);
    std::printf("%d of %d interrupts cut a batch, %d of them in its middle\n", cuts, rounds, in_the_middle);
    EXPECT_GT(in_the_middle, rounds / 20) << "the test must interrupt running batches to mean anything";
  }
}

Bytes bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(first, first + text.size());
}

TEST_F(BoardTest, reports_of_all_other_nodes_come_to_rank_0_each_once) {
  if (comm().is_leader()) board.set_reporter([] { return bytes_of(" " + std::to_string(comm().rank())); });
  int leaders = 0;
  if (comm().is_leader()) MPI_Comm_size(comm().leaders(), &leaders);
  comm().barrier();
  if (comm().rank() == 0)
    for (int round = 0; round < 200; ++round) {
      const Bytes reports = board.gather_reports();
      std::istringstream text(std::string(reinterpret_cast<const char*>(reports.data()), reports.size()));
      std::set<int> seen;
      int count = 0;
      for (int rank = 0; text >> rank; ++count) seen.insert(rank);
      ASSERT_EQ(count, leaders - 1) << "round " << round;
      ASSERT_EQ(static_cast<int>(seen.size()), count);
      ASSERT_FALSE(seen.contains(0));
    }
  comm().barrier();
  board.set_reporter({});
  comm().barrier();
}

TEST_F(BoardTest, a_failure_on_any_rank_is_known_on_all_with_the_next_message) {
  std::uint64_t step = 0;
  for (std::uint64_t batch = 1; batch <= 300; ++batch) {
    const int victim = static_cast<int>(batch) % (comm().size() + 1);  // sometimes nobody
    board.exchange({});
    ASSERT_TRUE(board.begin_step(++step));
    if (comm().rank() == victim)
      board.report_failure(batch,
                           {step, {protocol::ErrorKind::value, "no luck in " + std::to_string(batch)}});
    board.end_step(step);
    board.settle(step, batch);
    const auto expect_known = [&] {
      const auto failure = board.failure_of(batch);
      ASSERT_EQ(failure.has_value(), victim < comm().size()) << "batch " << batch;
      if (!failure) return;
      EXPECT_EQ(failure->step, step);
      EXPECT_EQ(failure->error.kind(), protocol::ErrorKind::value);
      EXPECT_EQ(failure->error.what(),
                "rank " + std::to_string(victim) + ": no luck in " + std::to_string(batch));
    };
    if (comm().rank() == 0) expect_known();
    board.exchange({});
    expect_known();
    if (batch % 50 == 0) comm().barrier();
  }
}

/// A start of nodes in which the last rank's fails: what all ranks are told. Then one that succeeds.
std::string told_when_last_node_fails(nodes::Settings settings,
                                      const std::function<void(nodes::Settings&)>& hinder,
                                      const std::function<void()>& help) {
  distribution::Heap heap(comm(), 4 * megabyte);
  const auto good = settings;
  const bool is_victim = comm().rank() == comm().size() - 1;
  if (is_victim) hinder(settings);
  std::string told;
  try {
    Board board(comm(), heap, settings);
  } catch (const protocol::Error& error) {
    told = error.what();
  }
  if (is_victim) help();
  std::this_thread::sleep_for(4s);  // nobody is about to end the job
  Board again(comm(), heap, good);
  EXPECT_EQ(again.exchange(comm().rank() == 0 ? message(1, 100) : Bytes{}), message(1, 100));
  comm().barrier();
  return told;
}

bool has_several_nodes() {
  int leaders = 0;
  if (comm().is_leader()) MPI_Comm_size(comm().leaders(), &leaders);
  return comm().agree_max(leaders) > 2;  // some are connected while others are not
}

TEST(Board, says_on_all_ranks_which_node_cannot_be_reached) {
  if (!has_several_nodes()) GTEST_SKIP() << "needs several nodes";
  auto settings = testing::nodes_settings();
  settings.silence_limit_s = 1;  // who is connected waits longer than this for the others, and is not lost
  settings.start_limit_s = 4;
  const auto told = told_when_last_node_fails(
      settings, [](nodes::Settings& own) { own.start_limit_s = 0; }, [] {});
  EXPECT_NE(told.find(" cannot reach "), std::string::npos) << told;
  EXPECT_NE(told.find(" within 4 s: nodes of a job must be able to open TCP connections"), std::string::npos)
      << told;
}

TEST(Board, says_on_all_ranks_what_one_node_lacks) {
  if (!has_several_nodes()) GTEST_SKIP() << "needs several nodes";
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const auto told = told_when_last_node_fails(
      testing::nodes_settings(),
      [before](nodes::Settings&) {
        const int next = dup(0);
        close(next);
        const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
        setrlimit(RLIMIT_NOFILE, &none);
      },
      [before] { setrlimit(RLIMIT_NOFILE, &before); });
  EXPECT_NE(told.find("Too many open files (on "), std::string::npos) << told;
}

TEST(Board, refuses_a_heap_without_room_on_all_ranks) {
  distribution::Heap heap(comm(), 64 * 1024);
  EXPECT_THROW(Board(comm(), heap), protocol::Error);
  EXPECT_EQ(heap.allocator().in_use(), 0u);
}

}  // namespace
}  // namespace gamelan::engine
