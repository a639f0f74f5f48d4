// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/float_classes.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "engine/tiles/loops/elementwise.hpp"
#include "protocol/message.hpp"

namespace gamelan::engine::tiles {
namespace {

using protocol::Dtype;
using protocol::FloatRule;
using protocol::Op;

constexpr unsigned none = 0, divide = protocol::float_divide, over = protocol::float_over,
                   under = protocol::float_under, invalid = protocol::float_invalid;
/// The kind of a dtype. Complex numbers are read as their two parts.
char kind_of(Dtype dtype) { return protocol::info(dtype).kind; }

template <class T>
unsigned over_or_under(T result, bool is_of_finite) {
  if (!is_of_finite) return none;
  if (std::isinf(result)) return over;
  return std::abs(result) < std::numeric_limits<T>::min() ? under : none;
}

/// The error of a quotient with a zero divisor; none when the dividend is NaN or infinite.
template <class T>
unsigned by_zero(T x) {
  return x == 0 ? invalid : std::isfinite(x) ? divide : none;
}

/// Errors by the rules that look at real operands and results; `y` is 0 where the op has one operand.
template <class T>
unsigned of_real(FloatRule rule, T x, T y, T result) {
  if (std::isnan(x) || std::isnan(y)) return none;
  const bool are_finite = std::isfinite(x) && std::isfinite(y);
  switch (rule) {
    case FloatRule::logarithm:
      return x == 0 ? divide : x < 0 ? invalid : none;
    case FloatRule::logarithm_plus_1:
      return x == -1 ? divide : x < -1 ? invalid : none;
    case FloatRule::exponential:
      return over_or_under(result, are_finite);
    case FloatRule::growth:
    case FloatRule::magnitude:
      return over_or_under(result, are_finite) & over;
    case FloatRule::periodic:
      return std::isinf(x) ? invalid : none;
    case FloatRule::arc:
      return std::abs(x) > 1 ? invalid : none;
    case FloatRule::area_cosine:
      return x < 1 ? invalid : none;
    case FloatRule::area_tangent:
      return std::abs(x) == 1 ? divide : std::abs(x) > 1 ? invalid : none;
    case FloatRule::power:
      if (!are_finite) return none;
      if (x == 0) return y < 0 ? divide : none;
      if (x < 0 && y != std::trunc(y)) return invalid;
      return over_or_under(result, true);
    case FloatRule::floor_quotient:
      if (y == 0) return by_zero(x);
      return std::isinf(x) ? invalid : over_or_under(result, are_finite) & over;
    case FloatRule::modulo:
      return y == 0 || std::isinf(x) ? invalid : none;
    case FloatRule::untold:
    case FloatRule::silent:
    case FloatRule::modulus:
    case FloatRule::arithmetic:
    case FloatRule::real_arithmetic:
    case FloatRule::quotient:
    case FloatRule::reciprocal:
      return none;
  }
  return none;
}

template <class T>
unsigned of_reals(FloatRule rule, int arity, const void* const* in, const void* out, std::size_t n) {
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const T* result = static_cast<const T*>(out);
  unsigned kinds = none;
  for (std::size_t j = 0; j < n; ++j) kinds |= of_real(rule, x[j], arity == 1 ? T(0) : y[j], result[j]);
  return kinds;
}

/// Errors by the rules that look at complex operands: a modulus has one, a quotient two.
template <class T>
unsigned of_complexes(FloatRule rule, const void* const* in, const void* out, std::size_t n) {
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const T* result = static_cast<const T*>(out);
  unsigned kinds = none;
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t re = 2 * j, im = 2 * j + 1;
    if (rule == FloatRule::modulus)
      kinds |= of_real(FloatRule::magnitude, x[re], x[im], result[j]);
    else if (y[re] == 0 && y[im] == 0)
      kinds |= by_zero(x[re]) | by_zero(x[im]);
  }
  return kinds;
}

std::vector<float> widened(const void* halves, std::size_t n) {
  std::vector<float> floats(n);
  if (halves != nullptr)
    find_cast(Dtype::float16, Dtype::float32)(static_cast<const std::byte*>(halves), 2,
                                              reinterpret_cast<std::byte*>(floats.data()), 4, n);
  return floats;
}

/// True when a number without its fraction fits an integer dtype, as the processor's conversions decide it:
/// those to narrow integers go by way of int32, that to uint32 by int64.
bool fits(double x, Dtype to) {
  if (to == Dtype::uint64) return x > -9223372036854775808.0 && x < 18446744073709551616.0;
  if (to == Dtype::int64 || to == Dtype::uint32)
    return x >= -9223372036854775808.0 && x < 9223372036854775808.0;
  return x > -2147483649.0 && x < 2147483648.0;
}

}  // namespace

