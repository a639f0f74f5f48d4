// SPDX-License-Identifier: BSD-3-Clause
// Machine code of random traces against the loops of the interpreter, one element and one node at a time:
// places that are the same memory, repeated elements, stores past the cache at any alignment, exits, more
// values than registers. GAMELAN_TEST_SEED repeats one case, GAMELAN_TEST_CASES runs more.
#include "engine/jit/compile.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>

#include "engine/jit/exits.hpp"
#include "engine/jit/schedule.hpp"
#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "tests/random.hpp"

namespace gamelan::engine::jit {
namespace {

using Kind = Node::Kind;
using Bits = std::array<std::byte, 8>;

struct Place {
  Dtype dtype{};
  int same_as = 0;         // the place whose memory it is
  bool is_single = false;  // its first element, repeated
};
struct Sample {
  Trace trace;
  std::vector<Place> places;
};

class Random : public testing::Choices {
 public:
  using Choices::Choices;

  Bits value(Dtype dtype) {
    static const std::vector<double> odd{0.0,
                                         -0.0,
                                         std::numeric_limits<double>::quiet_NaN(),
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity(),
                                         5e-324,
                                         1e-40,
                                         0.5,
                                         2.5,
                                         -2.5};
    const bool is_float = dtype == Dtype::float64 || dtype == Dtype::float32;
    const double number = dtype == Dtype::bool_    ? chance(20)
                          : is_float && chance(40) ? pick(odd)
                                                   : below(2000) / 8.0 - 100;
    Bits bits{};
    tiles::find_cast(Dtype::float64, dtype)(reinterpret_cast<const std::byte*>(&number), 0, bits.data(), 0,
                                            1);
    return bits;
  }
};

/// A value of the dtype among the nodes so far, of which there are `limit`.
int find_value(Random& random, const Trace& trace, Dtype dtype, std::size_t limit) {
  std::vector<int> found;
  for (std::size_t n = 0; n < limit; ++n)
    if (trace.nodes[n].kind != Kind::store && trace.nodes[n].dtype == dtype)
      found.push_back(static_cast<int>(n));
  return found.empty() ? -1 : random.pick(found);
}

void add_operation(Random& random, Sample& sample, const std::vector<Dtype>& used, bool freezes,
                   InstructionSet set) {
  Trace& trace = sample.trace;
  const Dtype loop = random.pick(used);
  if (random.chance(15)) {
    const Dtype to = random.pick(used);
    const int from = find_value(random, trace, loop, trace.nodes.size());
    if (from >= 0 && to != loop && converts(loop, to, set))
      trace.nodes.push_back({.kind = Kind::convert, .dtype = to, .from = loop, .in = {from, -1, -1}});
    return;
  }
  const auto op =
      freezes && random.chance(50) ? Op::where : static_cast<Op>(random.below(protocol::op_count()));
  if (!computes(op, loop, set)) return;
  Node node{.kind = Kind::compute, .op = op, .dtype = tiles::result_dtype(op, loop), .from = loop};
  for (std::size_t k = 0; k < static_cast<std::size_t>(protocol::info(op).arity); ++k) {
    node.in[k] =
        find_value(random, trace, op == Op::where && k == 0 ? Dtype::bool_ : loop, trace.nodes.size());
    if (node.in[k] < 0) return;
  }
  trace.nodes.push_back(node);
}

/// `freezes`: mostly selections, and stores of what was known early: there are exits then.
Sample random_sample(Random& random, bool freezes, InstructionSet set) {
  Sample sample;
  std::vector<Dtype> used{Dtype::bool_, random.chance(50) ? Dtype::float64 : Dtype::float32,
                          random.chance(50) ? Dtype::int64 : Dtype::int32};
  if (holds(Dtype::int8, set) && random.chance(30)) used = {Dtype::bool_, Dtype::int8, Dtype::uint8};
  if (!freezes) used[0] = random.pick(used);
  for (int p = 0, count = 2 + random.below(14); p < count; ++p) {
    Place place{random.pick(used), p, random.chance(30)};
    const int other = random.below(p + 1);
    if (other < p && random.chance(25) &&
        sample.places[static_cast<std::size_t>(other)].dtype == place.dtype) {
      place = sample.places[static_cast<std::size_t>(other)];
    }
    sample.places.push_back(place);
    sample.trace.alias.push_back(place.same_as);
  }
  const auto place_of = [&](int p) -> const Place& { return sample.places[static_cast<std::size_t>(p)]; };
  const auto store = [&](std::size_t limit) {
    const int p = random.below(static_cast<int>(sample.places.size()));
    const int value = find_value(random, sample.trace, place_of(p).dtype, limit);
    if (place_of(p).is_single || value < 0) return;
    sample.trace.nodes.push_back({.kind = Kind::store,
                                  .dtype = place_of(p).dtype,
                                  .in = {value, -1, -1},
                                  .place = p,
                                  .streams = random.chance(50)});
  };
  const auto length = static_cast<std::size_t>(10 + random.below(freezes ? 120 : 250));
  for (int tries = 0; sample.trace.nodes.size() < length && tries < 4000; ++tries) {
    if (tries < 10 || random.chance(5)) {
      const int p = random.below(static_cast<int>(sample.places.size()));
      sample.trace.nodes.push_back({.kind = place_of(p).is_single ? Kind::repeat : Kind::load,
                                    .dtype = place_of(p).dtype,
                                    .place = p,
                                    .streams = random.chance(20)});
    } else if (!freezes && random.chance(5)) {
      store(sample.trace.nodes.size());
    } else {
      add_operation(random, sample, used, freezes, set);
    }
  }
  const std::size_t known = sample.trace.nodes.size();
  for (int k = 0; k < 6; ++k)
    store(freezes && random.chance(60) ? std::max<std::size_t>(known / 3, 1) : known);
  return sample;
}

/// Memory of every place that is none other's: elements from the first on, `offset` elements behind a line of
/// the cache.
class Memory {
 public:
  Memory(Random& random, const Sample& sample, std::size_t count, std::size_t offset)
      : sample_(sample), offset_(offset) {
    for (const Place& place : sample.places) {
      const std::size_t size = protocol::size_of(place.dtype);
      auto& bytes = bytes_.emplace_back((count + offset + 16) * size + 128);
      for (std::size_t at = 0; at + size <= bytes.size(); at += size)
        std::memcpy(bytes.data() + at, random.value(place.dtype).data(), size);
    }
  }
  std::byte* address(std::size_t p) {
    auto& bytes = bytes_[static_cast<std::size_t>(sample_.places[p].same_as)];
    const auto start = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + ((start + 63) / 64 * 64 - start) +
           offset_ * protocol::size_of(sample_.places[p].dtype);
  }

