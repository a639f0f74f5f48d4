// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/linalg.hpp"

#include <algorithm>

namespace gamelan::protocol {

MatrixExtents extents_of_results(Linalg routine, std::int64_t m, std::int64_t n, std::int64_t right,
                                 std::int64_t wanted) {
  const auto k = std::min(m, n);
  switch (routine) {
    case Linalg::solve:
      return {n, right};
    case Linalg::inverse:
    case Linalg::cholesky:
      return {n, n};
    case Linalg::least_squares:
      return {n + 1 + (k + right) / std::max<std::int64_t>(right, 1), right};
    case Linalg::slogdet:
      return {1, 2};
    case Linalg::qr:
      return {m + n, wanted == m ? m : k};
    case Linalg::qr_factors:
      return {m + 1, n};
    case Linalg::svd:
      return {m + n + 1, k};
    case Linalg::svd_values:
      return {1, k};
    case Linalg::eigh:
    case Linalg::eig:
      return {n + 1, n};
    case Linalg::eigh_values:
    case Linalg::eig_values:
      return {1, n};
  }
  return {0, 0};
}

}  // namespace gamelan::protocol
