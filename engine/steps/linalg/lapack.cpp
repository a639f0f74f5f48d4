// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/steps/linalg/lapack_routines.hpp"
#include "engine/steps/linalg/work_memory.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Dtype;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Linalg;
using Complex = std::complex<double>;

template <class T>
class Matrix {
 public:
  static constexpr bool is_complex = std::is_same_v<T, Complex>;

  explicit Matrix(const MatrixTask& task)
      : task_(task),
        m_(lapack_int(task.m)),
        n_(lapack_int(task.n)),
        k_(std::min(m_, n_)),
        columns_(task.columns),
        a_(static_cast<T*>(task.a)),
        work_(static_cast<T*>(task.work)),
        spare_(work_ + task.work_elements),
        out_(static_cast<T*>(task.out)) {}

  void run() {
    switch (task_.routine) {
      case Linalg::solve:
        return solve();
      case Linalg::inverse:
        return inverse();
      case Linalg::slogdet:
        return slogdet();
      case Linalg::cholesky:
        return cholesky();
      case Linalg::qr:
        return qr();
      case Linalg::qr_factors:
        return qr_factors();
      case Linalg::svd:
        return svd(true);
      case Linalg::svd_values:
        return svd(false);
      case Linalg::eigh:
        return eigh(true);
      case Linalg::eigh_values:
        return eigh(false);
      case Linalg::eig:
        return eig(true);
      case Linalg::eig_values:
        return eig(false);
      case Linalg::least_squares:
        return least_squares();
    }
  }

 private:
  void check(int info) const {
    if (info != 0) throw_failure(task_.routine);
  }

  /// Copies a matrix in LAPACK's order to the rows of the result from `row` on.
  template <class From, class To>
  void lay_down(const From* from, std::int64_t leading, std::int64_t rows, std::int64_t columns,
                To* to) const {
    constexpr std::int64_t side = 32;  // both sides of the exchange stay in cache
    for (std::int64_t i0 = 0; i0 < rows; i0 += side)
      for (std::int64_t j0 = 0; j0 < columns; j0 += side)
        for (std::int64_t i = i0; i < std::min(i0 + side, rows); ++i)
          for (std::int64_t j = j0; j < std::min(j0 + side, columns); ++j)
            to[i * columns_ + j] = To(from[i + j * leading]);
  }

  std::vector<int> factor(int& info) {
    std::vector<int> pivots(static_cast<std::size_t>(n_));
    getrf<T>(&n_, &n_, a_, &n_, pivots.data(), &info);
    return pivots;
  }

  void solve() {
    const int right = lapack_int(task_.right);
    std::vector<int> pivots(static_cast<std::size_t>(n_));
    int info = 0;
    gesv<T>(&n_, &right, a_, &n_, pivots.data(), work_, &n_, &info);
    check(info);
    lay_down(work_, n_, n_, right, out_);
  }

  void inverse() {
    int info = 0;
    const auto pivots = factor(info);
    check(info);
    with_work<T>([&](T* work, int size) { getri<T>(&n_, a_, &n_, pivots.data(), work, &size, &info); });
    check(info);
    lay_down(a_, n_, n_, n_, out_);
  }

  void slogdet() {
    int info = 0;
    const auto pivots = factor(info);
    T sign(1);
    double log = 0;
    if (info > 0) {
      out_[0] = T(0);
      out_[1] = T(-std::numeric_limits<double>::infinity());
      return;
    }
    for (int i = 0; i < n_; ++i) {
      if (pivots[static_cast<std::size_t>(i)] != i + 1) sign = -sign;
      const T element = a_[static_cast<std::int64_t>(i) * n_ + i];
      const double size = std::abs(element);
      if constexpr (is_complex)
        sign *= element / size;
      else if (element < 0)
        sign = -sign;
      log += std::log(size);
    }
    out_[0] = sign;
    out_[1] = T(log);
  }

  void cholesky() {
    int info = 0;
    potrf<T>("L", &n_, a_, &n_, &info);
    check(info);
    lay_down(a_, n_, n_, n_, out_);
    for (std::int64_t i = 0; i < n_; ++i) std::fill(out_ + i * n_ + i + 1, out_ + (i + 1) * n_, T(0));
  }

  /// The reflectors in a, their factors in spare_.
  void reflect() {
    int info = 0;
    with_work<T>([&](T* work, int size) { geqrf<T>(&m_, &n_, a_, &m_, spare_, work, &size, &info); });
    check(info);
  }

  void qr() {
    reflect();
    const int columns = lapack_int(columns_);
    for (std::int64_t j = 0; j < n_; ++j)
      for (std::int64_t i = 0; i < columns_; ++i)
        out_[(m_ + j) * columns_ + i] = i <= j && i < k_ ? a_[i + j * m_] : T(0);
    std::copy(a_, a_ + static_cast<std::int64_t>(m_) * std::min(n_, columns), work_);
    int info = 0;
    with_work<T>(
        [&](T* work, int size) { orgqr<T>(&m_, &columns, &k_, work_, &m_, spare_, work, &size, &info); });
    check(info);
    lay_down(work_, m_, m_, columns_, out_);
  }

