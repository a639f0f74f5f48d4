// SPDX-License-Identifier: BSD-3-Clause
// fractal: DistNumPy's Mandelbrot set, counts of turns inside. Four vectors of points at once hide the
// latency of z' = z^2 + c, and a group ends when all its points have left (which NumPy's program cannot say);
// early_exit=0 does the full count of turns. Rows cost unevenly: ranks take bands of rows from one counter
// and write counts into the shared result. Assembly looked at (g++ 12, AVX2): the turn is unrolled over the
// four vectors, all ymm, vmovmskpd for the exit.
#include <algorithm>
#include <atomic>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr int group = 4;
constexpr std::int64_t band_rows = 8;

/// Counts of group * lanes points of one row; `x` are their real parts.
template <bool early_exit>
void count_turns(const double* x, double imaginary, std::int64_t iterations, std::int64_t* out) {
  const Vec y = all(imaginary);
  Vec re[group], im[group];
  Mask counts[group] = {};
  for (int each = 0; each < group; ++each) {
    re[each] = load(x + each * lanes);
    im[each] = y;
  }
  for (std::int64_t turn = 0; turn < iterations; ++turn) {
    Mask alive = {};
    // A point that has left never returns (|z| > 2, |z| >= |c| only grows, to infinity and NaN), so nothing
    // is frozen.
    for (int each = 0; each < group; ++each) {
      const Vec re2 = re[each] * re[each], im2 = im[each] * im[each];
      const Mask inside = re2 + im2 <= 4.0;
      counts[each] -= inside;
      if constexpr (early_exit) alive |= inside;
      im[each] = 2.0 * (re[each] * im[each]) + y;
      re[each] = re2 - im2 + load(x + each * lanes);
    }
    if (early_exit && !any(alive)) break;
  }
  std::memcpy(out, counts, sizeof counts);
}

class Fractal : public Case {
 public:
  Fractal(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 1600)),
        iterations_(parameters.integer("iterations", 50, 0)),
        early_exit_(parameters.integer("early_exit", 1, 0) != 0),
        counts_(Array<std::int64_t>::shared(world, world.block(n_).count() * n_)),
        next_band_(Array<std::int64_t>::shared(world, 8)),
        x_(static_cast<std::size_t>(n_ + group * lanes)) {
    for (std::int64_t j = 0; j < n_; ++j)
      x_[static_cast<std::size_t>(j)] = -2.0 + static_cast<double>(j) * step();
    std::fill_n(counts_.data() + world.block(n_).first * n_, world.block(n_).count() * n_, 0);
  }

  void prepare() override {
    if (world_.rank() == 0) next_band_[0] = 0;
  }

  void run() override {
    const std::atomic_ref next(next_band_[0]);
    for (std::int64_t band; (band = next.fetch_add(1)) * band_rows < n_;) {
      for (std::int64_t row = band * band_rows; row < std::min(n_, (band + 1) * band_rows); ++row)
        count_row(row);
    }
    world_.barrier();
  }

  std::vector<double> result() override {
    const Block mine = world_.block(n_);
    std::vector<double> numbers(2);
    for (std::int64_t row = mine.first; row < mine.last; ++row) {
      for (std::int64_t j = 0; j < n_; ++j) {
        const auto count = static_cast<double>(counts_[row * n_ + j]);
        numbers[0] += count;
        numbers[1] += count * static_cast<double>(j % 1024);
      }
    }
    world_.sum(numbers);
    return {numbers[0], numbers[1], static_cast<double>(counts_[n_ / 2 * n_ + n_ / 3]),
            static_cast<double>(counts_[0])};
  }

 private:
  double step() const { return 2.8 / static_cast<double>(n_); }

  void count_row(std::int64_t row) {
    const auto points = early_exit_ ? count_turns<true> : count_turns<false>;
    const double y = -1.4 + static_cast<double>(row) * step();
    std::int64_t* out = counts_.data() + row * n_;
    std::int64_t j = 0;
    for (; j + group * lanes <= n_; j += group * lanes) points(x_.data() + j, y, iterations_, out + j);
    if (j == n_) return;
    std::int64_t rest[group * lanes];
    points(x_.data() + j, y, iterations_, rest);
    std::copy_n(rest, n_ - j, out + j);
  }

  const World& world_;
  std::int64_t n_, iterations_;
  bool early_exit_;
  Array<std::int64_t> counts_, next_band_;
  std::vector<double> x_;
};

}  // namespace

Made make_fractal(const World& world, const Parameters& parameters) {
  return std::make_unique<Fractal>(world, parameters);
}

}  // namespace gamelan::bench
