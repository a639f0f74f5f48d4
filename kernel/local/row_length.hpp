// SPDX-License-Identifier: BSD-3-Clause
// Loops over short rows, made once for each usual length.
#pragma once
#include <cstddef>
#include <type_traits>

namespace gamelan::kernel {

/// Calls `visit` with the length of a row as a constant where it is a usual one, else with the number.
template <class Visit>
void with_row_length(std::size_t length, Visit visit) {
  switch (length) {
    case 2:
      return visit(std::integral_constant<std::size_t, 2>());
    case 3:
      return visit(std::integral_constant<std::size_t, 3>());
    case 4:
      return visit(std::integral_constant<std::size_t, 4>());
    case 8:
      return visit(std::integral_constant<std::size_t, 8>());
    case 16:
      return visit(std::integral_constant<std::size_t, 16>());
    default:
      return visit(length);
  }
}

}  // namespace gamelan::kernel
