// SPDX-License-Identifier: BSD-3-Clause
// Casts between all dtypes by NumPy's unsafe rules: complex loses its imaginary part, bool means "not zero",
// a float outside an integer's range gives what x86 gives. Every conversion here is defined in C++, so the
// vector code and the scalar rest agree, also in the flags of the processor. Built like
// elementwise_loops.cpp, once per instruction-set level.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstring>

#include "engine/tiles/loops/copy_bytes.hpp"
#include "engine/tiles/loops/element.hpp"
#include "engine/tiles/loops/elementwise_tables.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

/// As the instruction cvttsd2si to 32 bits: truncates, and gives the smallest integer for NaN and for what
/// does not fit.
inline std::int32_t to_int32(double x) {
  return x > -2147483649.0 && x < 2147483648.0 ? static_cast<std::int32_t>(x) : INT32_MIN;
}
inline std::int32_t to_int32(float x) {
  return x >= -2147483648.0F && x < 2147483648.0F ? static_cast<std::int32_t>(x) : INT32_MIN;
}
#if defined(__SSE2__)
/// The instruction itself: it says that a number does not fit, as it does among others in a vector. (Of
/// to_int32 the compiler makes a jump around it where it converts one number.)
inline std::int32_t to_int32_alone(double x) { return _mm_cvttsd_si32(_mm_set_sd(x)); }
inline std::int32_t to_int32_alone(float x) { return _mm_cvttss_si32(_mm_set_ss(x)); }
inline std::int64_t to_int64(double x) { return _mm_cvttsd_si64(_mm_set_sd(x)); }
inline std::int64_t to_int64(float x) { return _mm_cvttss_si64(_mm_set_ss(x)); }
#else
inline std::int32_t to_int32_alone(double x) { return to_int32(x); }
inline std::int32_t to_int32_alone(float x) { return to_int32(x); }
template <class R>
std::int64_t to_int64(R x) {
  constexpr R end = static_cast<R>(9223372036854775808.0);
  return x >= -end && x < end ? static_cast<std::int64_t>(x) : INT64_MIN;
}
#endif
template <class R>
std::uint64_t to_uint64(R x) {
  constexpr R half_range = static_cast<R>(9223372036854775808.0);
  if (x >= half_range) return static_cast<std::uint64_t>(to_int64(x - half_range)) ^ (std::uint64_t{1} << 63);
  return static_cast<std::uint64_t>(to_int64(x));
}

/// `is_alone`: not one of those that fill vectors.
template <class To, bool is_alone, class From>
To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (is_bool<To>) {
    return x != From(0);
  } else if constexpr (is_complex<From> && !is_complex<To>) {
    return convert<To, is_alone>(x.real);
  } else if constexpr (is_half<From>) {
    return convert<To, is_alone>(static_cast<float>(x));
  } else if constexpr (Real<From> && Integer<To>) {
    if constexpr (std::is_same_v<To, std::uint64_t>)
      return to_uint64(x);
    else if constexpr (sizeof(To) == 8 || std::is_same_v<To, std::uint32_t>)
      return static_cast<To>(to_int64(x));
    else if constexpr (is_alone)
      return static_cast<To>(to_int32_alone(x));
    else
      return static_cast<To>(to_int32(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void cast(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to, std::ptrdiff_t to_stride,
          std::size_t n) {
  constexpr auto from_size = static_cast<std::ptrdiff_t>(sizeof(From)),
                 to_size = static_cast<std::ptrdiff_t>(sizeof(To));
  if (to_stride == to_size) {
    To* target = reinterpret_cast<To*>(to);
    const auto* source = reinterpret_cast<const Read<From>*>(from);
    if (from_stride == from_size) {
      if constexpr (std::is_same_v<From, To>) {
        if (from != to) copy_bytes(to, from, n * sizeof(To));
      } else {
        constexpr std::size_t of_vectors = 64;  // a multiple of the elements of any vector
        constexpr bool may_not_fit = Integer<To> && !Integer<From> && !is_bool<From>;
        const auto in_vectors = may_not_fit ? (Real<From> ? n - n % of_vectors : 0) : n;
#pragma GCC ivdep
        for (std::size_t j = 0; j < in_vectors; ++j) target[j] = convert<To, false>(source[j]);
        for (std::size_t j = in_vectors; j < n; ++j) target[j] = convert<To, true>(source[j]);
      }
      return;
    }
    if (from_stride == 0) {
      if (n == 0) return;
      const To only = convert<To, true>(*source);
      for (std::size_t j = 0; j < n; ++j) target[j] = only;
      return;
    }
    if constexpr (std::is_same_v<From, To> && sizeof(To) >= 4) {
      constexpr std::ptrdiff_t together = 4;  // elements of a store
      const auto at = [&](std::ptrdiff_t k) { return *reinterpret_cast<const To*>(from + k * from_stride); };
      for (; n >= together; n -= together, target += together, from += together * from_stride) {
        const To few[together] = {at(0), at(1), at(2), at(3)};
        std::memcpy(target, few, sizeof few);
      }
      to = reinterpret_cast<std::byte*>(target);
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    *reinterpret_cast<To*>(to) = convert<To, true>(*reinterpret_cast<const Read<From>*>(from));
    from += from_stride;
    to += to_stride;
  }
}

template <class From>
Cast find_to(Dtype to) {
  switch (to) {
    case Dtype::bool_:
      return cast<From, bool>;
    case Dtype::int8:
      return cast<From, std::int8_t>;
    case Dtype::uint8:
      return cast<From, std::uint8_t>;
    case Dtype::int16:
      return cast<From, std::int16_t>;
    case Dtype::uint16:
      return cast<From, std::uint16_t>;
    case Dtype::int32:
      return cast<From, std::int32_t>;
    case Dtype::uint32:
      return cast<From, std::uint32_t>;
    case Dtype::int64:
      return cast<From, std::int64_t>;
    case Dtype::uint64:
      return cast<From, std::uint64_t>;
    case Dtype::float16:
      return cast<From, Half>;
    case Dtype::float32:
      return cast<From, float>;
    case Dtype::float64:
      return cast<From, double>;
    case Dtype::complex64:
      return cast<From, Complex<float>>;
    case Dtype::complex128:
      return cast<From, Complex<double>>;
  }
  return nullptr;
}

}  // namespace

Cast cast_loop(Dtype from, Dtype to) {
  switch (from) {
    case Dtype::bool_:
      return find_to<bool>(to);
    case Dtype::int8:
      return find_to<std::int8_t>(to);
    case Dtype::uint8:
      return find_to<std::uint8_t>(to);
    case Dtype::int16:
      return find_to<std::int16_t>(to);
    case Dtype::uint16:
      return find_to<std::uint16_t>(to);
    case Dtype::int32:
      return find_to<std::int32_t>(to);
    case Dtype::uint32:
      return find_to<std::uint32_t>(to);
    case Dtype::int64:
      return find_to<std::int64_t>(to);
    case Dtype::uint64:
      return find_to<std::uint64_t>(to);
    case Dtype::float16:
      return find_to<Half>(to);
    case Dtype::float32:
      return find_to<float>(to);
    case Dtype::float64:
      return find_to<double>(to);
    case Dtype::complex64:
      return find_to<Complex<float>>(to);
    case Dtype::complex128:
      return find_to<Complex<double>>(to);
  }
  return nullptr;
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
