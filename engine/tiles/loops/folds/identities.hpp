// SPDX-License-Identifier: BSD-3-Clause
// What a fold of no element gives, in the type of its elements. Compiled once per instruction-set level, as
// what includes it.
#pragma once
#include <cstring>
#include <limits>

#include "engine/tiles/loops/rows.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

template <class T>
T smallest() {
  if constexpr (is_complex<T>) {
    using R = typename RealPart<T>::type;
    return {-infinity<R>, -infinity<R>};
  } else if constexpr (Real<T> || is_half<T>) {
    return T(-infinity<float>);
  } else {
    constexpr T value = std::numeric_limits<T>::min();
    return value;
  }
}

template <class T>
T largest() {
  if constexpr (Real<T> || is_half<T> || is_complex<T>) {
    return -smallest<T>();
  } else {
    constexpr T value = std::numeric_limits<T>::max();
    return value;
  }
}

/// Writes one element. False where a fold of no element is an error.
template <class T>
bool write_identity(rows::Identity identity, void* to) {
  using rows::Identity;
  T value{};
  switch (identity) {
    case Identity::zero:
      break;
    case Identity::one:
      value = T(1);
      break;
    case Identity::ones:
      if constexpr (Integer<T> || is_bool<T>) value = static_cast<T>(is_bool<T> ? 1 : -1);
      break;
    case Identity::lowest:
      value = smallest<T>();
      break;
    case Identity::highest:
      value = largest<T>();
      break;
    case Identity::absent:
      return false;
  }
  std::memcpy(to, &value, sizeof value);
  return true;
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
