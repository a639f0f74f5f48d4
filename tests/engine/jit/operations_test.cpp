// SPDX-License-Identifier: BSD-3-Clause
// Every operation and conversion that traces have, at every length around a vector, against the loops of the
// interpreter: the bits, the flags of the processor, and that nothing is read or written outside the pieces,
// which lie at the borders of pages that cannot be touched.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <xmmintrin.h>

#include <cstring>
#include <limits>

#include "engine/jit/compile.hpp"
#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::jit {
namespace {

using Kind = Node::Kind;

constexpr std::size_t page = 4096, longest = 140;  // elements: some vectors of bytes
constexpr unsigned told_flags = 0x1d;              // invalid, divide, overflow, underflow

enum class Where : std::uint8_t { first, across, last };

/// Two pages between two that cannot be touched.
class Guarded {
 public:
  Guarded() {
    start_ = static_cast<std::byte*>(mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(first(), bytes, PROT_READ | PROT_WRITE);
  }
  ~Guarded() { munmap(start_, 4 * page); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  static constexpr std::size_t bytes = 2 * page;
  std::byte* first() const { return start_ + page; }
  /// Where so many bytes begin with the pages, have the border between them amid their elements, or end with
  /// them.
  std::byte* at(std::size_t count, std::size_t item_bytes, Where where) const {
    if (where == Where::across) return first() + page - count / 2 * item_bytes;
    return first() + (where == Where::last ? bytes - count * item_bytes : 0);
  }

 private:
  std::byte* start_;
};

/// Numbers that differ from operand to operand, odd ones among them; every pair meets in `longest` elements.
std::vector<std::byte> values(Dtype dtype, int operand) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> reals{1.5, -0.0, 2.5, nan, -infinity, 3e38, 1e-310, -2.5, 0.0, infinity, 1e300};
  const std::vector<std::int64_t> integers{3,
                                           -1,
                                           0,
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max(),
                                           -(std::int64_t{1} << 31),
                                           (std::int64_t{1} << 53) + 1,
                                           0x7fffffff,
                                           -7000000001,
                                           (std::int64_t{1} << 24) + 1,
                                           0x4000004000000001};
  const std::vector<std::int64_t> bytes{3, -1, 0, -128, 127, 100, 50, -77, 16, -16, 1};
  const std::size_t size = protocol::size_of(dtype);
  std::vector<std::byte> result(longest * size);
  for (std::size_t i = 0; i < longest; ++i) {
    const std::size_t which = (i * (operand == 0 ? 1 : operand == 1 ? 3 : 5) + 4 * (i / 11)) % 11;
    const bool is_float = dtype == Dtype::float64 || dtype == Dtype::float32;
    const Dtype from = is_float ? Dtype::float64 : Dtype::int64;
    const std::int64_t truth = static_cast<std::int64_t>((i >> operand) % 2);
    const void* number = is_float                        ? static_cast<const void*>(&reals[which])
                         : dtype == Dtype::bool_         ? static_cast<const void*>(&truth)
                         : protocol::size_of(dtype) == 1 ? static_cast<const void*>(&bytes[which])
                                                         : static_cast<const void*>(&integers[which]);
    tiles::find_cast(from, dtype)(static_cast<const std::byte*>(number), 0, result.data() + i * size, 0, 1);
  }
  return result;
}

class Operations : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!runs(GetParam())) GTEST_SKIP() << "not on this processor";
    tiles::set_isa(GetParam() == InstructionSet::avx2 ? tiles::Isa::avx2 : tiles::Isa::avx512);
  }
  void TearDown() override { tiles::set_isa(tiles::best_isa()); }

  /// Loads the operands of `node`, each repeated or not, computes it and stores it. `is_mixed`: beside values
  /// of 8 bytes, so that vectors have fewer lanes. Numbers of one byte have no such traces.
  void check(Node node, const std::vector<Dtype>& operands, unsigned repeated, bool is_mixed) {
    Trace trace;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      trace.nodes.push_back({.kind = (repeated >> k & 1) != 0 ? Kind::repeat : Kind::load,
                             .dtype = operands[k],
                             .place = static_cast<int>(k)});
      node.in[k] = static_cast<int>(k);
    }
    const int last = static_cast<int>(operands.size());
    trace.nodes.push_back(node);
    trace.nodes.push_back({.kind = Kind::store, .dtype = node.dtype, .in = {last, -1, -1}, .place = last});
    if (is_mixed) {
      trace.nodes.push_back({.kind = Kind::load, .dtype = Dtype::int64, .place = last + 1});
      trace.nodes.push_back(
          {.kind = Kind::store, .dtype = Dtype::int64, .in = {last + 2, -1, -1}, .place = last + 1});
    }
    for (int place = 0; place <= last + 1; ++place) trace.alias.push_back(place);
    const auto code = compile(trace, GetParam());
    ASSERT_NE(code, nullptr);
    const std::size_t most = has_bytes_only(trace) ? longest : 40;
    for (std::size_t count = 1; count <= most; ++count)
      for (const Where where : {Where::first, Where::across, Where::last})
        run(*code, node, operands, repeated, count, where);
  }

 private:
  void run(const Code& code, const Node& node, const std::vector<Dtype>& operands, unsigned repeated,
           std::size_t count, Where where) {
    const std::size_t last = operands.size(), size = protocol::size_of(node.dtype);
    std::array<std::byte*, 5> places{};
    std::vector<std::vector<std::byte>> contents;
    for (std::size_t k = 0; k < last; ++k) {
      contents.push_back(values(operands[k], static_cast<int>(k)));
      const std::size_t item = protocol::size_of(operands[k]);
      const std::size_t elements = (repeated >> k & 1) != 0 ? 1 : count;
      places[k] = memory_[k].at(elements, item, where);
      std::memcpy(places[k], contents[k].data(), elements * item);
    }
    constexpr int untouched = 0x5a;
    std::memset(memory_[last].first(), untouched, Guarded::bytes);
    places[last] = memory_[last].at(count, size, where);
    places[last + 1] = memory_[last + 1].at(count, 8, where);
    _mm_setcsr(_mm_getcsr() & ~0x3fU);
    code.run(places.data(), count);
    const unsigned raised = _mm_getcsr() & told_flags;
    _mm_setcsr(_mm_getcsr() & ~0x3fU);
    std::vector<std::byte> expected(count * size);
    for (std::size_t i = 0; i < count; ++i) {
      const void* in[3] = {};
      for (std::size_t k = 0; k < last; ++k)
        in[k] = contents[k].data() + ((repeated >> k & 1) != 0 ? 0 : i * protocol::size_of(operands[k]));
      std::byte* out = expected.data() + i * size;
      if (node.kind == Kind::convert)
        tiles::find_cast(node.from, node.dtype)(static_cast<const std::byte*>(in[0]), 0, out, 0, 1);
      else
        tiles::find_loop(node.op, node.from)(in, out, 1, nullptr);
    }
    // Comparisons of the loops tell `invalid` of NaN, and NumPy's do not.
    const bool is_quiet = node.dtype == Dtype::bool_ || node.op == Op::maximum || node.op == Op::minimum;
    const unsigned expected_flags = is_quiet ? 0 : _mm_getcsr() & told_flags;
    const auto say = [&] {
      return std::string(node.kind == Kind::convert ? "convert" : protocol::info(node.op).name) + " of " +
             std::string(protocol::info(node.from).name) + " to " +
             std::string(protocol::info(node.dtype).name) + ", " + std::to_string(count) +
             " elements, repeated " + std::to_string(repeated);
    };
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(std::memcmp(places[last] + i * size, expected.data() + i * size, size), 0)
          << say() << ", element " << i;
    EXPECT_EQ(raised, expected_flags) << say();
    for (const std::byte* each = memory_[last].first(); each < memory_[last].first() + Guarded::bytes; ++each)
      ASSERT_TRUE((each >= places[last] && each < places[last] + count * size) ||
                  *each == static_cast<std::byte>(untouched))
          << say();
  }

  std::array<Guarded, 5> memory_;
};

