// SPDX-License-Identifier: BSD-3-Clause
// laplace, laplace_small (GAiN's) and jacobi_stencil (DistNumPy's): one sweep = one pass that reads the grid,
// writes the other buffer past the caches and folds what changed, two rows at a time. The change is looked at
// in every turn: no blocking over time. In sweeps nobody looks, and there is no change: still one pass a
// sweep.
//   laplace:        u' = (up + down + left + right) / 4, change = sqrt(sum((u' - u)^2))
//   sweeps:         u' = 0.25 (down + up + right + left)
//   jacobi_stencil: u' = 0.2 (u + up + down + left + right), change = sum(|u' - u|)
// Assembly looked at (g++ 12, AVX2): sweep_rows is all ymm, sums in registers, one vmovntpd a vector.
#include <cmath>
#include <utility>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/planes.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

struct Laplace {
  static constexpr bool is_looked_at = true;
  template <typename T>
  static T next(T, T up, T down, T left, T right) {
    return (up + down + left + right) * 0.25;
  }
  static Vec change(Vec difference) { return difference * difference; }
  static double change(double difference) { return difference * difference; }
  static double norm(double total) { return std::sqrt(total); }
  /// u = x^2 - y^2 on the boundary of the unit square, columns over rows; 0 inside.
  static double start(std::int64_t row, std::int64_t column, std::int64_t n) {
    const double x = static_cast<double>(row) / static_cast<double>(n - 1);
    const double y = static_cast<double>(column) / static_cast<double>(n - 1);
    if (column == 0) return x * x;
    if (column == n - 1) return x * x - 1.0;
    return row == 0 ? 0.0 - y * y : row == n - 1 ? 1.0 - y * y : 0.0;
  }
  static double fingerprint(double u) { return u * u; }
  static std::int64_t probe(std::int64_t n) { return n / 2; }
};

struct Sweeps : Laplace {
  static constexpr bool is_looked_at = false;
  template <typename T>
  static T next(T, T up, T down, T left, T right) {
    return (down + up + right + left) * 0.25;
  }
};

struct JacobiStencil {
  static constexpr bool is_looked_at = true;
  template <typename T>
  static T next(T centre, T up, T down, T left, T right) {
    return (centre + up + down + left + right) * 0.2;
  }
  static Vec change(Vec difference) { return absolute(difference); }
  static double change(double difference) { return std::abs(difference); }
  static double norm(double total) { return total; }
  static double start(std::int64_t row, std::int64_t column, std::int64_t n) {
    if (row == 0) return 40.0;
    return row == n - 1 || column == 0 || column == n - 1 ? 0.0 : uniform(0, row * n + column);
  }
  static double fingerprint(double u) { return u; }
  static std::int64_t probe(std::int64_t) { return 1; }
};

/// Columns [1, n-1) of `count` rows at once, which lie between from[0] and from[count + 1]; gives the sum of
/// their changes. Two rows share what they load, and keep two streams from memory under way. Rows are
/// aligned; `to` is in another buffer.
template <typename Rule, bool streaming, int count>
double sweep_rows(const double* const* from, double* const* to, std::int64_t n) {
  // Copies that no store can change, or each store would have the pointers loaded again.
  const double* rows[count + 2];
  double* out[count];
  for (int r = 0; r < count + 2; ++r) rows[r] = from[r];
  for (int r = 0; r < count; ++r) out[r] = to[r];
  double total = 0.0;
  const auto one = [&](std::int64_t j) {
    for (int r = 0; r < count; ++r) {
      const double* row = rows[r + 1];
      out[r][j] = Rule::next(row[j], rows[r][j], rows[r + 2][j], row[j - 1], row[j + 1]);
      if constexpr (Rule::is_looked_at) total += Rule::change(out[r][j] - row[j]);
    }
  };
  Vec changes[count][2] = {};
  const auto many = [&](std::int64_t j, int chain) {
    Vec centre[count + 2];
    for (int r = 0; r < count + 2; ++r) centre[r] = load(rows[r] + j);
    for (int r = 0; r < count; ++r) {
      const double* row = rows[r + 1];
      const Vec next =
          Rule::next(centre[r + 1], centre[r], centre[r + 2], load(row + j - 1), load(row + j + 1));
      if constexpr (Rule::is_looked_at) changes[r][chain] += Rule::change(next - centre[r + 1]);
      put<streaming>(out[r] + j, next);
    }
  };
  std::int64_t j = 1;
  for (; j < std::min(lanes, n - 1); ++j) one(j);
  for (; j + 2 * lanes < n; j += 2 * lanes) {
    many(j, 0);
    many(j + lanes, 1);
  }
  for (; j < n - 1; ++j) one(j);
  for (int r = 0; r < count; ++r) total += sum(changes[r][0] + changes[r][1]);
  return total;
}