unsigned reliable_flags(Op op, Dtype loop) {
  const bool is_complex = kind_of(loop) == 'c';
  if (!is_complex && kind_of(loop) != 'f') return none;
  const unsigned in_range = loop == Dtype::float16 ? over | invalid : over | under | invalid;
  switch (protocol::info(op).errors) {
    case FloatRule::arithmetic:
      return in_range;
    case FloatRule::real_arithmetic:
      return is_complex ? none : in_range;
    case FloatRule::quotient:
    case FloatRule::reciprocal:
      return is_complex ? none : in_range | divide;
    case FloatRule::untold:
    case FloatRule::silent:
    case FloatRule::modulus:
    case FloatRule::logarithm:
    case FloatRule::logarithm_plus_1:
    case FloatRule::exponential:
    case FloatRule::growth:
    case FloatRule::periodic:
    case FloatRule::arc:
    case FloatRule::area_cosine:
    case FloatRule::area_tangent:
    case FloatRule::power:
    case FloatRule::floor_quotient:
    case FloatRule::modulo:
    case FloatRule::magnitude:
      return none;
  }
  return none;
}

unsigned reliable_flags_of_cast(Dtype from, Dtype to) {
  const char kind = kind_of(to);
  if (kind != 'f' && kind != 'c') return none;
  if (kind_of(from) != 'f' && kind_of(from) != 'c') return to == Dtype::float16 ? over : none;
  return to == Dtype::float16 ? over : over | under;
}

bool has_reliable_flags(Op op, Dtype loop) {
  if (reliable_flags(op, loop) != none || (kind_of(loop) != 'f' && kind_of(loop) != 'c')) return true;
  const auto rule = protocol::info(op).errors;
  return rule == FloatRule::silent || (rule == FloatRule::modulus && kind_of(loop) == 'f');
}

bool needs_values(Op op, Dtype loop) {
  const bool is_real = kind_of(loop) == 'f', is_complex = kind_of(loop) == 'c';
  switch (protocol::info(op).errors) {
    case FloatRule::modulus:
    case FloatRule::quotient:
      return is_complex;
    case FloatRule::logarithm:
    case FloatRule::logarithm_plus_1:
    case FloatRule::exponential:
    case FloatRule::growth:
    case FloatRule::periodic:
    case FloatRule::arc:
    case FloatRule::area_cosine:
    case FloatRule::area_tangent:
    case FloatRule::power:
    case FloatRule::floor_quotient:
    case FloatRule::modulo:
    case FloatRule::magnitude:
      return is_real;
    case FloatRule::untold:
    case FloatRule::silent:
    case FloatRule::arithmetic:
    case FloatRule::real_arithmetic:
    case FloatRule::reciprocal:
      return false;
  }
  return false;
}

unsigned errors_of_values(Op op, Dtype loop, const void* const* in, const void* out, std::size_t n) {
  if (!needs_values(op, loop)) return none;
  const int arity = protocol::info(op).arity;
  const auto rule = protocol::info(op).errors;
  switch (loop) {
    case Dtype::float32:
      return of_reals<float>(rule, arity, in, out, n);
    case Dtype::float64:
      return of_reals<double>(rule, arity, in, out, n);
    case Dtype::complex64:
      return of_complexes<float>(rule, in, out, n);
    case Dtype::complex128:
      return of_complexes<double>(rule, in, out, n);
    case Dtype::float16: {
      const auto x = widened(in[0], n), y = widened(arity > 1 ? in[1] : nullptr, n), result = widened(out, n);
      const void* const floats[] = {x.data(), y.data()};
      return of_reals<float>(rule, arity, floats, result.data(), n) & ~under;
    }
    default:
      return none;
  }
}

bool cast_needs_values(Dtype from, Dtype to) {
  return (kind_of(to) == 'i' || kind_of(to) == 'u') && (kind_of(from) == 'f' || kind_of(from) == 'c');
}

unsigned errors_of_cast_values(Dtype from, Dtype to, const void* in, std::size_t n) {
  if (!cast_needs_values(from, to)) return none;
  std::vector<double> values(n);
  find_cast(from, Dtype::float64)(static_cast<const std::byte*>(in),
                                  static_cast<std::ptrdiff_t>(protocol::size_of(from)),
                                  reinterpret_cast<std::byte*>(values.data()), sizeof(double), n);
  for (const double value : values)
    if (!fits(value, to)) return invalid;
  return none;
}

}  // namespace gamelan::engine::tiles