const std::vector<Dtype> dtypes{Dtype::bool_, Dtype::int8,    Dtype::uint8,  Dtype::int32,
                                Dtype::int64, Dtype::float32, Dtype::float64};

TEST_P(Operations, every_operation_at_every_length) {
  int checked = 0;
  for (int number = 0; number < protocol::op_count(); ++number) {
    const auto op = static_cast<Op>(number);
    for (const Dtype loop : dtypes) {
      if (!computes(op, loop, GetParam())) continue;
      const auto arity = static_cast<std::size_t>(protocol::info(op).arity);
      std::vector<Dtype> operands(arity, loop);
      if (op == Op::where) operands[0] = Dtype::bool_;
      const Node node{.kind = Kind::compute, .op = op, .dtype = tiles::result_dtype(op, loop), .from = loop};
      for (unsigned repeated = 0; repeated < 1U << arity; ++repeated)
        for (const bool is_mixed : {false, true})
          if (!is_mixed || width_of(loop) != Width::byte) check(node, operands, repeated, is_mixed);
      ++checked;
    }
  }
  EXPECT_GT(checked, 80);
}

TEST_P(Operations, every_conversion_at_every_length) {
  for (const Dtype from : dtypes)
    for (const Dtype to : dtypes)
      if (converts(from, to, GetParam()))
        for (const unsigned repeated : {0U, 1U})
          for (const bool is_mixed : {false, true})
            if (!is_mixed || (width_of(from) != Width::byte && width_of(to) != Width::byte))
              check({.kind = Kind::convert, .dtype = to, .from = from}, {from}, repeated, is_mixed);
}

INSTANTIATE_TEST_SUITE_P(, Operations, ::testing::Values(InstructionSet::avx2, InstructionSet::avx512),
                         [](const auto& set) {
                           return set.param == InstructionSet::avx2 ? "avx2" : "avx512";
                         });

}  // namespace
}  // namespace gamelan::engine::jit
