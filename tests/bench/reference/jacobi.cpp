// SPDX-License-Identifier: BSD-3-Clause
// jacobi: DistNumPy's Jacobi solver of a dense A x = b by rows, x' = x + (b - sum(A * x, rows)) / diagonal.
// Rows are dealt to the ranks; one iteration reads the matrix once, four rows at a time for each load of x,
// and ends in one allgather of x, from which every rank computes the change itself. Bound by reading the
// matrix. Assembly looked at (g++ 12, AVX2): row_products keeps its eight sums in ymm registers.
#include <cmath>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/planes.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

/// The products of `rows` rows, `pitch` apart, with x; both are padded with zeros to whole lines.
template <int rows>
void row_products(const double* matrix, std::int64_t pitch, const double* x, double* out) {
  Vec partial[rows][2] = {};
  for (std::int64_t j = 0; j + 2 * lanes <= pitch; j += 2 * lanes) {
    const Vec low = load(x + j), high = load(x + j + lanes);
    for (int row = 0; row < rows; ++row) {
      partial[row][0] += load(matrix + row * pitch + j) * low;
      partial[row][1] += load(matrix + row * pitch + j + lanes) * high;
    }
  }
  for (int row = 0; row < rows; ++row) out[row] = sum(partial[row][0] + partial[row][1]);
}

class Jacobi : public Case {
 public:
  Jacobi(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 4096)),
        iterations_(parameters.integer("iterations", 5, 0)),
        pitch_((n_ + 15) / 16 * 16),
        mine_(world.block(n_)),
        matrix_(Array<double>::local(mine_.count() * pitch_)),
        x_(static_cast<std::size_t>(pitch_)),
        following_(static_cast<std::size_t>(pitch_)),
        b_(static_cast<std::size_t>(mine_.count())) {
    for (std::int64_t row = 0; row < mine_.count(); ++row) {
      const std::int64_t i = mine_.first + row;
      for (std::int64_t j = 0; j < pitch_; ++j)
        matrix_[row * pitch_ + j] = j < n_ ? uniform(0, i * n_ + j) : 0.0;
      matrix_[row * pitch_ + i] += static_cast<double>(n_);
      b_[static_cast<std::size_t>(row)] = uniform(1, i);
    }
  }

  void run() override {
    std::fill(x_.begin(), x_.end(), 0.0);
    change_ = 1.0;
    for (std::int64_t iteration = 0; change_ > 1e-300 && iteration < iterations_; ++iteration) {
      std::int64_t row = 0;
      for (; row + 4 <= mine_.count(); row += 4) update<4>(row);
      for (; row < mine_.count(); ++row) update<1>(row);
      world_.share_blocks(following_.data(), n_);
      change_ = 0.0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k)
        change_ = std::max(change_, std::abs(following_[k] - x_[k]));
      x_.swap(following_);
    }
  }

  std::vector<double> result() override {
    double total = 0.0, squares = 0.0;
    for (const double each : x_) total += each, squares += each * each;
    return {change_, total, squares, x_[static_cast<std::size_t>(n_ - 1)]};
  }

 private:
  template <int rows>
  void update(std::int64_t row) {
    double products[rows];
    row_products<rows>(matrix_.data() + row * pitch_, pitch_, x_.data(), products);
    for (int each = 0; each < rows; ++each) {
      const auto local = static_cast<std::size_t>(row + each);
      const std::int64_t i = mine_.first + row + each;
      const double diagonal = matrix_[(row + each) * pitch_ + i];
      following_[static_cast<std::size_t>(i)] =
          x_[static_cast<std::size_t>(i)] + (b_[local] - products[each]) / diagonal;
    }
  }

  const World& world_;
  std::int64_t n_, iterations_, pitch_;
  Block mine_;
  Array<double> matrix_;
  std::vector<double> x_, following_, b_;
  double change_ = 0.0;
};

}  // namespace

Made make_jacobi(const World& world, const Parameters& parameters) {
  return std::make_unique<Jacobi>(world, parameters);
}

}  // namespace gamelan::bench
