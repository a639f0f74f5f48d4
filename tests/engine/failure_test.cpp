// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory among several nodes: every rank learns it, the user gets the cause, nobody
// hangs, and the engines live on. The memory is really missing: the rank has no address space left, as under
// ulimit -v.
#include <malloc.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "engine/session/session.hpp"
#include "tests/engine/commands.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::Dtype;
using protocol::ErrorKind;
using protocol::Op;
using protocol::Outcome;
using protocol::View;
using testing::comm;
using testing::command;
using testing::number;

constexpr std::size_t megabyte = std::size_t{1} << 20;

/// While it lives, this process may take `bytes` more of address space.
class ShortOfMemory {
 public:
  explicit ShortOfMemory(std::size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    holes_.reserve(most_holes);
    malloc_trim(0);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * 4096;
    setrlimit(RLIMIT_AS, &limit);
    // What was freed amid the heap is not there for the asking.
    while (holes_.size() < most_holes)
      if (void* hole = std::malloc(hole_bytes))
        holes_.push_back(hole);
      else
        break;
    limit.rlim_cur += bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~ShortOfMemory() {
    setrlimit(RLIMIT_AS, &before_);
    for (void* hole : holes_) std::free(hole);
  }

 private:
  static constexpr std::size_t most_holes = 4096, hole_bytes = 128 << 10;
  rlimit before_{};
  std::vector<void*> holes_;
};

View row(ArrayId id, std::int64_t length, Dtype dtype = Dtype::float64) {
  return protocol::whole(id, dtype, {length});
}
View reversed(View view) {
  view.offset += (view.extents[0] - 1) * view.strides[0];
  view.strides[0] *= -1;
  return view;
}

class Failure : public ::testing::Test {
 protected:
  protocol::Reply run(std::vector<Command> commands, std::vector<ArrayId> frees = {},
                      std::vector<View> fetches = {}) {
    Batch batch;
    batch.seq = ++seq_;
    batch.commands = std::move(commands);
    batch.frees = std::move(frees);
    batch.fetches = std::move(fetches);
    board.exchange({});  // as a batch arrives: what settles it is numbered by this
    return session.execute(batch);
  }
  /// The same where the last rank has `bytes` of address space left.
  protocol::Reply run_short(std::size_t bytes, std::vector<Command> commands, std::vector<ArrayId> frees = {},
                            std::vector<View> fetches = {}) {
    std::optional<ShortOfMemory> shortage;
    if (comm().rank() == comm().size() - 1) shortage.emplace(bytes);
    return run(std::move(commands), std::move(frees), std::move(fetches));
  }
  void expect_memory_error(const protocol::Reply& reply) {
    if (comm().rank() != 0) return;
    EXPECT_EQ(reply.outcome, Outcome::failed);
    EXPECT_EQ(reply.error, ErrorKind::memory) << reply.message;
    EXPECT_NE(reply.message.find("rank " + std::to_string(comm().size() - 1)), std::string::npos)
        << reply.message;
  }
  /// A row from 0 on, its reverse made of it, and every element of both.
  void expect_all_well() {
    const View made = row(next_++, 4096), turned = row(next_++, 4096);
    const auto reply = run({command(Op::sequence, made, true, {number(0.0), number(1.0)}),
                            command(Op::add, turned, true, {reversed(made), number(1.0)})},
                           {made.base, turned.base}, {turned});
    if (comm().rank() != 0) return;
    ASSERT_EQ(reply.outcome, Outcome::ok) << reply.message;
    const auto* values = reinterpret_cast<const double*>(reply.payloads.at(0).data());
    for (std::int64_t i = 0; i < 4096; ++i) ASSERT_EQ(values[i], static_cast<double>(4096 - i)) << i;
  }

  distribution::Heap heap{comm(), 96 * megabyte};
  Board board{comm(), heap};
  Session session{comm(), heap, board};
  ArrayId next_ = 1000;

