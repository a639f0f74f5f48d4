// SPDX-License-Identifier: BSD-3-Clause
// Makes typed inner loops of the rows of the op table (rows.hpp). Built with -fwrapv, once per
// instruction-set level (GAMELAN_ISA) and group of dtypes (GAMELAN_GROUP); elementwise.cpp chooses among
// them. -fno-math-errno and -fno-trapping-math let comparisons and selections become vector code; they change
// no value.

#include "engine/tiles/loops/elementwise_tables.hpp"
#include "engine/tiles/loops/integer_quotients.hpp"
#if defined(__SSE2__)
#include "engine/tiles/loops/math/vector_math.hpp"
#else
#include "engine/tiles/loops/math/scalar_math.hpp"
#endif
#include "engine/tiles/loops/random_loops.hpp"
#include "engine/tiles/loops/rows.hpp"

#define GAMELAN_PASTE_2(left, right) left##right
#define GAMELAN_PASTE(left, right) GAMELAN_PASTE_2(left, right)
// An operand is either the output itself or has no byte in common with it, so iterations do not depend on
// each other.
#define GAMELAN_EACH(j, n) _Pragma("GCC ivdep") for (std::size_t j = 0; j < (n); ++j)

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

using protocol::Op;

template <Dtype... members>
struct DtypeGroup {};
using small_integers = DtypeGroup<Dtype::bool_, Dtype::int8, Dtype::uint8, Dtype::int16, Dtype::uint16>;
using large_integers = DtypeGroup<Dtype::int32, Dtype::uint32, Dtype::int64, Dtype::uint64>;
using reals = DtypeGroup<Dtype::float16, Dtype::float32, Dtype::float64>;
using complexes = DtypeGroup<Dtype::complex64, Dtype::complex128>;

template <class Row, class T>
void nullary_loop(const void* const*, void* out, std::size_t n, const NullaryParams* params) {
  const T a = *static_cast<const T*>(params->first), b = *static_cast<const T*>(params->second);
  T* result = static_cast<T*>(out);
  if constexpr (is_random<Row::op>)
    return random_loop<Row::op>(a, b, params->key, params->offset + static_cast<std::uint64_t>(params->index),
                                static_cast<std::uint64_t>(params->step), result, n);
  for (std::size_t j = 0; j < n; ++j) {
    const std::int64_t index = params->index + static_cast<std::int64_t>(j) * params->step;
    result[j] = Row::template apply<T>(a, b, params->key, params->offset, index);
  }
}

/// Moduli of complex numbers by whole vectors: the parts are separated, then libmvec's hypot is called.
template <class R>
void moduli(const Complex<R>* x, R* out, std::size_t n) {
  constexpr std::size_t chunk = 256;
  R real[chunk], imag[chunk];
  for (std::size_t done = 0; done < n; done += chunk) {
    const std::size_t count = n - done < chunk ? n - done : chunk;
    for (std::size_t j = 0; j < count; ++j) {
      real[j] = x[done + j].real;
      imag[j] = x[done + j].imag;
    }
    map_vectors<Op::hypot>(real, imag, out + done, count);
  }
}

template <class Row, class T>
void unary_loop(const void* const* in, void* out, std::size_t n, const NullaryParams*) {
  const auto* x = static_cast<const Read<T>*>(in[0]);
  auto* result = static_cast<decltype(Row::template apply<T>(T()))*>(out);
  if constexpr (VectorFunction<Row::op, T>::exists)
    map_vectors<Row::op>(x, result, n);
  else if constexpr (is_complex<T> && Row::op == Op::absolute)
    moduli(x, result, n);
  else
    GAMELAN_EACH(j, n) result[j] = Row::template apply<T>(static_cast<T>(x[j]));
}

