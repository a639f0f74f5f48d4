// SPDX-License-Identifier: BSD-3-Clause
// Elements as keys that sort as NumPy sorts: unsigned integers in the order of the numbers, with NaN last. -0
// comes before 0 when values are sorted, and equals 0 for argsort, which is stable. Complex numbers have no
// such key; they are compared.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <type_traits>

#include "protocol/dtype.hpp"

namespace gamelan::engine::steps::sorting {

/// Key of an integer of type T.
template <class T>
struct IntegerKey {
  using Element = T;
  using Key = std::make_unsigned_t<T>;
  static constexpr Key flip =
      std::is_signed_v<T> ? static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1)) : Key{0};
  static Key encode(T value, bool) { return static_cast<Key>(static_cast<Key>(value) ^ flip); }
  static T decode(Key key) { return static_cast<T>(static_cast<Key>(key ^ flip)); }
};

/// Key of an IEEE number given by its bits: negative ones reversed, the sign flipped.
template <class Bits, int mantissa_bits>
struct FloatKey {
  using Element = Bits;
  using Key = Bits;
  static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr Bits infinity =
      static_cast<Bits>(static_cast<Bits>(~sign) >> mantissa_bits << mantissa_bits);
  static constexpr Bits last = static_cast<Bits>(~Bits{0});

  static Key encode(Bits bits, bool merges_zeros) {
    const auto size = static_cast<Bits>(bits & static_cast<Bits>(~sign));
    if (size > infinity) return last;
    if (merges_zeros && size == 0) return sign;
    return static_cast<Key>(bits & sign ? ~bits : bits | sign);
  }
  static Bits decode(Key key) {
    if (key == last) return static_cast<Bits>(infinity | (infinity >> 1));  // a quiet NaN
    return static_cast<Bits>(key & sign ? key & static_cast<Bits>(~sign) : ~key);
  }
};

/// A complex number, in NumPy's order: by real part, then by imaginary part; [R + Ri, R + NaN i, NaN + R i,
/// NaN + NaN i].
template <class Real>
struct ComplexKey {
  struct Key {
    Real real, imag;
    bool operator<(const Key& other) const {
      if (place() != other.place()) return place() < other.place();
      if (real < other.real) return true;
      if (real > other.real) return false;
      return imag < other.imag;
    }

   private:
    int place() const { return 2 * (real != real) + (imag != imag); }
  };
  using Element = Key;
  static Key encode(Key value, bool) { return value; }
  static Key decode(Key key) { return key; }
};

/// Calls visit.operator()<Coder>() for the keys of a dtype.
template <class Visit>
void with_coder(protocol::Dtype dtype, Visit visit) {
  using protocol::Dtype;
  switch (dtype) {
    case Dtype::bool_:
    case Dtype::uint8:
      return visit.template operator()<IntegerKey<std::uint8_t>>();
    case Dtype::int8:
      return visit.template operator()<IntegerKey<std::int8_t>>();
    case Dtype::int16:
      return visit.template operator()<IntegerKey<std::int16_t>>();
    case Dtype::uint16:
      return visit.template operator()<IntegerKey<std::uint16_t>>();
    case Dtype::int32:
      return visit.template operator()<IntegerKey<std::int32_t>>();
    case Dtype::uint32:
      return visit.template operator()<IntegerKey<std::uint32_t>>();
    case Dtype::int64:
      return visit.template operator()<IntegerKey<std::int64_t>>();
    case Dtype::uint64:
      return visit.template operator()<IntegerKey<std::uint64_t>>();
    case Dtype::float16:
      return visit.template operator()<FloatKey<std::uint16_t, 10>>();
    case Dtype::float32:
      return visit.template operator()<FloatKey<std::uint32_t, 23>>();
    case Dtype::float64:
      return visit.template operator()<FloatKey<std::uint64_t, 52>>();
    case Dtype::complex64:
      return visit.template operator()<ComplexKey<float>>();
    case Dtype::complex128:
      return visit.template operator()<ComplexKey<double>>();
  }
}

/// The number of bits that a number needs.
constexpr int width(std::uint64_t number) { return 64 - std::countl_zero(number); }

/// What is sorted: a key alone, or a key with the place it came from.
template <class K>
struct KeyOnly {
  using Key = K;
  K key;
};
template <class K>
struct KeyAndPlace {
  using Key = K;
  K key;
  std::int64_t place;
};

}  // namespace gamelan::engine::steps::sorting
