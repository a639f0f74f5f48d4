// SPDX-License-Identifier: BSD-3-Clause
// See matmul.hpp. Built with -fwrapv: integer sums wrap.
#include "engine/tiles/loops/matmul.hpp"

#include <cblas.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/tiles/loops/element.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/loops/small_products.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::tiles {
namespace {

using baseline::Complex;
using baseline::Half;
using protocol::Dtype;

/// The number as OpenBLAS's 32-bit integer.
int blas_int(std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    throw protocol::Error(
        protocol::ErrorKind::value,
        "[matmul] side of a block: got " + std::to_string(value) + ", expected at most 2147483647 elements");
  }
  return static_cast<int>(value);
}

struct Sides {
  int m, n, k, lda, ldb, ldc;
  CBLAS_TRANSPOSE flip_a, flip_b;
};

CBLAS_TRANSPOSE other(CBLAS_TRANSPOSE flip) { return flip == CblasTrans ? CblasNoTrans : CblasTrans; }

/// gemv where c is one column or one row: OpenBLAS's gemm packs both operands first, which costs more than
/// the product.
template <class T, class Gemm, class Gemv>
void call_blas(const Sides& s, const T* a, const T* b, T* c, const Gemm& gemm_call, const Gemv& gemv_call) {
  // gemv wants the matrix as it lies in memory: its rows and columns are exchanged if it is transposed.
  const auto rows_first = [](CBLAS_TRANSPOSE flip, int rows, int columns) {
    return flip == CblasTrans ? std::pair(columns, rows) : std::pair(rows, columns);
  };
  if (s.n == 1) {
    const auto [rows, columns] = rows_first(s.flip_a, s.m, s.k);
    gemv_call(s.flip_a, rows, columns, a, s.lda, b, s.flip_b == CblasTrans ? 1 : s.ldb, c, s.ldc);
  } else if (s.m == 1) {
    const auto [rows, columns] = rows_first(s.flip_b, s.k, s.n);
    gemv_call(other(s.flip_b), rows, columns, b, s.ldb, a, s.flip_a == CblasTrans ? s.lda : 1, c, 1);
  } else {
    gemm_call(a, b, c);
  }
}

void multiply(const Sides& s, const float* a, const float* b, float* c, float beta) {
  call_blas(
      s, a, b, c,
      [&](const float* x, const float* y, float* z) {
        cblas_sgemm(CblasRowMajor, s.flip_a, s.flip_b, s.m, s.n, s.k, 1.0F, x, s.lda, y, s.ldb, beta, z,
                    s.ldc);
      },
      [&](CBLAS_TRANSPOSE flip, int rows, int columns, const float* matrix, int ld, const float* x,
          int step_x, float* y, int step_y) {
        cblas_sgemv(CblasRowMajor, flip, rows, columns, 1.0F, matrix, ld, x, step_x, beta, y, step_y);
      });
}

void multiply(const Sides& s, const double* a, const double* b, double* c, double beta) {
  call_blas(
      s, a, b, c,
      [&](const double* x, const double* y, double* z) {
        cblas_dgemm(CblasRowMajor, s.flip_a, s.flip_b, s.m, s.n, s.k, 1.0, x, s.lda, y, s.ldb, beta, z,
                    s.ldc);
      },
      [&](CBLAS_TRANSPOSE flip, int rows, int columns, const double* matrix, int ld, const double* x,
          int step_x, double* y, int step_y) {
        cblas_dgemv(CblasRowMajor, flip, rows, columns, 1.0, matrix, ld, x, step_x, beta, y, step_y);
      });
}

void multiply(const Sides& s, const Complex<float>* a, const Complex<float>* b, Complex<float>* c,
              float beta) {
  const Complex<float> one(1), beta_value(beta);
  cblas_cgemm(CblasRowMajor, s.flip_a, s.flip_b, s.m, s.n, s.k, &one, a, s.lda, b, s.ldb, &beta_value, c,
              s.ldc);
}

void multiply(const Sides& s, const Complex<double>* a, const Complex<double>* b, Complex<double>* c,
              double beta) {
  const Complex<double> one(1), beta_value(beta);
  cblas_zgemm(CblasRowMajor, s.flip_a, s.flip_b, s.m, s.n, s.k, &one, a, s.lda, b, s.ldb, &beta_value, c,
              s.ldc);
}

template <class T>
void blas(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixInMemory& a, const MatrixInMemory& b,
          void* c, std::int64_t ldc, bool accumulate) {
  using R = typename baseline::RealPart<T>::type;
  const Sides sides{blas_int(m),
                    blas_int(n),
                    blas_int(k),
                    blas_int(a.leading),
                    blas_int(b.leading),
                    blas_int(ldc),
                    a.is_transposed ? CblasTrans : CblasNoTrans,
                    b.is_transposed ? CblasTrans : CblasNoTrans};
  multiply(sides, static_cast<const T*>(a.data), static_cast<const T*>(b.data), static_cast<T*>(c),
           accumulate ? R(1) : R(0));
}

/// Elements from one row to the next, and from one column to the next.
std::pair<std::int64_t, std::int64_t> steps(const MatrixInMemory& matrix) {
  return matrix.is_transposed ? std::pair(std::int64_t{1}, matrix.leading)
                              : std::pair(matrix.leading, std::int64_t{1});
}