  void qr_factors() {
    reflect();
    lay_down(a_, m_, m_, n_, out_);
    for (std::int64_t j = 0; j < n_; ++j)
      out_[static_cast<std::int64_t>(m_) * columns_ + j] = j < k_ ? spare_[j] : T(0);
  }

  void svd(bool has_vectors) {
    const char* job = has_vectors ? "S" : "N";
    std::vector<double> values(static_cast<std::size_t>(k_));
    std::vector<int> integers(static_cast<std::size_t>(8 * k_));
    T* u = work_;
    T* v = has_vectors ? work_ + static_cast<std::int64_t>(m_) * k_ : work_;
    int info = 0;
    if constexpr (is_complex) {
      const std::int64_t least = std::min(m_, n_), most = std::max(m_, n_);
      const auto wanted =
          has_vectors ? std::max(5 * least * least + 5 * least, 2 * most * least + 2 * least * least + least)
                      : 7 * least;
      WorkMemory<double> reals(static_cast<double>(wanted), task_.ranks_at_once);
      with_work<T>(
          [&](T* work, int size) {
            gesdd<T>(job, &m_, &n_, a_, &m_, values.data(), u, &m_, v, &k_, work, &size, reals.data(),
                     integers.data(), &info);
          },
          reals.bytes());
    } else {
      with_work<T>([&](T* work, int size) {
        gesdd<T>(job, &m_, &n_, a_, &m_, values.data(), u, &m_, v, &k_, work, &size, integers.data(), &info);
      });
    }
    check(info);
    T* row = out_;
    if (has_vectors) {
      lay_down(u, m_, m_, k_, out_);
      row = std::copy(v, v + static_cast<std::int64_t>(k_) * n_, out_ + static_cast<std::int64_t>(m_) * k_);
    }
    std::copy(values.begin(), values.end(), row);
  }

  void least_squares() {
    const int right = lapack_int(task_.right), rows = std::max(m_, n_);
    for (std::int64_t j = right - 1; rows > m_ && j > 0; --j)  // as far apart as the solutions will be
      std::copy_backward(work_ + j * m_, work_ + (j + 1) * m_, work_ + j * rows + m_);
    std::vector<double> values(static_cast<std::size_t>(k_));
    int info = 0, rank = 0, size = -1, integers_size = 0;
    double reals_size = 0;
    T wanted{};
    const auto call = [&](T* work, double* reals, int* integers) {
      if constexpr (is_complex)
        gelsd<T>(&m_, &n_, &right, a_, &m_, work_, &rows, values.data(), &task_.rcond, &rank, work, &size,
                 reals, integers, &info);
      else
        gelsd<T>(&m_, &n_, &right, a_, &m_, work_, &rows, values.data(), &task_.rcond, &rank, work, &size,
                 integers, &info);
    };
    call(&wanted, &reals_size, &integers_size);
    WorkMemory<T> work(std::real(wanted), task_.ranks_at_once);
    WorkMemory<double> reals(reals_size, task_.ranks_at_once, work.bytes());
    std::vector<int> integers(static_cast<std::size_t>(integers_size));
    size = work.size();
    call(work.data(), reals.data(), integers.data());
    check(info);
    lay_down(work_, rows, n_, right, out_);
    T* out = out_ + static_cast<std::int64_t>(n_) * right;
    for (std::int64_t j = 0; j < right; ++j) {
      double squares = 0;
      for (std::int64_t i = n_; rank == n_ && i < m_; ++i) squares += std::norm(work_[i + j * rows]);
      *out++ = T(squares);
    }
    T* const end = out + (k_ + right) / right * static_cast<std::int64_t>(right);
    out = std::copy(values.begin(), values.end(), out);
    *out++ = T(rank);
    std::fill(out, end, T(0));
  }