template <typename Rule>
class Stencil : public Case {
 public:
  Stencil(const World& world, const Parameters& parameters, std::int64_t n, std::int64_t sweeps)
      : world_(world),
        n_(parameters.integer("n", n, 3)),
        sweeps_(parameters.integer("sweeps", sweeps, 0)),
        planes_(world, parameters, n_, n_, false, 2),
        is_streaming_(world.is_large(2 * 8 * n_ * n_)) {}

  void prepare() override {
    for (int buffer = 0; buffer < 2; ++buffer) {
      for (std::int64_t row = planes_.block().first; row < planes_.block().last; ++row) {
        for (std::int64_t column = 0; column < n_; ++column)
          planes_.plane(buffer, row)[column] = Rule::start(row, column, n_);
      }
    }
    now_ = 0;
  }

  void run() override {
    change_ = 1.0;
    for (std::int64_t sweep = 0; (change_ > 1e-16 || !Rule::is_looked_at) && sweep < sweeps_; ++sweep) {
      const Block mine = planes_.block();
      planes_.start(now_);
      double total = rows({mine.first + 1, mine.last - 1});
      planes_.finish();
      total += rows({mine.first, std::min(mine.last, mine.first + 1)});
      total += rows({std::max(mine.first + 1, mine.last - 1), mine.last});
      if constexpr (Rule::is_looked_at) change_ = Rule::norm(world_.sum(total));
      now_ = 1 - now_;
    }
  }

  std::vector<double> result() override {
    std::vector<double> numbers(3);
    for (std::int64_t row = planes_.block().first; row < planes_.block().last; ++row) {
      const double* u = planes_.plane(now_, row);
      for (std::int64_t column = 0; column < n_; ++column) numbers[0] += Rule::fingerprint(u[column]);
      if (row == 1) numbers[1] = u[Rule::probe(n_)];
      if (row == n_ - 2) numbers[2] = u[n_ / 3];
    }
    world_.sum(numbers);
    if constexpr (!Rule::is_looked_at) return numbers;
    return {change_, numbers[0], numbers[1], numbers[2]};
  }

 private:
  double rows(Block which) { return is_streaming_ ? rows<true>(which) : rows<false>(which); }

  template <bool streaming>
  double rows(Block which) {
    const std::int64_t last = std::min(which.last, n_ - 1);
    std::int64_t row = std::max<std::int64_t>(which.first, 1);
    double total = 0.0;
    for (; row + 2 <= last; row += 2) total += rows_at<streaming, 2>(row);
    for (; row < last; ++row) total += rows_at<streaming, 1>(row);
    return total;
  }

  template <bool streaming, int count>
  double rows_at(std::int64_t row) {
    const double* from[count + 2];
    double* to[count];
    for (int r = 0; r < count + 2; ++r) from[r] = planes_.plane(now_, row - 1 + r);
    for (int r = 0; r < count; ++r) to[r] = planes_.plane(1 - now_, row + r);
    if (row == planes_.block().first) from[0] = planes_.before(now_);
    if (row + count == planes_.block().last) from[count + 1] = planes_.after(now_);
    return sweep_rows<Rule, streaming, count>(from, to, n_);
  }

  const World& world_;
  std::int64_t n_, sweeps_;
  Planes planes_;
  bool is_streaming_;
  int now_ = 0;
  double change_ = 0.0;
};

}  // namespace

Made make_laplace(const World& world, const Parameters& parameters) {
  return std::make_unique<Stencil<Laplace>>(world, parameters, 4096, 5);
}

Made make_laplace_small(const World& world, const Parameters& parameters) {
  return std::make_unique<Stencil<Laplace>>(world, parameters, 700, 100);
}

Made make_sweeps(const World& world, const Parameters& parameters) {
  return std::make_unique<Stencil<Sweeps>>(world, parameters, 4096, 50);
}

Made make_jacobi_stencil(const World& world, const Parameters& parameters) {
  return std::make_unique<Stencil<JacobiStencil>>(world, parameters, 4096, 10);
}

}  // namespace gamelan::bench
