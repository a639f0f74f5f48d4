// SPDX-License-Identifier: BSD-3-Clause
// Properties of the typed loops that values alone do not show (those are held against NumPy by
// against_numpy.py): a result does not depend on where an element stands, nor on the buffer's alignment, nor
// on writing over an operand; levels agree.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "protocol/error.hpp"
#include "tests/engine/tiles/every_dtype.hpp"

namespace gamelan::engine::tiles {
namespace {

using protocol::Dtype;
using protocol::Op;
using protocol::RowKind;

constexpr std::size_t most = 1025;

struct Operands {
  std::array<Buffer, 3> buffers;
  std::array<std::size_t, 3> items{};
  std::size_t count = 0;

  Operands(std::mt19937& random, Op op, Dtype loop) {
    const auto& row = protocol::info(op);
    count = static_cast<std::size_t>(row.arity);
    for (std::size_t k = 0; k < count; ++k) {
      const Dtype dtype = row.kind == RowKind::ternary && k == 0 ? Dtype::bool_ : loop;
      items[k] = protocol::size_of(dtype);
      const bool is_wild = protocol::info(dtype).kind == 'f' && k == 0;
      buffers[k] = random_values(random, dtype, most + 8, is_wild ? -50 : -2, is_wild ? 50 : 2);
    }
  }
  std::array<const void*, 3> at(std::size_t element) const {
    std::array<const void*, 3> result{};
    for (std::size_t k = 0; k < count; ++k) result[k] = buffers[k].data() + element * items[k];
    return result;
  }
};

template <class Visit>
void for_each_loop(const Visit& visit) {
  for (int number = 0; number < protocol::op_count(); ++number) {
    const Op op = static_cast<Op>(number);
    if (!protocol::is_elementwise(op) || protocol::info(op).kind == RowKind::nullary) continue;
    for (const Dtype loop : all_dtypes) {
      if (find_loop(op, loop) == nullptr) continue;
      SCOPED_TRACE(std::string(protocol::info(op).name) + " " + std::string(protocol::info(loop).name) + " " +
                   std::string(name(isa())));
      visit(op, loop);
    }
  }
}

TEST(Loops, a_result_does_not_depend_on_its_place) {
  const LevelGuard guard;
  std::mt19937 random(1);
  int loops = 0;
  for (const Isa level : levels_here()) {
    set_isa(level);
    for_each_loop([&](Op op, Dtype dtype) {
      ++loops;
      const Loop loop = find_loop(op, dtype);
      const std::size_t item = protocol::size_of(result_dtype(op, dtype));
      const Operands operands(random, op, dtype);
      Buffer one_by_one(most * item), together((most + 1) * item);
      for (std::size_t j = 0; j < most; ++j) {
        loop(operands.at(j).data(), one_by_one.data() + j * item, 1, nullptr);
      }
      for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7}, most - 2, most - 1, most}) {
        std::memset(together.data(), 0x5a, together.size());
        loop(operands.at(0).data(), together.data(), n, nullptr);
        ASSERT_EQ(std::memcmp(together.data(), one_by_one.data(), n * item), 0) << n << " elements";
        ASSERT_EQ(together[n * item], std::byte{0x5a}) << "wrote past the end of " << n;
      }
      loop(operands.at(3).data(), together.data(), most - 3, nullptr);  // another alignment, other neighbours
      ASSERT_EQ(std::memcmp(together.data(), one_by_one.data() + 3 * item, (most - 3) * item), 0)
          << "shifted";
    });
  }
  EXPECT_GT(loops, 900);
}

TEST(Loops, the_result_may_replace_an_operand) {
  std::mt19937 random(2);
  for_each_loop([&](Op op, Dtype dtype) {
    const Loop loop = find_loop(op, dtype);
    const std::size_t item = protocol::size_of(result_dtype(op, dtype));
    for (std::size_t k = 0; k < static_cast<std::size_t>(protocol::info(op).arity); ++k) {
      Operands operands(random, op, dtype);
      if (operands.items[k] != item) continue;
      Buffer apart(most * item);
      loop(operands.at(0).data(), apart.data(), most, nullptr);
      loop(operands.at(0).data(), operands.buffers[k].data(), most, nullptr);
      ASSERT_EQ(std::memcmp(apart.data(), operands.buffers[k].data(), apart.size()), 0) << "operand " << k;
    }
  });
}

/// Correctly rounded operations give one value whatever the vector width; vector maths may not, hence
/// set_isa.
TEST(Loops, levels_agree_except_in_transcendentals) {
  const LevelGuard guard;
  if (levels_here().size() < 2) GTEST_SKIP() << "this processor has one level";
  std::mt19937 random(3);
  for_each_loop([&](Op op, Dtype dtype) {
    if ((protocol::info(op).traits & protocol::transcendental) != 0) return;
    // The modulus of a complex number is vector maths as well.
    if (op == Op::absolute && protocol::info(dtype).kind == 'c') return;
    const Operands operands(random, op, dtype);
    const std::size_t bytes = most * protocol::size_of(result_dtype(op, dtype));
    Buffer left(bytes), right(bytes);
    set_isa(Isa::baseline);
    find_loop(op, dtype)(operands.at(0).data(), left.data(), most, nullptr);
    for (const Isa level : levels_here()) {
      set_isa(level);
      find_loop(op, dtype)(operands.at(0).data(), right.data(), most, nullptr);
      ASSERT_EQ(std::memcmp(left.data(), right.data(), bytes), 0) << name(level);
    }
  });
}

