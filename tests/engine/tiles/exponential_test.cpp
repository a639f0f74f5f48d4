// SPDX-License-Identifier: BSD-3-Clause
// exp of float64 with AVX2, which is our own: how near it is to the truth, what it gives where results are no
// normal numbers, which flags it raises, and that loops and machine code give the same bits.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "engine/tiles/tile_translation.hpp"
#include "tests/engine/tiles/every_dtype.hpp"
#include "tests/engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned invalid = 0x01, overflow = 0x08, underflow = 0x10, told = 0x1d;

class Exponential : public ::testing::Test {
 protected:
  void SetUp() override {
    if (best_isa() < Isa::avx2) GTEST_SKIP() << "not on this processor";
    set_isa(Isa::avx2);
  }

  static std::vector<double> by_loop(const std::vector<double>& x) {
    std::vector<double> result(x.size());
    const void* in[] = {x.data(), nullptr, nullptr};
    find_loop(Op::exp, Dtype::float64)(in, result.data(), x.size(), nullptr);
    return result;
  }
  /// -exp(x), because a single operation is not compiled.
  static std::vector<double> negated_by_machine_code(std::vector<double> x) {
    Program program{.code = {load(0, 0, Dtype::float64), compute(Op::exp, Dtype::float64, 1, 0),
                             compute(Op::negative, Dtype::float64, 2, 1), store(2, 1)},
                    .registers = std::vector<Dtype>(3, Dtype::float64),
                    .operands = std::vector<Dtype>(2, Dtype::float64)};
    std::vector<double> result(x.size());
    const Shape extents{static_cast<std::int64_t>(x.size())}, first{0}, strides{sizeof(double)};
    const std::vector<Pointer> operands{{reinterpret_cast<std::byte*>(x.data()), strides.data()},
                                        {reinterpret_cast<std::byte*>(result.data()), strides.data()}};
    set_compiling(Compiling::always);
    const auto before = programs_compiled();
    Runner(program).run({extents, first, extents, operands});
    if (compiling() == Compiling::always) {
      EXPECT_GT(programs_compiled(), before);
    }
    set_compiling(Compiling::hot);
    return result;
  }

  static std::vector<double> numbers_between(double low, double high, std::size_t count) {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> numbers(low, high);
    std::vector<double> result(count);
    for (double& each : result) each = numbers(random);
    return result;
  }

  /// Around every bound that the computation knows, and what is no ordinary number.
  static std::vector<double> borders() {
    std::vector<double> result{0.0,    -0.0,     5e-324,    -1e-310, 1e-20, 1e300,
                               -1e300, infinity, -infinity, nan,     -nan};
    for (const double bound : {708.0, -708.0, 709.782712893384, 710.0, -708.3964185322641, -745.1332191019411,
                               -746.0, 0.34657359027997264, -0.34657359027997264}) {
      result.push_back(bound);
      result.push_back(std::nextafter(bound, infinity));
      result.push_back(std::nextafter(bound, -infinity));
    }
    return result;
  }

  const LevelGuard guard_;
};

TEST_F(Exponential, every_result_is_within_a_unit_in_the_last_place) {
  for (const auto& [low, high] : {std::pair{-1e-3, 1e-3}, {-1.0, 1.0}, {-30.0, 30.0}, {-708.0, 709.7}}) {
    const auto x = numbers_between(low, high, 200'001), got = by_loop(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double truth = std::exp(static_cast<long double>(x[i]));
      const long double unit = std::ldexp(1.0L, std::ilogb(truth) - 52);
      ASSERT_LT(std::abs(static_cast<long double>(got[i]) - truth), unit) << x[i];
    }
  }
}

TEST_F(Exponential, at_its_borders_it_is_the_librarys) {
  const auto x = borders(), got = by_loop(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = std::exp(x[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got[i])) << x[i];
    } else if (std::isinf(expected) || expected == 0) {
      EXPECT_EQ(got[i], expected) << x[i];
    } else {
      EXPECT_LE(std::abs(got[i] - expected), std::nextafter(expected, infinity) - expected) << x[i];
    }
  }
}

TEST_F(Exponential, only_finite_numbers_raise_flags) {
  for (const double x : borders()) {
    if (std::abs(x) < 1e-300) continue;  // a false alarm is no error (float_errors.hpp)
    _mm_setcsr(_mm_getcsr() & ~0x3fU);
    const double result = by_loop({x})[0];
    const unsigned raised = _mm_getcsr() & told;
    unsigned expected = 0;
    if (std::isfinite(x) && std::isinf(result)) expected = overflow;
    if (std::isfinite(x) && result < std::numeric_limits<double>::min()) expected = underflow;
    EXPECT_EQ(raised, expected) << x;
    EXPECT_EQ(raised & invalid, 0U) << x;
  }
}

TEST_F(Exponential, machine_code_has_the_bits_and_flags_of_the_loops) {
  auto x = numbers_between(-760, 730, 5000);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] /= 100;  // so that vectors are mixed
  const auto odd = borders();
  x.insert(x.begin() + 17, odd.begin(), odd.end());
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{61}, x.size()}) {
    const std::vector<double> some(x.end() - static_cast<std::ptrdiff_t>(count), x.end());
    _mm_setcsr(_mm_getcsr() & ~0x3fU);
    const auto expected = by_loop(some);
    const unsigned flags = _mm_getcsr() & told;
    _mm_setcsr(_mm_getcsr() & ~0x3fU);
    const auto got = negated_by_machine_code(some);
    EXPECT_EQ(_mm_getcsr() & told, flags);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(-got[i]), std::bit_cast<std::uint64_t>(expected[i])) << some[i];
  }
}

}  // namespace
}  // namespace gamelan::engine::tiles
