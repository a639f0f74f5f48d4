// SPDX-License-Identifier: BSD-3-Clause
// Options travel with the batch: what one client has asked for changes no plan of another, and an option that
// is wrong changes nothing.
#include <nlohmann/json.hpp>

#include "engine/session/session.hpp"
#include "tests/engine/nodes_settings.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using protocol::Batch;
using protocol::Outcome;
using testing::comm;

class BatchOptions : public ::testing::Test {
 protected:
  protocol::Reply run(Batch batch, protocol::NamedOptions options) {
    batch.seq = ++seq_;
    batch.options = std::move(options);
    auto reply = session.execute(batch);
    comm().barrier();
    return reply;
  }
  /// A number that nobody reads: computed only when it is kept.
  static Batch unread() {
    Batch batch;
    protocol::Command command;
    command.op = protocol::Op::sequence;
    command.loop = protocol::Dtype::float64;
    command.out = {
        .base = 1, .dtype = protocol::Dtype::float64, .offset = 0, .extents = {1000}, .strides = {8}};
    command.creates = true;
    command.in = {protocol::Scalar{}, protocol::Scalar{}};
    batch.commands = {command};
    batch.frees = {1};
    batch.origins = {{"cell", 1}};
    return batch;
  }
  /// Of all ranks' plans: read by all before anybody goes on.
  std::int64_t steps() {
    const auto count = session.status()["steps"].get<std::int64_t>();
    comm().barrier();
    return count;
  }

  distribution::Heap heap{comm(), (std::size_t{16} << 20) / static_cast<std::size_t>(comm().size())};
  Board board{comm(), heap, testing::nodes_settings()};
  Session session{comm(), heap, board};

 private:
  std::uint64_t seq_ = 0;
};

TEST_F(BatchOptions, count_for_their_batch_alone) {
  run(unread(), {});
  const auto before = steps();
  run(unread(), {{"keep_unread", "1"}});
  const auto kept = steps();
  EXPECT_GT(kept, before);
  run(unread(), {});
  EXPECT_EQ(steps(), kept);
  session.configure({0, {{"keep_unread", "1"}}});  // checked, and left to the batches
  run(unread(), {});
  EXPECT_EQ(steps(), kept);
}

TEST_F(BatchOptions, that_are_wrong_change_nothing) {
  for (const protocol::NamedOptions& wrong :
       {protocol::NamedOptions{{"disable_passes", "no_such_pass"}},
        protocol::NamedOptions{{"compile", "maybe"}},
        protocol::NamedOptions{{"keep_unread", "1"}, {"reset_stats", ""}}}) {
    const auto before = steps();
    const auto reply = run(unread(), wrong);
    EXPECT_EQ(reply.outcome, Outcome::failed);
    EXPECT_EQ(reply.error, protocol::ErrorKind::value);
    EXPECT_EQ(run(unread(), {}).outcome, Outcome::ok);
    EXPECT_EQ(steps(), before);
  }
}

}  // namespace
}  // namespace gamelan::engine
