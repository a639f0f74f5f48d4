// SPDX-License-Identifier: BSD-3-Clause
// A library's function for doubles and its function for complex numbers under one name, for
// lapack_routines.hpp and scalapack_calls.hpp.
#pragma once
#include <type_traits>

/// Defines name<T>(...): `real_` for double, else `complex_`.
#define GAMELAN_NAME(name, real_, complex_)  \
  template <class T, class... Rest>          \
  void name(Rest... rest) {                  \
    if constexpr (std::is_same_v<T, double>) \
      real_(rest...);                        \
    else                                     \
      complex_(rest...);                     \
  }