template <class From, class To>
To cast_one(Dtype from, Dtype to, From value) {
  // Seventeen copies: vector body and tail must say the same.
  std::array<From, 17> in;
  std::array<To, 17> out;
  in.fill(value);
  find_cast(from, to)(reinterpret_cast<const std::byte*>(in.data()), sizeof(From),
                      reinterpret_cast<std::byte*>(out.data()), sizeof(To), in.size());
  for (const To each : out) EXPECT_EQ(each, out[0]) << value;
  return out[0];
}

/// What the x86 conversion instructions give, and hence NumPy's C casts on this machine.
TEST(Loops, casts_of_floats_out_of_range) {
  const LevelGuard guard;
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (const double value : {nan, inf, -inf, 1e300, 9.3e18}) {
      EXPECT_EQ((cast_one<double, std::int64_t>(Dtype::float64, Dtype::int64, value)), INT64_MIN);
      EXPECT_EQ((cast_one<double, std::int32_t>(Dtype::float64, Dtype::int32, value)), INT32_MIN);
      EXPECT_EQ((cast_one<float, std::int32_t>(Dtype::float32, Dtype::int32, static_cast<float>(value))),
                INT32_MIN);
      EXPECT_EQ((cast_one<double, std::int16_t>(Dtype::float64, Dtype::int16, value)), 0);
    }
    EXPECT_EQ((cast_one<double, std::int32_t>(Dtype::float64, Dtype::int32, -2147483648.9)), INT32_MIN);
    EXPECT_EQ((cast_one<double, std::int32_t>(Dtype::float64, Dtype::int32, 2147483647.9)), INT32_MAX);
    EXPECT_EQ((cast_one<double, std::int8_t>(Dtype::float64, Dtype::int8, 300.7)), 44);
    EXPECT_EQ((cast_one<double, std::uint8_t>(Dtype::float64, Dtype::uint8, -1.0)), 255);
    EXPECT_EQ((cast_one<double, std::uint32_t>(Dtype::float64, Dtype::uint32, -1.0)), 4294967295U);
    EXPECT_EQ((cast_one<double, std::uint64_t>(Dtype::float64, Dtype::uint64, -1.0)), UINT64_MAX);
    EXPECT_EQ((cast_one<double, std::uint64_t>(Dtype::float64, Dtype::uint64, 1.2e19)),
              12000000000000000000U);
    EXPECT_EQ((cast_one<double, bool>(Dtype::float64, Dtype::bool_, nan)), true);
    EXPECT_EQ((cast_one<double, bool>(Dtype::float64, Dtype::bool_, -0.0)), false);
  }
}

/// A double must not be rounded to float on its way to half.
TEST(Loops, double_to_half_rounds_once) {
  const double just_above_tie =
      1.0 + 0x1p-11 + 0x1p-40;  // a float would drop the last bit and then round to even
  EXPECT_EQ((cast_one<double, std::uint16_t>(Dtype::float64, Dtype::float16, just_above_tie)), 0x3c01);
  EXPECT_EQ((cast_one<double, std::uint16_t>(Dtype::float64, Dtype::float16, 1.0 + 0x1p-11)), 0x3c00);
  EXPECT_EQ((cast_one<double, std::uint16_t>(Dtype::float64, Dtype::float16, 65519.999)), 0x7bff);
  EXPECT_EQ((cast_one<double, std::uint16_t>(Dtype::float64, Dtype::float16, 65520.0)), 0x7c00);
  EXPECT_EQ((cast_one<double, std::uint16_t>(Dtype::float64, Dtype::float16, 0x1p-25 + 0x1p-60)), 0x0001);
}

/// Every half there is, to float and back.
TEST(Loops, halves_survive_a_round_trip) {
  const LevelGuard guard;
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      const auto half = static_cast<std::uint16_t>(bits);
      float wide = 0;
      std::uint16_t back = 0;
      find_cast(Dtype::float16, Dtype::float32)(reinterpret_cast<const std::byte*>(&half), 0,
                                                reinterpret_cast<std::byte*>(&wide), 0, 1);
      find_cast(Dtype::float32, Dtype::float16)(reinterpret_cast<const std::byte*>(&wide), 0,
                                                reinterpret_cast<std::byte*>(&back), 0, 1);
      const bool is_nan = (bits & 0x7fff) > 0x7c00;
      ASSERT_EQ(back, is_nan ? (half | 0x0200) : half);
      ASSERT_EQ(std::isnan(wide), is_nan);
    }
  }
}

TEST(Loops, an_unavailable_level_is_refused) {
  const LevelGuard guard;
  EXPECT_NO_THROW(set_isa(Isa::baseline));
  EXPECT_EQ(isa(), Isa::baseline);
  EXPECT_THROW(set_isa(static_cast<Isa>(200)), protocol::Error);
  EXPECT_EQ(isa(), Isa::baseline);
}

}  // namespace
}  // namespace gamelan::engine::tiles