/// Row of c += element of a times row of b, in blocks of b that stay in cache. Acc is what sums are kept in.
template <class T, class Acc>
void plain(std::int64_t m, std::int64_t n, std::int64_t k, const MatrixInMemory& left,
           const MatrixInMemory& right, void* c_bytes, std::int64_t ldc, bool accumulate) {
  constexpr std::int64_t block_rows = 64, block_columns = 512;
  const T* a = static_cast<const T*>(left.data);
  const T* b = static_cast<const T*>(right.data);
  const auto [a_row, a_column] = steps(left);
  const auto [b_row, b_column] = steps(right);
  T* c = static_cast<T*>(c_bytes);
  std::vector<Acc> sums(static_cast<std::size_t>(std::min(n, block_columns) * m));
  for (std::int64_t column = 0; column < n; column += block_columns) {
    const std::int64_t width = std::min(block_columns, n - column);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        sums[static_cast<std::size_t>(i * width + j)] =
            accumulate ? static_cast<Acc>(c[i * ldc + column + j]) : Acc(0);
      }
    }
    for (std::int64_t inner = 0; inner < k; inner += block_rows) {
      const std::int64_t last = std::min(k, inner + block_rows);
      for (std::int64_t i = 0; i < m; ++i) {
        Acc* sum = &sums[static_cast<std::size_t>(i * width)];
        for (std::int64_t p = inner; p < last; ++p) {
          const Acc factor = static_cast<Acc>(a[i * a_row + p * a_column]);
          const T* row = b + p * b_row + column * b_column;
          for (std::int64_t j = 0; j < width; ++j) {
            if constexpr (std::is_same_v<T, bool>)
              sum[j] = static_cast<Acc>(sum[j] | (factor & Acc{row[j * b_column]}));
            else
              sum[j] = static_cast<Acc>(sum[j] + factor * static_cast<Acc>(row[j * b_column]));
          }
        }
      }
    }
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        c[i * ldc + column + j] = static_cast<T>(sums[static_cast<std::size_t>(i * width + j)]);
      }
    }
  }
}

void clear(Dtype dtype, std::int64_t m, std::int64_t n, void* c, std::int64_t ldc) {
  const std::size_t item_bytes = protocol::size_of(dtype);
  for (std::int64_t i = 0; i < m; ++i) {
    std::memset(static_cast<std::byte*>(c) + static_cast<std::size_t>(i * ldc) * item_bytes, 0,
                static_cast<std::size_t>(n) * item_bytes);
  }
}

}  // namespace

void gemm(Dtype dtype, std::int64_t m, std::int64_t n, std::int64_t k, const MatrixInMemory& a,
          const MatrixInMemory& b, void* c, std::int64_t ldc, bool accumulate) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!accumulate) clear(dtype, m, n, c, ldc);
    return;
  }
  const auto call = [&](auto function) { function(m, n, k, a, b, c, ldc, accumulate); };
  // Unsigned accumulators: signed sums wrap to the same bits, and no product of promoted 16-bit numbers can
  // overflow.
  switch (dtype) {
    case Dtype::bool_:
      return call(plain<bool, std::uint8_t>);
    case Dtype::int8:
      return call(plain<std::int8_t, std::uint8_t>);
    case Dtype::uint8:
      return call(plain<std::uint8_t, std::uint8_t>);
    case Dtype::int16:
      return call(plain<std::int16_t, std::uint16_t>);
    case Dtype::uint16:
      return call(plain<std::uint16_t, std::uint16_t>);
    case Dtype::int32:
      return call(plain<std::int32_t, std::uint32_t>);
    case Dtype::uint32:
      return call(plain<std::uint32_t, std::uint32_t>);
    case Dtype::int64:
      return call(plain<std::int64_t, std::uint64_t>);
    case Dtype::uint64:
      return call(plain<std::uint64_t, std::uint64_t>);
    case Dtype::float16:
      return call(plain<Half, float>);
    case Dtype::float32:
      return call(blas<float>);
    case Dtype::float64:
      return call(blas<double>);
    case Dtype::complex64:
      return call(blas<Complex<float>>);
    case Dtype::complex128:
      return call(blas<Complex<double>>);
  }
}

void small_products(Dtype dtype, const SmallProducts& each, const void* a, const void* b, void* c) {
  const auto loop =
      isa() >= Isa::avx2 ? avx2::small_product_loop(dtype) : baseline::small_product_loop(dtype);
  loop(each, a, b, c);
}

namespace {

template <class T, class Syrk>
void gram_of(std::int64_t m, std::int64_t k, const MatrixInMemory& a, void* to, std::int64_t ldc,
             bool accumulate, const Syrk& syrk) {
  T* c = static_cast<T*>(to);
  syrk(CblasRowMajor, CblasLower, a.is_transposed ? CblasTrans : CblasNoTrans, blas_int(m), blas_int(k), T(1),
       static_cast<const T*>(a.data), blas_int(a.leading), T(accumulate ? 1 : 0), c, blas_int(ldc));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < i; ++j) c[j * ldc + i] = c[i * ldc + j];
}

}  // namespace

bool gram(Dtype dtype, std::int64_t m, std::int64_t k, const MatrixInMemory& a, void* c, std::int64_t ldc,
          bool accumulate) {
  if (m == 0 || k == 0) return false;
  if (dtype == Dtype::float64)
    gram_of<double>(m, k, a, c, ldc, accumulate, cblas_dsyrk);
  else if (dtype == Dtype::float32)
    gram_of<float>(m, k, a, c, ldc, accumulate, cblas_ssyrk);
  else
    return false;
  return true;
}

}  // namespace gamelan::engine::tiles
