// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/float_classes.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "engine/tiles/loops/elementwise.hpp"
#include "protocol/message.hpp"

namespace gamelan::engine::exec {
namespace {

using protocol::Dtype;
using protocol::Op;

constexpr unsigned none = 0, divide = protocol::float_divide, over = protocol::float_over,
                   under = protocol::float_under, invalid = protocol::float_invalid;
/// Complex ones are read as their two parts.
char kind_of(Dtype dtype) { return protocol::info(dtype).kind; }

template <class T>
unsigned over_or_under(T result, bool is_of_finite) {
  if (!is_of_finite) return none;
  if (std::isinf(result)) return over;
  return std::abs(result) < std::numeric_limits<T>::min() ? under : none;
}

/// Of a quotient by zero; none of it for NaN and infinity.
template <class T>
unsigned by_zero(T x) {
  return x == 0 ? invalid : std::isfinite(x) ? divide : none;
}

template <class T>
unsigned of_one(Op op, T x, T result) {
  if (std::isnan(x)) return none;
  switch (op) {
    case Op::log:
    case Op::log2:
    case Op::log10:
      return x == 0 ? divide : x < 0 ? invalid : none;
    case Op::log1p:
      return x == -1 ? divide : x < -1 ? invalid : none;
    case Op::exp:
    case Op::exp2:
      return over_or_under(result, std::isfinite(x));
    case Op::expm1:
    case Op::sinh:
    case Op::cosh:
      return over_or_under(result, std::isfinite(x)) & over;
    case Op::sin:
    case Op::cos:
    case Op::tan:
      return std::isinf(x) ? invalid : none;
    case Op::arcsin:
    case Op::arccos:
      return std::abs(x) > 1 ? invalid : none;
    case Op::arccosh:
      return x < 1 ? invalid : none;
    case Op::arctanh:
      return std::abs(x) == 1 ? divide : std::abs(x) > 1 ? invalid : none;
    default:
      return none;
  }
}

template <class T>
unsigned of_two(Op op, T x, T y, T result) {
  if (std::isnan(x) || std::isnan(y)) return none;
  const bool are_finite = std::isfinite(x) && std::isfinite(y);
  switch (op) {
    case Op::power:
    case Op::float_power:
      if (!are_finite) return none;
      if (x == 0) return y < 0 ? divide : none;
      if (x < 0 && y != std::trunc(y)) return invalid;
      return over_or_under(result, true);
    case Op::floor_divide:
      if (y == 0) return by_zero(x);
      return std::isinf(x) ? invalid : over_or_under(result, are_finite) & over;
    case Op::remainder:
    case Op::fmod:
      return y == 0 || std::isinf(x) ? invalid : none;
    case Op::hypot:
    case Op::ldexp:
      return over_or_under(result, are_finite) & over;
    default:
      return none;
  }
}

template <class T>
unsigned of_complex(Op op, const T* x, const T* y, const T* result) {
  if (op == Op::absolute) return of_two(Op::hypot, x[0], x[1], result[0]);
  if (op == Op::divide && y[0] == 0 && y[1] == 0) return by_zero(x[0]) | by_zero(x[1]);
  return none;
}

template <class T>
unsigned of_reals(Op op, int arity, const void* const* in, const void* out, std::size_t n) {
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const T* result = static_cast<const T*>(out);
  unsigned kinds = none;
  for (std::size_t j = 0; j < n; ++j)
    kinds |= arity == 1 ? of_one(op, x[j], result[j]) : of_two(op, x[j], y[j], result[j]);
  return kinds;
}

template <class T>
unsigned of_all_complex(Op op, const void* const* in, const void* out, std::size_t n) {
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const T* result = static_cast<const T*>(out);
  const std::size_t parts = op == Op::absolute ? 1 : 2;
  unsigned kinds = none;
  for (std::size_t j = 0; j < n; ++j)
    kinds |= of_complex(op, x + 2 * j, op == Op::absolute ? nullptr : y + 2 * j, result + parts * j);
  return kinds;
}

std::vector<float> widened(const void* halves, std::size_t n) {
  std::vector<float> floats(n);
  if (halves != nullptr)
    find_cast(Dtype::float16, Dtype::float32)(static_cast<const std::byte*>(halves), 2,
                                              reinterpret_cast<std::byte*>(floats.data()), 4, n);
  return floats;
}

/// Does a number fit an integer when its fraction is cut off, as the processor's conversions see it? Those to
/// narrow integers go by way of int32, that to uint32 by int64.
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
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::square:
      return in_range;
    case Op::sqrt:
    case Op::deg2rad:
    case Op::rad2deg:
      return is_complex ? none : in_range;
    case Op::divide:
    case Op::reciprocal:
      return is_complex ? none : in_range | divide;
    default:
      return none;
  }
}

unsigned reliable_flags_of_cast(Dtype from, Dtype to) {
  const char kind = kind_of(to);
  if (kind != 'f' && kind != 'c') return none;
  if (kind_of(from) != 'f' && kind_of(from) != 'c') return to == Dtype::float16 ? over : none;
  return to == Dtype::float16 ? over : over | under;
}

bool has_reliable_flags(Op op, Dtype loop) {
  if (reliable_flags(op, loop) != none || (kind_of(loop) != 'f' && kind_of(loop) != 'c')) return true;
  return op == Op::where || op == Op::negative || op == Op::positive ||
         ((op == Op::absolute || op == Op::fabs) && kind_of(loop) == 'f');
}

bool needs_values(Op op, Dtype loop) {
  const char kind = kind_of(loop);
  if (kind == 'c') return op == Op::absolute || op == Op::divide;
  switch (op) {
    case Op::floor_divide:
    case Op::remainder:
    case Op::fmod:
    case Op::log:
    case Op::log2:
    case Op::log10:
    case Op::log1p:
    case Op::exp:
    case Op::exp2:
    case Op::expm1:
    case Op::sinh:
    case Op::cosh:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::arcsin:
    case Op::arccos:
    case Op::arccosh:
    case Op::arctanh:
    case Op::power:
    case Op::float_power:
    case Op::hypot:
    case Op::ldexp:
      return kind == 'f';
    default:
      return false;
  }
}

unsigned errors_of_values(Op op, Dtype loop, const void* const* in, const void* out, std::size_t n) {
  if (!needs_values(op, loop)) return none;
  const int arity = protocol::info(op).arity;
  switch (loop) {
    case Dtype::float32:
      return of_reals<float>(op, arity, in, out, n);
    case Dtype::float64:
      return of_reals<double>(op, arity, in, out, n);
    case Dtype::complex64:
      return of_all_complex<float>(op, in, out, n);
    case Dtype::complex128:
      return of_all_complex<double>(op, in, out, n);
    case Dtype::float16: {
      const auto x = widened(in[0], n), y = widened(arity > 1 ? in[1] : nullptr, n), result = widened(out, n);
      const void* const floats[] = {x.data(), y.data()};
      return of_reals<float>(op, arity, floats, result.data(), n) & ~under;
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

}  // namespace gamelan::engine::exec
