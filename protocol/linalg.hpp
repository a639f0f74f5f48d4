// SPDX-License-Identifier: BSD-3-Clause
// The routines of the row `linalg` of the op table, and what each leaves in its one result: matrices of equal
// width, one below another. They compute in float64 or complex128, as NumPy does. The numbers of this enum
// are sent in messages; kernel/gamelan/linalg/_engine.py lists the same names in the same order.
#pragma once
#include <cstdint>

namespace gamelan::protocol {

/// The operand is m x n, and k = min(m, n). The comments give the number of rows of the result and what they
/// hold.
enum class Linalg : std::uint8_t {
  solve,          ///< n: the solutions, as wide as the right-hand sides
  inverse,        ///< n
  slogdet,        ///< 1: sign and logarithm
  cholesky,       ///< n: the lower factor
  qr,             ///< m + n: Q, then R transposed; k or m columns
  qr_factors,     ///< m + 1: what LAPACK leaves, then tau; n columns
  svd,            ///< m + n + 1: U, V conjugated, the singular values; k columns
  svd_values,     ///< 1: k of them
  eigh,           ///< n + 1: the vectors as columns, then the values
  eigh_values,    ///< 1: n of them
  eig,            ///< n + 1, complex: as eigh
  eig_values,     ///< 1, complex
  least_squares,  ///< n + 1, as wide as the right-hand sides: the solutions, and the squares of what is left
                  ///< (0 unless the rank is n and m > n); then, in as many rows as they need, the k singular
                  ///< values, the rank, and zeros
};
inline constexpr std::int64_t linalg_routines = 13;
/// True for a routine that has right-hand sides.
inline bool has_right(Linalg routine) { return routine == Linalg::solve || routine == Linalg::least_squares; }

/// The extents of a matrix.
struct MatrixExtents {
  std::int64_t rows, columns;
};
/// The extents of a routine's result for an operand of m x n. `right`: how many right-hand sides there are.
/// `wanted`: how many columns Q has, k or m.
MatrixExtents extents_of_results(Linalg routine, std::int64_t m, std::int64_t n, std::int64_t right,
                                 std::int64_t wanted);

}  // namespace gamelan::protocol