  void eigh(bool has_vectors) {
    const char* job = has_vectors ? "V" : "N";
    const char* triangle = task_.flag ? "L" : "U";
    std::vector<double> values(static_cast<std::size_t>(n_));
    int info = 0, integers_size = -1, first_integer = 0;
    T first{};
    if constexpr (is_complex) {
      double first_real{};
      int size = -1, reals_size = -1;
      syevd<T>(job, triangle, &n_, a_, &n_, values.data(), &first, &size, &first_real, &reals_size,
               &first_integer, &integers_size, &info);
      WorkMemory<T> work(std::real(first), task_.ranks_at_once);
      WorkMemory<double> reals(first_real, task_.ranks_at_once, work.bytes());
      size = work.size();
      reals_size = reals.size();
      integers_size = first_integer;
      std::vector<int> integers(static_cast<std::size_t>(integers_size));
      syevd<T>(job, triangle, &n_, a_, &n_, values.data(), work.data(), &size, reals.data(), &reals_size,
               integers.data(), &integers_size, &info);
    } else {
      int size = -1;
      syevd<T>(job, triangle, &n_, a_, &n_, values.data(), &first, &size, &first_integer, &integers_size,
               &info);
      WorkMemory<T> work(first, task_.ranks_at_once);
      size = work.size();
      integers_size = first_integer;
      std::vector<int> integers(static_cast<std::size_t>(integers_size));
      syevd<T>(job, triangle, &n_, a_, &n_, values.data(), work.data(), &size, integers.data(),
               &integers_size, &info);
    }
    check(info);
    T* row = out_;
    if (has_vectors) {
      lay_down(a_, n_, n_, n_, out_);
      row += static_cast<std::int64_t>(n_) * n_;
    }
    std::copy(values.begin(), values.end(), row);
  }

  void eig(bool has_vectors) {
    const char* job = has_vectors ? "V" : "N";
    const auto n = static_cast<std::int64_t>(n_);
    int info = 0;
    if constexpr (is_complex) {
      std::vector<double> reals(static_cast<std::size_t>(2 * n));
      with_work<T>([&](T* work, int size) {
        geev<T>("N", job, &n_, a_, &n_, spare_, work_, &n_, work_, &n_, work, &size, reals.data(), &info);
      });
      check(info);
      if (has_vectors) lay_down(work_, n, n, n, out_);
      std::copy(spare_, spare_ + n, out_ + (has_vectors ? n * n : 0));
    } else {
      auto* out = static_cast<Complex*>(task_.out);
      std::vector<double> real(static_cast<std::size_t>(n)), imag(static_cast<std::size_t>(n));
      with_work<T>([&](T* work, int size) {
        geev<T>("N", job, &n_, a_, &n_, real.data(), imag.data(), work_, &n_, work_, &n_, work, &size, &info);
      });
      check(info);
      for (std::int64_t j = 0; j < n && has_vectors;
           ++j) {  // a pair of vectors lies as its real and its imaginary part
        const auto at = static_cast<std::size_t>(j);
        const double* vector = work_ + j * n;
        const bool is_pair = imag[at] != 0 && j + 1 < n;
        for (std::int64_t i = 0; i < n; ++i) {
          out[i * n + j] = Complex(vector[i], is_pair ? vector[i + n] : double(0));
          if (is_pair) out[i * n + j + 1] = Complex(vector[i], -vector[i + n]);
        }
        j += is_pair;
      }
      for (std::int64_t j = 0; j < n; ++j)
        out[(has_vectors ? n * n : 0) + j] =
            Complex(real[static_cast<std::size_t>(j)], imag[static_cast<std::size_t>(j)]);
    }
  }

  /// Calls a routine twice, as LAPACK wants it: first to ask for the best size of its workspace. `beside`: as
  /// for admitted().
  template <class Element, class Call>
  void with_work(Call call, std::size_t beside = 0) {
    Element wanted{};
    call(&wanted, -1);
    WorkMemory<Element> work(std::real(wanted), task_.ranks_at_once, beside);
    call(work.data(), work.size());
  }

  const MatrixTask& task_;
  int m_, n_, k_;
  std::int64_t columns_;
  T *a_, *work_, *spare_, *out_;
};

}  // namespace

int lapack_int(std::int64_t value) {
  if (value > std::numeric_limits<int>::max())
    throw Error(ErrorKind::value, "[linalg] side of a matrix: got " + std::to_string(value) +
                                      ", expected at most 2147483647 elements");
  return static_cast<int>(value);
}

void throw_failure(Linalg routine) {
  switch (routine) {
    case Linalg::cholesky:
      throw Error(ErrorKind::linalg, "Matrix is not positive definite");
    case Linalg::svd:
    case Linalg::svd_values:
      throw Error(ErrorKind::linalg, "SVD did not converge");
    case Linalg::least_squares:
      throw Error(ErrorKind::linalg, "SVD did not converge in Linear Least Squares");
    case Linalg::eigh:
    case Linalg::eigh_values:
    case Linalg::eig:
    case Linalg::eig_values:
      throw Error(ErrorKind::linalg, "Eigenvalues did not converge");
    case Linalg::qr:
    case Linalg::qr_factors:
      throw Error(ErrorKind::linalg, "Incorrect argument found while performing QR factorization");
    case Linalg::solve:
    case Linalg::inverse:
    case Linalg::slogdet:
      break;
  }
  throw Error(ErrorKind::linalg, "Singular matrix");
}

void compute(const MatrixTask& task) {
  if (task.loop == Dtype::float64) return Matrix<double>(task).run();
  return Matrix<Complex>(task).run();
}

}  // namespace gamelan::engine::steps
