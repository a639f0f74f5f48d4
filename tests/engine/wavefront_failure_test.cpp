// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory within a wavefront: what the wavefront writes is lost and says why, what
// came before it has happened, no rank waits for the one that failed, and the engines live on.
#include <malloc.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

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
constexpr std::int64_t rows = 1200, columns = 40;

/// While it lives, this process may take no more address space. So much of the heap is free, in pieces, as
/// planning needs, whatever the allocator kept: with less it has a bad_alloc (measured: 128 KiB with
/// glibc 2.41, nothing with 2.36), with 768 KiB the wavefront has room, too.
class OutOfMemory {
 public:
  OutOfMemory() {
    getrlimit(RLIMIT_AS, &before_);
    malloc_trim(0);
    std::vector<std::unique_ptr<char[]>> pieces;
    for (int k = 0; k < free_pieces; ++k) {
      pieces.push_back(std::make_unique_for_overwrite<char[]>(piece));
      between_.push_back(std::make_unique<std::int64_t>());  // neighbours that are free would become one
    }
    pieces.clear();
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * 4096;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~OutOfMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  static constexpr int free_pieces = 24;
  static constexpr std::size_t piece = 16 << 10;
  rlimit before_{};
  std::vector<std::unique_ptr<std::int64_t>> between_;
};

View grid(ArrayId id) { return protocol::whole(id, Dtype::float64, {rows, columns}); }
View part(View view, std::int64_t first, std::int64_t last) {
  view.offset += first * view.strides[0];
  view.extents[0] = last - first;
  return view;
}

class WavefrontFailure : public ::testing::Test {
 protected:
  protocol::Reply run(std::vector<Command> commands, std::vector<ArrayId> frees = {},
                      std::vector<View> fetches = {}) {
    Batch batch;
    batch.seq = ++seq_;
    batch.commands = std::move(commands);
    batch.frees = std::move(frees);
    batch.fetches = std::move(fetches);
    batch.options = {{"tiling", "always"}};
    board.exchange({});
    return session.execute(batch);
  }
  /// Sweeps between two arrays, 32 passes at most in one wavefront; `id` numbers temporaries.
  static std::vector<Command> sweeps(const View& u, const View& v, int count, ArrayId id) {
    std::vector<Command> commands;
    for (int k = 0; k < count; ++k) {
      const View &from = k % 2 ? v : u, &to = k % 2 ? u : v;
      const View sum = protocol::whole(id + static_cast<ArrayId>(k), Dtype::float64, {rows - 2, columns});
      commands.push_back(command(Op::add, sum, true, {part(from, 2, rows), part(from, 0, rows - 2)}));
      commands.push_back(command(Op::multiply, part(to, 1, rows - 1), false, {sum, number(0.5)}));
    }
    return commands;
  }
  static std::vector<ArrayId> temporaries(int count, ArrayId id) {
    std::vector<ArrayId> ids;
    for (int k = 0; k < count; ++k) ids.push_back(id + static_cast<ArrayId>(k));
    return ids;
  }
  void expect_all(const View& array, double value) {
    const auto reply = run({}, {}, {array});
    if (comm().rank() != 0) return;
    ASSERT_EQ(reply.outcome, Outcome::ok) << reply.message;
    const auto* values = reinterpret_cast<const double*>(reply.payloads.at(0).data());
    for (std::int64_t at = 0; at < rows * columns; ++at) ASSERT_EQ(values[at], value) << at;
  }

  distribution::Heap heap{comm(), 96 * megabyte};
  Board board{comm(), heap};
  Session session{comm(), heap, board};

 private:
  std::uint64_t seq_ = 0;
};

TEST_F(WavefrontFailure, loses_what_the_sweeps_write_and_nothing_else) {
  constexpr int count = 30;
  const View u = grid(1), v = grid(2), before = grid(3), untouched = grid(4);
  run({command(Op::copy, u, true, {number(1.0)}), command(Op::copy, v, true, {number(1.0)}),
       command(Op::copy, before, true, {number(1.0)}), command(Op::copy, untouched, true, {number(7.0)})});
  run(sweeps(u, v, count, 100), temporaries(count, 100));
  expect_all(u, 1);
  expect_all(v, 1);

  std::vector<Command> commands = {command(Op::add, before, false, {before, number(1.0)})};
  for (auto& each : sweeps(u, v, count - 2, 200)) commands.push_back(std::move(each));
  protocol::Reply reply;
  {
    std::optional<OutOfMemory> shortage;
    if (comm().rank() == comm().size() - 1) shortage.emplace();
    reply = run(std::move(commands), temporaries(count - 2, 200));
  }
  if (comm().rank() == 0) {
    EXPECT_EQ(reply.outcome, Outcome::failed);
    EXPECT_EQ(reply.error, ErrorKind::memory) << reply.message;
    EXPECT_EQ(reply.command, 1);
  }
  expect_all(before, 2);
  expect_all(untouched, 7);
  for (const View& lost : {u, v}) {
    const auto look = run({}, {}, {lost});
    if (comm().rank() != 0) continue;
    EXPECT_EQ(look.outcome, Outcome::failed);
    EXPECT_EQ(look.error, ErrorKind::memory) << look.message;
  }

  const View again = grid(5), other = grid(6);
  run({command(Op::copy, again, true, {number(3.0)}), command(Op::copy, other, true, {number(3.0)})},
      {u.base, v.base});
  run(sweeps(again, other, count, 300), temporaries(count, 300));
  expect_all(again, 3);
}

}  // namespace
}  // namespace gamelan::engine