template <class Row, class T, Single single>
void binary_loop(const void* const* in, void* out, std::size_t n, const NullaryParams*) {
  const auto* x = static_cast<const Read<T>*>(in[0]);
  const auto* y = static_cast<const Read<T>*>(in[1]);
  auto* result = static_cast<decltype(Row::template apply<T>(T(), T()))*>(out);
  if constexpr (VectorFunction<Row::op, T>::exists) {
    map_vectors<Row::op>(x, y, result, n);
  } else if constexpr (single == Single::right && is_quotient<Row::op, T>) {
    divide_by<Row::op>(x, *y, result, n);
  } else if constexpr (single == Single::none && is_quotient<Row::op, T>) {
    divide_each<Row::op>(x, y, result, n);
  } else if constexpr (single == Single::left) {
    const T only = *x;
    GAMELAN_EACH(j, n) result[j] = Row::template apply<T>(only, y[j]);
  } else if constexpr (single == Single::right) {
    const T only = *y;
    GAMELAN_EACH(j, n) result[j] = Row::template apply<T>(x[j], only);
  } else {
    GAMELAN_EACH(j, n) result[j] = Row::template apply<T>(static_cast<T>(x[j]), static_cast<T>(y[j]));
  }
}

template <class Row, class T>
void ternary_loop(const void* const* in, void* out, std::size_t n, const NullaryParams*) {
  const auto* condition = static_cast<const std::uint8_t*>(in[0]);  // bytes vectorise where bools do not
  const T* x = static_cast<const T*>(in[1]);
  const T* y = static_cast<const T*>(in[2]);
  T* result = static_cast<T*>(out);
  GAMELAN_EACH(j, n) result[j] = Row::template apply<T>(condition[j] != 0, x[j], y[j]);
}

/// Nullary loops are scalar arithmetic with fixed bits: compiled once, at the baseline. Random words are
/// whole numbers.
template <class Row, class T>
constexpr Loop nullary() {
#if defined(__AVX2__)
  constexpr bool exists = is_random<Row::op>;
#else
  constexpr bool exists = true;
#endif
  if constexpr (exists && admits<T>(Row::admitted))
    return nullary_loop<Row, T>;
  else
    return nullptr;
}

template <class Row, class T>
constexpr Loop unary() {
  if constexpr (admits<T>(Row::admitted))
    return unary_loop<Row, T>;
  else
    return nullptr;
}

/// Loops with a single operand pay where one vector instruction per element is all the work.
template <class Row, class T>
constexpr Loop binary(Single single) {
  if constexpr (admits<T>(Row::admitted)) {
    if (single == Single::none) return binary_loop<Row, T, Single::none>;
    constexpr bool is_wide = Real<T> || (Integer<T> && sizeof(T) >= 4) || is_quotient<Row::op, T>;
    if constexpr (is_wide && !VectorFunction<Row::op, T>::exists) {
      return single == Single::left ? binary_loop<Row, T, Single::left> : binary_loop<Row, T, Single::right>;
    }
  }
  return nullptr;
}

template <class Row, class T>
constexpr Loop ternary() {
  if constexpr (admits<T>(Row::admitted))
    return ternary_loop<Row, T>;
  else
    return nullptr;
}

template <class T>
Loop find(Op op, Single single) {
  const bool is_plain = single == Single::none;
  switch (op) {
#define NULLARY(name, types, doc, expr) \
  case Op::name:                        \
    return is_plain ? nullary<rows::name##_row, T>() : nullptr;
#define UNARY(name, types, result, traits, errors, doc, expr) \
  case Op::name:                                              \
    return is_plain ? unary<rows::name##_row, T>() : nullptr;
#define BINARY(name, types, result, identity, traits, errors, doc, expr) \
  case Op::name:                                                         \
    return binary<rows::name##_row, T>(single);
#define TERNARY(name, types, doc, expr) \
  case Op::name:                        \
    return is_plain ? ternary<rows::name##_row, T>() : nullptr;
#define REDUCE(name, of, types, doc) case Op::name:
#define CALL(name, family, doc) case Op::name:
#include "protocol/ops.def"
    return nullptr;
  }
  return nullptr;
}

template <Dtype... members>
Loop find_in(DtypeGroup<members...>, Op op, Dtype dtype, Single single) {
  Loop found = nullptr;
  ((dtype == members ? static_cast<void>(found = find<Element<members>>(op, single)) : static_cast<void>(0)),
   ...);
  return found;
}

}  // namespace

Loop GAMELAN_PASTE(loops_of_, GAMELAN_GROUP)(Op op, Dtype loop, Single single) {
  return find_in(GAMELAN_GROUP(), op, loop, single);
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
