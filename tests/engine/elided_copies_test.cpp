// SPDX-License-Identifier: BSD-3-Clause
// Arrays whose copy is elided, where batches are cut off or refused: nothing that a batch has finished is
// lost to a later one.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/session/session.hpp"
#include "tests/engine/commands.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Command;
using protocol::Dtype;
using protocol::Op;
using protocol::Outcome;
using protocol::View;
using testing::comm;
using testing::command;
using testing::number;

constexpr std::size_t megabyte = std::size_t{1} << 20;
constexpr std::int64_t rows = 1024, columns = 512;  // 4 MiB in all

View array(ArrayId id, std::int64_t height = rows) {
  return protocol::whole(id, Dtype::float64, {height, columns});
}

/// A session whose `grid` is 2 everywhere and whose `work` equals it, without a store of its own.
class ElidedCopy : public ::testing::Test {
 protected:
  void SetUp() override {
    run({command(Op::copy, grid, true, {number(1)})});
    run({command(Op::multiply, work, true, {grid, number(2)}), command(Op::copy, grid, false, {work})});
  }

  protocol::Reply run(std::vector<Command> commands, std::vector<ArrayId> frees = {},
                      std::vector<View> fetches = {}) {
    Batch batch;
    batch.seq = ++seq_;
    batch.commands = std::move(commands);
    batch.frees = std::move(frees);
    batch.fetches = std::move(fetches);
    auto reply = session.execute(batch);
    comm().barrier();
    return reply;
  }
  /// The same with a cut that falls before its first step.
  protocol::Reply run_cut(std::vector<Command> commands, std::vector<ArrayId> frees = {}) {
    if (comm().rank() == 0) board.request_cut();
    comm().barrier();
    auto reply = run(std::move(commands), std::move(frees));
    if (comm().rank() == 0) board.clear_cut();
    board.exchange({});
    comm().barrier();
    return reply;
  }
  /// An array's elements are all `value`.
  void expect(const View& of, double value) {
    const auto reply = run({}, {}, {of});
    if (comm().rank() != 0) return;
    ASSERT_EQ(reply.outcome, Outcome::ok) << reply.message;
    std::vector<double> values(reply.payloads.at(0).size() / sizeof(double));
    std::memcpy(values.data(), reply.payloads[0].data(), reply.payloads[0].size());
    EXPECT_TRUE(std::all_of(values.begin(), values.end(), [&](double each) { return each == value; }))
        << values[0] << ", expected " << value;
  }

  distribution::Heap heap{comm(), 24 * megabyte / static_cast<std::size_t>(comm().size())};
  Board board{comm(), heap};
  Session session{comm(), heap, board};
  const View grid = array(1), work = array(2);

 private:
  std::uint64_t seq_ = 0;
};

TEST_F(ElidedCopy, is_made_when_somebody_looks) {
  run({command(Op::add, grid, false, {grid, number(1)})});
  expect(work, 2);
  expect(grid, 3);
}

TEST_F(ElidedCopy, outlives_a_batch_that_is_cut_before_its_copy) {
  const auto reply = run_cut({command(Op::add, grid, false, {grid, number(1)})});
  EXPECT_EQ(reply.outcome, Outcome::cancelled);
  EXPECT_EQ(reply.command, 0);
  expect(work, 2);
  expect(grid, 2);
}

TEST_F(ElidedCopy, outlives_the_array_under_its_view) {
  run_cut({}, {grid.base});
  expect(work, 2);
  run({}, {work.base});
  run({command(Op::copy, array(1), true, {number(5)})});  // and that was freed then
  expect(array(1), 5);
}

TEST_F(ElidedCopy, outlives_a_batch_for_whose_copy_there_is_no_memory) {
  const View large = array(10, 4 * rows + rows / 2), later = array(11, 1);
  ASSERT_EQ(run({command(Op::copy, large, true, {number(3)})}).outcome, Outcome::ok);
  const auto reply =
      run({command(Op::add, grid, false, {grid, number(1)}), command(Op::copy, later, true, {number(4)})});
  ASSERT_EQ(reply.outcome, Outcome::failed);
  EXPECT_EQ(reply.error, protocol::ErrorKind::memory);
  EXPECT_EQ(reply.command, 0);
  expect(grid, 2);
  run({}, {large.base});
  expect(work, 2);
}

TEST_F(ElidedCopy, is_none_where_a_later_command_is_refused) {
  const View twice = array(20), other = array(21);
  const auto reply =
      run({command(Op::multiply, twice, true, {grid, number(2)}), command(Op::copy, grid, false, {twice}),
           command(Op::add, other, true, {array(99), number(1)})});  // there is no array 99
  EXPECT_EQ(reply.outcome, Outcome::failed);
  EXPECT_EQ(reply.command, 2);
  expect(twice, 4);
  expect(grid, 4);
  expect(work, 2);
}

TEST_F(ElidedCopy, is_none_for_windows_that_slide) {
  const View row = protocol::whole(30, Dtype::float64, {8}),
             values = protocol::whole(31, Dtype::float64, {3, 4});
  View windows = protocol::whole(row.base, Dtype::float64, {3, 4});
  windows.strides = {8, 8};
  Batch batch;
  batch.commands = {
      command(Op::multiply, values, true, {protocol::whole(32, Dtype::float64, {3, 4}), number(1)}),
      command(Op::copy, windows, false, {values})};
  EXPECT_TRUE(ElidedCopies::find(batch).empty());
  windows.strides = {-32, 8};
  batch.commands[1].out = windows;
  EXPECT_EQ(ElidedCopies::find(batch).size(), 1U);
}

/// A cut between two steps: an array that the second wants is stored although it is to die, and is no less
/// readable for it.
TEST_F(ElidedCopy, is_none_where_the_array_is_stored_after_all) {
  const protocol::Shape extents{600, 600};
  const auto square = [&](ArrayId id) { return protocol::whole(id, Dtype::float64, extents); };
  run({command(Op::copy, square(40), true, {number(1)})});
  const auto begun = board.started(comm().leader());
  comm().barrier();
  std::thread cutter([&] {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (board.started(comm().leader()) < begun + 2 && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    if (comm().rank() == 0) board.request_cut();
  });
  run({command(Op::multiply, square(41), true, {square(40), number(2)}),
       command(Op::copy, square(40), false, {square(41)}),
       command(Op::matmul, square(42), true, {square(41), square(41)}),
       command(Op::matmul, square(43), true, {square(41), square(42)})});
  cutter.join();
  comm().barrier();
  if (comm().rank() == 0) board.clear_cut();
  board.exchange({});  // what rank 0 has done before it holds on every node
  expect(square(41), 2);
  expect(square(40), 2);
}

}  // namespace
}  // namespace gamelan::engine
