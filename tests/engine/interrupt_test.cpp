// SPDX-License-Identifier: BSD-3-Clause
// Random programs, interrupted before a random step: what can be read afterwards is what one prefix of the
// recorded commands leaves behind, the same prefix for every array, and it ends between two calls of the
// user's. The seed is printed; GAMELAN_TEST_SEED and GAMELAN_TEST_PROGRAMS choose others.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/plan/calls.hpp"
#include "engine/session/session.hpp"
#include "tests/engine/moment.hpp"
#include "tests/engine/nodes_settings.hpp"
#include "tests/engine/random_batches.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using protocol::ArrayId;
using protocol::Batch;
using protocol::Outcome;
using testing::comm;
using testing::Moment;
using testing::RandomBatches;

unsigned given(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

class Interrupt : public ::testing::Test {
 protected:
  protocol::Reply run(Batch batch) {
    batch.seq = ++seq_;
    batch.options = options;
    auto reply = session.execute(batch);
    comm().barrier();
    return reply;
  }
  /// With a cut that stands before `step` of the batch: as if rank 0 had been at the step before when it was
  /// asked for.
  protocol::Reply run_cut(const Batch& batch, std::uint64_t step) {
    if (comm().rank() == 0) {
      const auto begun = board.started(0);
      if (step > 0) board.begin_step(begun + step);
      board.request_cut();
      if (begun > 0) board.begin_step(begun);
    }
    comm().barrier();
    auto reply = run(batch);
    if (comm().rank() == 0) board.clear_cut();
    board.exchange({});  // what rank 0 has done before it holds on every node
    comm().barrier();
    return reply;
  }
  std::string plan_of(Batch batch) {
    batch.explain = true;
    return nlohmann::json::parse(run(std::move(batch)).info)["plan"];
  }
  /// An array's elements on rank 0; on the others, none. nullopt on all ranks when it was not computed.
  std::optional<std::vector<std::int64_t>> read(const protocol::View& view) {
    Batch batch;
    batch.fetches = {view};
    const auto reply = run(batch);
    if (reply.outcome != Outcome::ok) {
      EXPECT_EQ(reply.error, protocol::ErrorKind::cancelled) << reply.message;
      return std::nullopt;
    }
    std::vector<std::int64_t> values(
        reply.payloads.empty() ? 0 : reply.payloads[0].size() / sizeof(std::int64_t));
    if (!values.empty()) std::memcpy(values.data(), reply.payloads[0].data(), reply.payloads[0].size());
    return values;
  }
  std::map<ArrayId, std::vector<std::int64_t>> read_all(const RandomBatches& program) {
    std::map<ArrayId, std::vector<std::int64_t>> values;
    for (const auto id : program.named())
      if (auto each = read(program.whole(id))) values[id] = std::move(*each);
    return values;
  }
  /// Everything readable is as it is at this moment.
  static bool fits(const std::map<ArrayId, std::vector<std::int64_t>>& seen, const Moment& moment) {
    return std::all_of(seen.begin(), seen.end(), [&](const auto& array) {
      const auto found = moment.arrays.find(array.first);
      return found != moment.arrays.end() && found->second == array.second;
    });
  }
  /// What rank 0 has found, on every rank.
  static bool agreed(bool is_true) { return comm().agree_max(comm().rank() == 0 && is_true) != 0; }

  bool survives(unsigned seed);
  bool check_cut(const Batch& batch, const protocol::Reply& reply, RandomBatches& program, Moment& moment);
  std::string describe(const Batch& batch, std::uint64_t step, const protocol::Reply& reply);

  distribution::Heap heap{comm(), (std::size_t{64} << 20) / static_cast<std::size_t>(comm().size())};
  Board board{comm(), heap, testing::nodes_settings()};
  Session session{comm(), heap, board};
  protocol::NamedOptions options;
  int cuts_inside = 0;

 private:
  std::uint64_t seq_ = 0;
};

/// Some neighbours of its commands become one call of the user's.
Batch in_calls(Batch batch, testing::Choices& choose) {
  std::uint32_t origin = 0;
  const int others = choose.pick(std::vector<int>{100, 50, 10});  // in a hundred
  for (auto& command : batch.commands) command.origin = origin += choose.chance(others);
  batch.origins.assign(origin + 1, {"cell", 1});
  return batch;
}

void advance(Moment& moment, const Batch& batch) {
  for (const auto& command : batch.commands) moment.run(batch, command);
}

/// One program: loops, some of them cut short, each going on from what the last has left.
bool Interrupt::survives(unsigned seed) {
  testing::Choices choose(seed);
  RandomBatches program(seed + 1);
  Moment moment;
  bool is_sound = true;
  options = {{"disable_passes",
              choose.pick(std::vector<std::string>{"", "", "", "elide_copies", "version", "fuse", "interior",
                                                   "elide_stores", "simplify,contract"})}};
  for (int round = 0; round < 3 && is_sound; ++round) {
    for (const auto& batch : {program.create(), choose.chance(50) ? program.loop() : Batch{}}) {
      run(batch);
      advance(moment, batch);
    }
    const Batch batch = in_calls(program.loop(), choose);
    const std::string plan = plan_of(batch);
    std::uint64_t steps = 0;
    for (auto at = plan.find("step "); at != std::string::npos; at = plan.find("\nstep ", at + 1)) ++steps;
    const auto step = static_cast<std::uint64_t>(choose.below(static_cast<int>(steps) + 1));
    const auto reply = run_cut(batch, step);
    is_sound = check_cut(batch, reply, program, moment);
    if (!is_sound && comm().rank() == 0)
      std::fprintf(stderr, "program %u, round %d: %zu commands cut before step %lu of %lu: %s\n", seed, round,
                   batch.commands.size(), step, steps, reply.message.c_str());
  }
  run(program.end());
  return is_sound;
}

/// Takes `moment` to the prefix that was computed, and from the program the names of what was not.
bool Interrupt::check_cut(const Batch& batch, const protocol::Reply& reply, RandomBatches& program,
                          Moment& moment) {
  const auto seen = read_all(program);
  const auto first_lost =
      reply.outcome == Outcome::ok ? batch.commands.size() : static_cast<std::size_t>(reply.command);
  cuts_inside += first_lost > 0 && first_lost < batch.commands.size();
  bool fits_one = false;
  for (std::size_t c = 0; c <= batch.commands.size(); ++c) {
    if (plan::goes_on(batch, c)) continue;
    Moment now = moment;
    for (std::size_t k = 0; k < c; ++k) now.run(batch, batch.commands[k]);
    fits_one = fits_one || fits(seen, now);
  }
  for (std::size_t c = 0; c < first_lost; ++c) moment.run(batch, batch.commands[c]);
  bool is_as_told =
      fits(seen, moment) && !plan::goes_on(batch, first_lost);  // and what is said to be computed is there
  for (const auto id : program.named()) {
    is_as_told = is_as_told && seen.contains(id) == moment.arrays.contains(id);
    if (!seen.contains(id)) program.lose(id);
  }
  if (comm().rank() == 0 && !fits_one)
    std::fprintf(stderr, "no prefix fits\n");
  else if (comm().rank() == 0 && !is_as_told)
    std::fprintf(stderr, "not the prefix of %zu commands\n", first_lost);
  return agreed(fits_one && is_as_told);
}

/// A command that cannot run is an error of the program where the program comes to it.
TEST_F(Interrupt, comes_before_a_refusal_behind_it) {
  RandomBatches program(7);
  Batch first = program.create();
  protocol::Command bad = first.commands.back();
  bad.op = protocol::Op::add;
  bad.in = {protocol::whole(99, protocol::Dtype::int64, bad.out.extents),
            protocol::whole(99, protocol::Dtype::int64, bad.out.extents)};
  bad.payload = -1;
  bad.out.base += 1;
  first.commands.push_back(bad);
  const auto reply = run_cut(first, 0);
  EXPECT_EQ(reply.outcome, Outcome::cancelled);
  EXPECT_EQ(reply.command, 0);
  for (const auto id : program.named()) EXPECT_FALSE(read(program.whole(id)));
}

TEST_F(Interrupt, leaves_the_arrays_of_one_prefix) {
  const unsigned first = given("GAMELAN_TEST_SEED", 1), programs = given("GAMELAN_TEST_PROGRAMS", 60);
  unsigned mixed = 0;
  for (unsigned seed = first; seed < first + programs; ++seed) mixed += !survives(seed);
  EXPECT_EQ(mixed, 0U) << "of " << programs << " programs from seed " << first;
  EXPECT_GT(cuts_inside, static_cast<int>(programs) / 4) << "cuts within a batch";
}

}  // namespace
}  // namespace gamelan::engine
