// SPDX-License-Identifier: BSD-3-Clause
// The C++ type of each dtype, and which dtypes a category of the op table admits. Sources that include this
// are compiled once per instruction-set level with GAMELAN_ISA set to its name, and everything they share
// sits in a namespace of that name: otherwise the linker would keep one copy of an inline function for all
// levels, and an old processor could meet an instruction that it lacks.
#pragma once
#include <cstdint>
#include <type_traits>

#include "engine/tiles/loops/complex.hpp"
#include "engine/tiles/loops/half.hpp"
#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

using protocol::Dtype;

template <Dtype dtype>
struct ElementOf;
template <>
struct ElementOf<Dtype::bool_> {
  using type = bool;
};
template <>
struct ElementOf<Dtype::int8> {
  using type = std::int8_t;
};
template <>
struct ElementOf<Dtype::uint8> {
  using type = std::uint8_t;
};
template <>
struct ElementOf<Dtype::int16> {
  using type = std::int16_t;
};
template <>
struct ElementOf<Dtype::uint16> {
  using type = std::uint16_t;
};
template <>
struct ElementOf<Dtype::int32> {
  using type = std::int32_t;
};
template <>
struct ElementOf<Dtype::uint32> {
  using type = std::uint32_t;
};
template <>
struct ElementOf<Dtype::int64> {
  using type = std::int64_t;
};
template <>
struct ElementOf<Dtype::uint64> {
  using type = std::uint64_t;
};
template <>
struct ElementOf<Dtype::float16> {
  using type = Half;
};
template <>
struct ElementOf<Dtype::float32> {
  using type = float;
};
template <>
struct ElementOf<Dtype::float64> {
  using type = double;
};
template <>
struct ElementOf<Dtype::complex64> {
  using type = Complex<float>;
};
template <>
struct ElementOf<Dtype::complex128> {
  using type = Complex<double>;
};
template <Dtype dtype>
using Element = typename ElementOf<dtype>::type;

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<Complex<R>> = true;
template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half>;
template <class T>
inline constexpr bool is_bool = std::is_same_v<T, bool>;
/// The type as which memory of an element is read: bytes for bools, because loops that load bools do not
/// vectorise.
template <class T>
using Read = std::conditional_t<is_bool<T>, std::uint8_t, T>;
template <class T>
concept Integer = std::is_integral_v<T> && !is_bool<T>;
template <class T>
concept Real = std::is_floating_point_v<T>;  ///< float or double, not Half

/// Whether a row whose `types` column says so is compiled for T.
template <class T>
constexpr bool admits(protocol::Types types) {
  using protocol::Types;
  constexpr bool is_real_fp = Real<T> || is_half<T>;
  switch (types) {
    case Types::all:
      return true;
    case Types::boolean:
      return is_bool<T>;
    case Types::integer:
      return Integer<T>;
    case Types::integer_or_bool:
      return Integer<T> || is_bool<T>;
    case Types::numeric:
      return !is_bool<T>;
    case Types::real:
      return Integer<T> || is_real_fp;
    case Types::real_fp:
      return is_real_fp;
    case Types::floating:
      return is_real_fp || is_complex<T>;
    case Types::complex_fp:
      return is_complex<T>;
  }
  return false;
}

/// Calls action.operator()<T>() for the element type of a dtype.
template <class Action>
auto with_element(Dtype dtype, const Action& action) {
  switch (dtype) {
    case Dtype::bool_:
      return action.template operator()<bool>();
    case Dtype::int8:
      return action.template operator()<std::int8_t>();
    case Dtype::uint8:
      return action.template operator()<std::uint8_t>();
    case Dtype::int16:
      return action.template operator()<std::int16_t>();
    case Dtype::uint16:
      return action.template operator()<std::uint16_t>();
    case Dtype::int32:
      return action.template operator()<std::int32_t>();
    case Dtype::uint32:
      return action.template operator()<std::uint32_t>();
    case Dtype::int64:
      return action.template operator()<std::int64_t>();
    case Dtype::uint64:
      return action.template operator()<std::uint64_t>();
    case Dtype::float16:
      return action.template operator()<Half>();
    case Dtype::float32:
      return action.template operator()<float>();
    case Dtype::float64:
      return action.template operator()<double>();
    case Dtype::complex64:
      return action.template operator()<Complex<float>>();
    case Dtype::complex128:
      return action.template operator()<Complex<double>>();
  }
  return action.template operator()<double>();
}

template <class T>
struct RealPart {
  using type = T;
};
template <class R>
struct RealPart<Complex<R>> {
  using type = R;
};

/// The element type of a row's result when it computes in T.
template <protocol::Result result, class T>
using ResultElement = std::conditional_t<
    result == protocol::Result::boolean, bool,
    std::conditional_t<result == protocol::Result::real_of, typename RealPart<T>::type, T>>;

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
