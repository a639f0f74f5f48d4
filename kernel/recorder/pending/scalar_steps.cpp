// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/pending/scalar_steps.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace gamelan::kernel {
namespace {

using protocol::Dtype;
using protocol::Scalar;

template <class Number>
std::optional<std::int64_t> whole_number(const Scalar& scalar) {
  Number number;
  std::memcpy(&number, scalar.bytes.data(), sizeof number);
  if constexpr (std::is_floating_point_v<Number>) {
    constexpr Number most = Number{1} * (std::int64_t{1} << std::numeric_limits<Number>::digits);
    if (!(std::abs(number) <= most) || std::trunc(number) != number) return std::nullopt;
    if (number == 0 && std::signbit(number)) return std::nullopt;  // -0.0 is no step from anywhere
  } else if (!std::in_range<std::int64_t>(number)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

template <class Number>
bool set_number(Scalar& scalar, std::int64_t value) {
  if constexpr (std::is_integral_v<Number>)
    if (!std::in_range<Number>(value)) return false;
  const auto number = static_cast<Number>(value);
  std::memcpy(scalar.bytes.data(), &number, sizeof number);
  return whole_number<Number>(scalar) == value;
}

/// Calls `function.operator()<Number>()` with the type of these elements; `otherwise` for one without whole
/// numbers of its own.
template <class Result, class Function>
Result with_number(Dtype dtype, Result otherwise, const Function& function) {
  switch (dtype) {
    case Dtype::int8:
      return function.template operator()<std::int8_t>();
    case Dtype::int16:
      return function.template operator()<std::int16_t>();
    case Dtype::int32:
      return function.template operator()<std::int32_t>();
    case Dtype::int64:
      return function.template operator()<std::int64_t>();
    case Dtype::uint8:
      return function.template operator()<std::uint8_t>();
    case Dtype::uint16:
      return function.template operator()<std::uint16_t>();
    case Dtype::uint32:
      return function.template operator()<std::uint32_t>();
    case Dtype::uint64:
      return function.template operator()<std::uint64_t>();
    case Dtype::float32:
      return function.template operator()<float>();
    case Dtype::float64:
      return function.template operator()<double>();
    default:
      return otherwise;
  }
}

}  // namespace

std::optional<std::int64_t> number_of(const Scalar& scalar) {
  return with_number(scalar.dtype, std::optional<std::int64_t>(),
                     [&]<class Number>() { return whole_number<Number>(scalar); });
}

namespace {
bool add_to(Scalar& scalar, std::int64_t difference) {
  const auto number = number_of(scalar);
  std::int64_t sum = 0;
  if (!number || __builtin_add_overflow(*number, difference, &sum)) return false;
  return with_number(scalar.dtype, false, [&]<class Number>() { return set_number<Number>(scalar, sum); });
}
}  // namespace

bool advance(Scalar& scalar, std::int64_t step, std::int64_t turns) {
  std::int64_t difference = 0;
  return step == 0 || (!__builtin_mul_overflow(step, turns, &difference) && add_to(scalar, difference));
}

}  // namespace gamelan::kernel
