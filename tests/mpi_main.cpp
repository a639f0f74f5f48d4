// SPDX-License-Identifier: BSD-3-Clause
// gtest's main for tests under mpiexec: starts MPI and GA once, runs every test on every rank, and merges: a
// test that fails on one rank fails on all. Rank 0 reports; the others speak only of their own failures.
#include <cstdio>
#include <memory>

#include "tests/mpi_test.hpp"

namespace {

std::unique_ptr<gamelan::engine::Comm> only_comm;

/// Speaks for a rank other than 0.
class RankPrinter : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", only_comm->rank(),
                 result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
  }
};

/// Ends every test together.
class Merger : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    const bool is_mine = test.result()->Failed();
    const auto failed = only_comm->agree_max(is_mine);
    if (failed && !is_mine) ADD_FAILURE() << "failed on another rank";
  }
};

}  // namespace

namespace gamelan::testing {
engine::Comm& comm() { return *only_comm; }
}  // namespace gamelan::testing

int main(int argc, char** argv) {
  only_comm = std::make_unique<gamelan::engine::Comm>(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (only_comm->rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new RankPrinter);
  }
  listeners.Append(
      new Merger);  // listeners hear of an end in reverse order: the merger first, then the printer
  const auto code = static_cast<int>(only_comm->agree_max(RUN_ALL_TESTS()));
  only_comm.reset();
  return code;
}