 private:
  const Sample& sample_;
  std::size_t offset_;
  std::vector<std::vector<std::byte>> bytes_;
};

void run_naively(const Trace& trace, const std::vector<std::byte*>& places, std::size_t count) {
  std::vector<Bits> values(trace.nodes.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t n = 0; n < trace.nodes.size(); ++n) {
      const Node& node = trace.nodes[n];
      const std::size_t size = protocol::size_of(node.dtype);
      const void* in[3] = {};
      for (std::size_t k = 0; k < 3; ++k)
        if (node.in[k] >= 0) in[k] = values[static_cast<std::size_t>(node.in[k])].data();
      Bits result{};
      std::byte* place = node.place >= 0 ? places[static_cast<std::size_t>(node.place)] : nullptr;
      switch (node.kind) {
        case Kind::load:
          std::memcpy(result.data(), place + i * size, size);
          break;
        case Kind::repeat:
          std::memcpy(result.data(), place, size);
          break;
        case Kind::store:
          std::memcpy(place + i * size, in[0], size);
          break;
        case Kind::convert:
          tiles::find_cast(node.from, node.dtype)(static_cast<const std::byte*>(in[0]), 0, result.data(), 0,
                                                  1);
          break;
        case Kind::compute:
          tiles::find_loop(node.op, node.from)(in, result.data(), 1, nullptr);
          break;
      }
      values[n] = result;
    }
  }
}

/// NaNs of any sign and payload are one value.
bool is_same(Dtype dtype, const std::byte* x, const std::byte* y) {
  if (std::memcmp(x, y, protocol::size_of(dtype)) == 0) return true;
  if (dtype != Dtype::float64 && dtype != Dtype::float32) return false;
  double left = 0, right = 0;
  tiles::find_cast(dtype, Dtype::float64)(x, 0, reinterpret_cast<std::byte*>(&left), 0, 1);
  tiles::find_cast(dtype, Dtype::float64)(y, 0, reinterpret_cast<std::byte*>(&right), 0, 1);
  return left != left && right != right;
}

struct Found {
  std::size_t exits = 0, spills = 0;
};

void run_case(unsigned seed, InstructionSet set, Found& found) {
  SCOPED_TRACE("GAMELAN_TEST_SEED=" + std::to_string(seed));
  Random random(seed);
  const Sample sample = random_sample(random, seed % 2 == 0, set);
  const auto exits = find_exits(sample.trace);
  found.exits += exits.size();
  found.spills += static_cast<std::size_t>(make_schedule(sample.trace, exits, registers_of(set)).spill_slots);
  const auto code = compile(sample.trace, set);
  ASSERT_NE(code, nullptr);
  for (int turn = 0; turn < 3; ++turn) {
    const auto count = static_cast<std::size_t>(1 + random.below(turn == 0 ? 20 : 200)),
               offset = static_cast<std::size_t>(random.below(9));
    const unsigned content = static_cast<unsigned>(random.below(1 << 30));
    Random first(content), second(content);
    Memory got(first, sample, count, offset), expected(second, sample, count, offset);
    std::vector<std::byte*> places, expected_places;
    for (std::size_t p = 0; p < sample.places.size(); ++p) {
      places.push_back(got.address(p));
      expected_places.push_back(expected.address(p));
      // Where a line begins differs between the two: what is compared is made the same.
      std::memcpy(expected_places.back() - offset * protocol::size_of(sample.places[p].dtype),
                  places.back() - offset * protocol::size_of(sample.places[p].dtype),
                  (count + offset + 8) * protocol::size_of(sample.places[p].dtype));
    }
    code->run(places.data(), count);
    run_naively(sample.trace, expected_places, count);
    for (std::size_t p = 0; p < sample.places.size(); ++p) {
      const auto size = static_cast<std::ptrdiff_t>(protocol::size_of(sample.places[p].dtype));
      for (auto i = -static_cast<std::ptrdiff_t>(offset); i < static_cast<std::ptrdiff_t>(count) + 8; ++i)
        ASSERT_TRUE(is_same(sample.places[p].dtype, places[p] + i * size, expected_places[p] + i * size))
            << "place " << p << " element " << i << " of " << count;
    }
  }
}

class Compile : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!runs(GetParam())) GTEST_SKIP() << "not on this processor";
    tiles::set_isa(GetParam() == InstructionSet::avx2 ? tiles::Isa::avx2 : tiles::Isa::avx512);
  }
  void TearDown() override { tiles::set_isa(tiles::best_isa()); }
};

