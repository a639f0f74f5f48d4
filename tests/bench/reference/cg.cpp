// SPDX-License-Identifier: BSD-3-Clause
// cg: conjugate gradients on the five-point Laplacian, matrix-free, in two passes an iteration: p = r + beta
// p with p.Ap, then x, r and r.r with Ap computed again, which is cheaper than storing it. p is updated in
// place, edge rows first, so that the neighbours can read them while the interior is under way. Assembly
// looked at (g++ 12, AVX2): update, product and descend are all ymm, sums in registers.
#include <algorithm>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/planes.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr std::int64_t margin = 8;  // zeros around the cells of a row of p, and cells stay aligned

struct Rows {
  const double *up, *here, *down;
};

/// Four times the centre less the four neighbours.
inline Vec laplacian(const Rows& p, std::int64_t j) {
  return 4.0 * load(p.here + j) - load(p.up + j) - load(p.down + j) - load(p.here + j - 1) -
         load(p.here + j + 1);
}

class Cg : public Case {
 public:
  Cg(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 2048)),
        iterations_(parameters.integer("iterations", 20, 0)),
        pitch_(whole_lines(n_)),
        p_(world, parameters, n_, pitch_ + 2 * margin, false, 1),
        mine_(p_.block()),
        zeros_(static_cast<std::size_t>(pitch_ + 2 * margin)) {
    for (Array<double>* each : {&b_, &r_, &x_}) {
      *each = Array<double>::local(mine_.count() * pitch_);
      std::fill_n(each->data(), mine_.count() * pitch_, 0.0);
    }
    for (std::int64_t i = mine_.first; i < mine_.last; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) local(b_, i)[j] = uniform(0, i * n_ + j);
    }
  }

  void prepare() override {
    for (std::int64_t i = mine_.first; i < mine_.last; ++i)
      std::fill_n(p_.plane(0, i), pitch_ + 2 * margin, 0.0);
  }

  void run() override {
    Vec squares = {};
    for (std::int64_t k = 0; k < mine_.count() * pitch_; k += lanes)
      squares += load(b_.data() + k) * load(b_.data() + k);
    rr_ = world_.sum(sum(squares));
    if (iterations_ == 0) std::fill_n(x_.data(), mine_.count() * pitch_, 0.0);
    double beta = 0.0;
    for (std::int64_t iteration = 0; iteration < iterations_; ++iteration) {
      // The first iteration has x = 0 and r = b, and copies neither.
      const Array<double>& r = iteration == 0 ? b_ : r_;
      const double alpha = rr_ / world_.sum(turn_direction(r, beta));
      const double following =
          world_.sum(iteration == 0 ? descend<true>(r, alpha) : descend<false>(r, alpha));
      beta = following / rr_;
      rr_ = following;
    }
  }

  std::vector<double> result() override {
    std::vector<double> numbers(3);
    for (std::int64_t i = mine_.first; i < mine_.last; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) {
        numbers[0] += local(x_, i)[j];
        numbers[1] += local(x_, i)[j] * local(x_, i)[j];
      }
      if (i == n_ / 2) numbers[2] = local(x_, i)[n_ / 3];
    }
    world_.sum(numbers);
    return {rr_, numbers[0], numbers[1], numbers[2]};
  }

 private:
  double* local(const Array<double>& array, std::int64_t i) const {
    return array.data() + (i - mine_.first) * pitch_;
  }
  double* p_row(std::int64_t i) const { return p_.plane(0, i) + margin; }

  Rows around(std::int64_t i) const {
    const double* up = i == mine_.first ? p_.before(0) : p_.plane(0, i - 1);
    const double* down = i + 1 == mine_.last ? p_.after(0) : p_.plane(0, i + 1);
    return {(up ? up : zeros_.data()) + margin, p_row(i), (down ? down : zeros_.data()) + margin};
  }

  void update(const Array<double>& r, std::int64_t i, double beta) {
    double* p = p_row(i);
    const double* from = local(r, i);
    for (std::int64_t j = 0; j < pitch_; j += lanes) store(p + j, load(from + j) + beta * load(p + j));
  }

  double product(std::int64_t i) const {
    const Rows p = around(i);
    Vec total = {};
    for (std::int64_t j = 0; j < pitch_; j += lanes) total += load(p.here + j) * laplacian(p, j);
    return sum(total);
  }

  /// p = r + beta p; gives this rank's p.Ap. A row's product follows while its three rows are in cache.
  double turn_direction(const Array<double>& r, double beta) {
    if (mine_.count() == 0) return 0.0;
    update(r, mine_.first, beta);
    if (mine_.count() > 1) update(r, mine_.last - 1, beta);
    p_.start(0);
    double total = 0.0;
    if (mine_.count() > 2) update(r, mine_.first + 1, beta);
    for (std::int64_t i = mine_.first + 1; i < mine_.last - 1; ++i) {
      if (i + 1 < mine_.last - 1) update(r, i + 1, beta);
      total += product(i);
    }
    p_.finish();
    total += product(mine_.first);
    if (mine_.count() > 1) total += product(mine_.last - 1);
    return total;
  }

  /// x += alpha p, r_ = r - alpha Ap; gives this rank's r.r.
  template <bool is_first>
  double descend(const Array<double>& r, double alpha) {
    Vec total = {};
    for (std::int64_t i = mine_.first; i < mine_.last; ++i) {
      const Rows p = around(i);
      const double* from = local(r, i);
      double *to = local(r_, i), *x = local(x_, i);
      for (std::int64_t j = 0; j < pitch_; j += lanes) {
        const Vec step = alpha * load(p.here + j);
        store(x + j, is_first ? step : load(x + j) + step);
        // Beyond n the padding of p is not the grid's: r stays zero there only if it is not touched by a
        // neighbour's value.
        const Vec rest = load(from + j) - alpha * laplacian(p, j);
        store(to + j, rest);
        total += rest * rest;
      }
      if (n_ < pitch_) total -= clear_padding(to);
    }
    return sum(total);
  }

  /// Zeroes r beyond column n, where the Laplacian saw the last cell; gives what its squares had added.
  Vec clear_padding(double* r) const {
    Vec squares = {};
    for (std::int64_t j = n_; j < pitch_; ++j) {
      squares[0] += r[j] * r[j];
      r[j] = 0.0;
    }
    return squares;
  }

  const World& world_;
  std::int64_t n_, iterations_, pitch_;
  Planes p_;
  Block mine_;
  std::vector<double> zeros_;
  Array<double> b_, r_, x_;
  double rr_ = 0.0;
};

}  // namespace

Made make_cg(const World& world, const Parameters& parameters) {
  return std::make_unique<Cg>(world, parameters);
}

}  // namespace gamelan::bench