 private:
  std::uint64_t seq_ = 0;
};

TEST_F(Failure, of_a_ghost_buffer_that_finds_no_place) {
  const View a = row(1, 100'000), b = row(2, 100'000);
  run({command(Op::copy, a, true, {number(1.0)})});
  expect_memory_error(run_short(32 * megabyte, {command(Op::add, b, true, {a, reversed(a)})}));
  expect_all_well();
  const auto reply = run({command(Op::add, row(3, 100'000), true, {a, reversed(a)})}, {}, {row(3, 100'000)});
  if (comm().rank() == 0) {
    EXPECT_EQ(reply.outcome, Outcome::ok) << reply.message;
  }
}

TEST_F(Failure, of_the_buffers_of_a_large_message) {
  expect_all_well();  // all ghost buffers are there
  const std::int64_t length = 4'000'000 * comm().size() / 4;
  const View a = row(1, length), b = row(2, length);
  run({command(Op::copy, a, true, {number(1.0)})});
  expect_memory_error(run_short(14 * megabyte, {command(Op::add, b, true, {a, reversed(a)})}));
  expect_all_well();
}

TEST_F(Failure, of_buffers_so_small_that_nobody_asked) {
  expect_all_well();
  const std::int64_t length = 1 << 20;
  const View a = row(1, length);
  run({command(Op::copy, a, true, {number(1.0)})});
  for (ArrayId turn = 0; turn < 5; ++turn) {
    expect_memory_error(
        run_short(megabyte, {command(Op::add, row(10 + turn, length), true, {a, reversed(a)})}));
    expect_all_well();
  }
}

TEST_F(Failure, of_a_known_plan) {
  const std::int64_t length = 4'000'000;
  const View a = row(1, length);
  run({command(Op::copy, a, true, {number(1.0)})});
  const auto turn = [&](ArrayId id) {
    return std::vector{command(Op::add, row(id, length), true, {a, reversed(a)})};
  };
  run(turn(2));
  expect_memory_error(run_short(10 * megabyte, turn(3)));
  EXPECT_EQ(run(turn(4)).outcome, Outcome::ok);
  expect_all_well();
}

TEST_F(Failure, of_elements_that_data_name_blames_who_has_no_memory) {
  const std::int64_t length = 1'000'000;
  const View a = row(1, length), i = row(2, length, Dtype::int64);
  const auto ramp = command(Op::sequence, i, true, {number(length - 1), number(std::int64_t{-1})});
  run({command(Op::copy, a, true, {number(1.0)}), ramp});
  for (ArrayId turn = 0; turn < 5; ++turn)  // who is heard first must not be chance
    expect_memory_error(
        run_short(24 * megabyte, {command(Op::take, row(10 + turn, length), true, {a, i}, {0})}));
  expect_all_well();
  const auto reply = run({command(Op::take, row(4, length), true, {a, i}, {0})}, {}, {row(4, length)});
  if (comm().rank() == 0) {
    EXPECT_EQ(reply.outcome, Outcome::ok) << reply.message;
  }
}

/// The last rank gets elements and sends none: nobody learns of its failure from what it does not send.
TEST_F(Failure, of_what_comes_in_a_swap) {
  expect_all_well();
  const std::int64_t length = 1 << 20, share = length / comm().size();
  const View a = row(1, length), i = row(2, length, Dtype::int64);
  run({command(Op::copy, a, true, {number(1.0)}),
       command(Op::sequence, i, true, {number(share - length), number(std::int64_t{1})})});
  for (ArrayId turn = 0; turn < 5; ++turn) {
    expect_memory_error(run_short(megabyte, {command(Op::take, row(10 + turn, length), true, {a, i}, {0})}));
    expect_all_well();
  }
  EXPECT_EQ(run({command(Op::take, row(20, length), true, {a, i}, {0})}).outcome, Outcome::ok);
}

/// What came before the command that fails has happened; what it and later ones write is lost, and says why.
TEST_F(Failure, ends_the_batch_before_the_command_that_fails) {
  const std::int64_t length = 1'000'000;
  const View changed = row(1, length), i = row(2, length, Dtype::int64), untouched = row(3, length),
             later = row(4, length);
  run({command(Op::copy, changed, true, {number(1.0)}), command(Op::copy, untouched, true, {number(7.0)}),
       command(Op::copy, later, true, {number(1.0)}),
       command(Op::sequence, i, true, {number(length - 1), number(std::int64_t{-1})})});
  const auto expect_all = [&](const View& array, double value) {
    const auto reply = run({}, {}, {array});
    if (comm().rank() != 0) return;
    ASSERT_EQ(reply.outcome, Outcome::ok) << reply.message;
    const auto* values = reinterpret_cast<const double*>(reply.payloads.at(0).data());
    for (std::int64_t at = 0; at < length; ++at) ASSERT_EQ(values[at], value) << at;
  };
  for (ArrayId turn = 0; turn < 3; ++turn) {
    const View made = row(100 + turn, length), taken = row(200 + turn, length),
               reader = row(300 + turn, length);
    const auto reply = run_short(24 * megabyte, {command(Op::add, changed, false, {changed, number(1.0)}),
                                                 command(Op::add, made, true, {changed, number(1.0)}),
                                                 command(Op::take, taken, true, {changed, i}, {0}),
                                                 command(Op::add, later, false, {later, number(1.0)}),
                                                 command(Op::add, reader, true, {taken, number(1.0)})});
    expect_memory_error(reply);
    if (comm().rank() == 0) {
      EXPECT_EQ(reply.command, 2);
    }
    const auto turns = static_cast<double>(turn) + 1;
    expect_all(changed, 1 + turns);
    expect_all(made, 2 + turns);
    expect_all(untouched, 7);
    for (const View& lost : {taken, later, reader}) {
      const auto look = run({}, {}, {lost});
      if (comm().rank() != 0) continue;
      EXPECT_EQ(look.outcome, Outcome::failed);
      EXPECT_EQ(look.error, ErrorKind::memory) << look.message;
    }
    run({command(Op::copy, row(400 + turn, length), true, {number(1.0)})},
        {made.base, taken.base, reader.base, later.base});
    run({command(Op::copy, later, true, {number(1.0)})}, {row(400 + turn, length).base});
  }
  expect_all_well();
}

TEST_F(Failure, to_send_what_is_looked_at_costs_nothing_but_the_look) {
  const std::int64_t length = 1 << 23;
  const View a = row(1, length);
  run({command(Op::sequence, a, true, {number(0.0), number(1.0)})}, {}, {row(1, 8)});
  expect_all_well();
  for (int turn = 0; turn < 3; ++turn) expect_memory_error(run_short(megabyte / 2, {}, {}, {a}));
  const auto reply = run({}, {}, {a});
  if (comm().rank() != 0) return;
  ASSERT_EQ(reply.outcome, Outcome::ok) << reply.message;
  double last = 0;
  std::memcpy(&last, reply.payloads.at(0).data() + (length - 1) * 8, sizeof last);
  EXPECT_EQ(last, static_cast<double>(length - 1));
}

/// A column takes a page for each element where it is laid down.
TEST_F(Failure, is_not_brought_about_by_columns_of_other_nodes) {
  const std::int64_t rows = 44'000, columns = 512;
  const View m = protocol::whole(1, Dtype::float64, {rows, columns});
  View column = row(1, rows);
  column.strides = {columns * 8};
  run({command(Op::copy, m, true, {number(1.0)})});
  const auto private_kilobytes = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("RssAnon:")) return std::stol(line.substr(8));
    return 0L;
  };
  const auto before = private_kilobytes();
  EXPECT_EQ(run({command(Op::add, row(2, rows), true, {column, reversed(column)})}).outcome, Outcome::ok);
  EXPECT_LT(private_kilobytes(), before + 8 * 1024);
}

}  // namespace
}  // namespace gamelan::engine