TEST_P(Compile, random_traces_equal_the_loops) {
  Found found;
  if (const char* seed = std::getenv("GAMELAN_TEST_SEED"))
    return run_case(static_cast<unsigned>(std::strtoul(seed, nullptr, 10)), GetParam(), found);
  const unsigned start = std::random_device()();
  std::cout << "first seed " << start << "\n";
  const char* wanted = std::getenv("GAMELAN_TEST_CASES");
  const unsigned count = wanted != nullptr ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 400;
  for (unsigned k = 0; k < count && !::testing::Test::HasFatalFailure(); ++k)
    run_case(start + k, GetParam(), found);
  EXPECT_GT(found.exits, count / 4);
  EXPECT_GT(found.spills, count);
}

/// Two sums and where they are stored: the places may be in a line of the cache wherever they like.
void check_streams(const Code& code, Dtype dtype, std::size_t offset, std::size_t distance,
                   std::size_t count) {
  const std::size_t size = protocol::size_of(dtype);
  constexpr std::size_t room = 1024;
  alignas(64) static std::array<std::array<std::byte, room * 8>, 3> memory;
  Random random(1);
  for (auto& each : memory)
    for (std::size_t i = 0; i < count + 200; ++i)
      std::memcpy(each.data() + i * size, random.value(dtype).data(), size);
  auto expected = memory;
  std::array<std::byte*, 3> places{memory[0].data() + 3 * size, memory[1].data() + offset * size,
                                   memory[2].data() + (offset + distance) * size};
  code.run(places.data(), count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t p : {1U, 2U}) {
      const auto* x = expected[0].data() + (3 + i) * size;
      const void* in[3] = {x, p == 1 ? x : expected[1].data() + (offset + i) * size, nullptr};
      auto* const out = expected[p].data() + (p == 1 ? offset + i : offset + distance + i) * size;
      tiles::find_loop(Op::add, dtype)(in, out, 1, nullptr);
    }
  for (std::size_t p : {1U, 2U})
    for (std::size_t i = 0; i < count + 200; ++i)
      ASSERT_TRUE(is_same(dtype, memory[p].data() + i * size, expected[p].data() + i * size))
          << protocol::info(dtype).name << " at " << offset << " and " << distance << ", element " << i
          << " of " << count;
}

TEST_P(Compile, stores_past_the_cache_from_every_place_on) {
  for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::int32, Dtype::int8}) {
    if (!holds(dtype, GetParam())) continue;
    const auto store = [&](int value, int place) {
      return Node{
          .kind = Kind::store, .dtype = dtype, .in = {value, -1, -1}, .place = place, .streams = true};
    };
    const auto sum = [&](int x, int y) {
      return Node{.kind = Kind::compute, .op = Op::add, .dtype = dtype, .from = dtype, .in = {x, y, -1}};
    };
    const Trace trace{
        {{.kind = Kind::load, .dtype = dtype, .place = 0}, sum(0, 0), sum(0, 1), store(1, 1), store(2, 2)},
        {0, 1, 2}};
    const auto code = compile(trace, GetParam());
    const std::size_t line = 64 / protocol::size_of(dtype);
    for (std::size_t offset = 0; offset < line; ++offset)
      for (const std::size_t distance : {std::size_t{0}, line, std::size_t{1}})
        for (std::size_t count = 0; count < 5 * line; count += 1 + count / 30)
          check_streams(*code, dtype, offset, distance, count);
  }
}

INSTANTIATE_TEST_SUITE_P(, Compile, ::testing::Values(InstructionSet::avx2, InstructionSet::avx512),
                         [](const auto& set) {
                           return set.param == InstructionSet::avx2 ? "avx2" : "avx512";
                         });

}  // namespace
}  // namespace gamelan::engine::jit
