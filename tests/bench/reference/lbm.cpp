// SPDX-License-Identifier: BSD-3-Clause
// lbm2d (D2Q9) and lbm3d (D3Q19): one step = one pass that pulls the populations from the neighbours' cells,
// collides (BGK) and writes the other buffer. A plane of the outermost axis holds all its populations, so a
// halo is one contiguous piece.
//   rho = sum f_i; u = sum c_i f_i / rho; cu = 3 c_i.u; f_i <- (1-omega) f_i + omega w_i rho (1 + cu + cu^2/2
//   - 1.5 u.u); periodic
// Assembly looked at (g++ 12, AVX2): all ymm, 91 operations a vector (D3Q19: 183, with 14 spills), one
// vmovntpd a population. Staging the stores in the first cache, or storing through the caches, was no faster
// on one rank.
#include <algorithm>
#include <array>
#include <utility>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/planes.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr double omega = 1.2;
constexpr std::int64_t margin =
    8;  // before the cells of a row: its last double is the ghost, and cells stay aligned

/// A velocity and its weight; `outer` is the axis of the planes, `inner` that of a plane's rows (2-D has one
/// row a plane).
struct Velocity {
  int x, inner, outer;
  double weight;
};

// Both lists begin with rest, then come pairs of opposites; `order` says which population of the definition
// is which.
struct D2Q9 {
  static constexpr int count = 9;
  static constexpr double a = 4.0 / 9, b = 1.0 / 9, c = 1.0 / 36;
  static constexpr std::array<Velocity, 9> velocities = {{{0, 0, 0, a},
                                                          {1, 0, 0, b},
                                                          {-1, 0, 0, b},
                                                          {0, 0, 1, b},
                                                          {0, 0, -1, b},
                                                          {1, 0, 1, c},
                                                          {-1, 0, -1, c},
                                                          {-1, 0, 1, c},
                                                          {1, 0, -1, c}}};
  static constexpr std::array<int, 9> order = {0, 1, 3, 2, 4, 5, 7, 6, 8};
};

struct D3Q19 {
  static constexpr int count = 19;
  static constexpr double a = 1.0 / 3, b = 1.0 / 18, c = 1.0 / 36;
  static constexpr std::array<Velocity, 19> velocities = {{{0, 0, 0, a},
                                                           {1, 0, 0, b},
                                                           {-1, 0, 0, b},
                                                           {0, 1, 0, b},
                                                           {0, -1, 0, b},
                                                           {0, 0, 1, b},
                                                           {0, 0, -1, b},
                                                           {1, 1, 0, c},
                                                           {-1, -1, 0, c},
                                                           {1, -1, 0, c},
                                                           {-1, 1, 0, c},
                                                           {1, 0, 1, c},
                                                           {-1, 0, -1, c},
                                                           {1, 0, -1, c},
                                                           {-1, 0, 1, c},
                                                           {0, 1, 1, c},
                                                           {0, -1, -1, c},
                                                           {0, 1, -1, c},
                                                           {0, -1, 1, c}}};
  static constexpr std::array<int, 19> order = {0,  1,  2,  3,  4,  5,  6,  7,  8, 9,
                                                10, 11, 12, 13, 14, 15, 16, 17, 18};
};

/// f(integral constants 0..count-1): a loop whose index is known to the compiler.
template <int count, typename F>
inline __attribute__((always_inline)) void unrolled(F f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

template <int direction>
inline void add(Vec& total, Vec value) {
  if constexpr (direction > 0) total += value;
  if constexpr (direction < 0) total -= value;
}

/// One row of `cells`, which may run over into the padding; `from` are already shifted by the velocities.
template <typename Lattice, bool streaming>
void collide_row(const double* const* from, double* const* to, std::int64_t cells) {
  for (std::int64_t x = 0; x < cells; x += lanes) {
    Vec f[Lattice::count];
    Vec rho = {}, ux = {}, uy = {}, uz = {};
    unrolled<Lattice::count>([&](auto i) __attribute__((always_inline)) {
      constexpr Velocity c = Lattice::velocities[i];
      f[i] = load(from[i] + x);
      rho += f[i];
      add<c.x>(ux, f[i]);
      add<c.inner>(uy, f[i]);
      add<c.outer>(uz, f[i]);
    });
    const Vec per_mass = 1.0 / rho;
    ux *= per_mass;
    uy *= per_mass;
    uz *= per_mass;
    const Vec rest = 1.0 - 1.5 * (ux * ux + uy * uy + uz * uz);
    put<streaming>(to[0] + x, (1.0 - omega) * f[0] + (omega * Lattice::velocities[0].weight) * rho * rest);
    unrolled<Lattice::count / 2>([&](auto pair) __attribute__((always_inline)) {
      constexpr int forth = 2 * pair + 1, back = forth + 1;
      constexpr Velocity c = Lattice::velocities[forth];
      Vec cu = {};
      add<c.x>(cu, ux);
      add<c.inner>(cu, uy);
      add<c.outer>(cu, uz);
      cu *= 3.0;
      const Vec even = rest + 0.5 * cu * cu, mass = (omega * c.weight) * rho;
      put<streaming>(to[forth] + x, (1.0 - omega) * f[forth] + mass * (even + cu));
      put<streaming>(to[back] + x, (1.0 - omega) * f[back] + mass * (even - cu));
    });
  }
}

template <typename Lattice>
class Lbm : public Case {
 public:
  static constexpr int count = Lattice::count;

  Lbm(const World& world, const Parameters& parameters, std::int64_t n, std::int64_t steps, bool is_3d)
      : world_(world),
        n_(parameters.integer("n", n)),
        steps_(parameters.integer("steps", steps, 0)),
        rows_(is_3d ? n_ : 1),
        pitch_(whole_lines(n_) + 2 * margin),
        planes_(world, parameters, n_, count * rows_ * pitch_, true, 2),
        is_streaming_(world.is_large(2 * 8 * count * n_ * rows_ * n_)) {}

  void prepare() override {
    now_ = 0;
    for (std::int64_t z = planes_.block().first; z < planes_.block().last; ++z) {
      for (int buffer = 0; buffer < 2; ++buffer)
        std::fill_n(planes_.plane(buffer, z), count * rows_ * pitch_, 0.0);
      for (int i = 0; i < count; ++i) {
        const std::int64_t cells_before =
            ((Lattice::order[static_cast<std::size_t>(i)] * n_ + z) * rows_) * n_;
        for (std::int64_t y = 0; y < rows_; ++y) {
          double* cells = row(planes_.plane(0, z), i, y);
          for (std::int64_t x = 0; x < n_; ++x) {
            cells[x] = Lattice::velocities[static_cast<std::size_t>(i)].weight *
                       (1.0 + 0.1 * uniform(0, cells_before + y * n_ + x));
          }
        }
      }
    }
  }

  void run() override {
    const Block mine = planes_.block();
    for (std::int64_t step = 0; step < steps_ && mine.count() > 0; ++step) {
      wrap(mine.first);
      if (mine.count() > 1) wrap(mine.last - 1);
      planes_.start(now_);
      if (mine.count() > 2) wrap(mine.first + 1);
      for (std::int64_t z = mine.first + 1; z < mine.last - 1; ++z) {
        if (z + 1 < mine.last - 1) wrap(z + 1);
        advance(z);
      }
      planes_.finish();
      advance(mine.first);
      if (mine.count() > 1) advance(mine.last - 1);
      now_ = 1 - now_;
    }
    fence();
    world_.barrier();
  }

  std::vector<double> result() override {
    now_ = static_cast<int>(steps_ % 2);
    std::vector<double> numbers(4);
    for (std::int64_t z = planes_.block().first; z < planes_.block().last; ++z) {
      for (int i = 0; i < count; ++i) {
        for (std::int64_t y = 0; y < rows_; ++y) {
          const double* cells = row(planes_.plane(now_, z), i, y);
          for (std::int64_t x = 0; x < n_; ++x) {
            numbers[0] += cells[x];
            numbers[1] += cells[x] * cells[x];
          }
        }
      }
      // The definition's f[1, 1, 1] and f[8, n, n / 2 + 1], in 3-D f[1, 1, 1, 1] and f[18, n, n / 2 + 1, n],
      // ghosts counted.
      if (z == 0) numbers[2] = row(planes_.plane(now_, z), 1, 0)[0];
      if (z == n_ - 1) {
        numbers[3] = rows_ == 1 ? row(planes_.plane(now_, z), count - 1, 0)[n_ / 2]
                                : row(planes_.plane(now_, z), count - 1, n_ / 2)[n_ - 1];
      }
    }
    world_.sum(numbers);
    return numbers;
  }

 private:
  template <typename T>
  T* row(T* plane, int population, std::int64_t y) const {
    return plane + (population * rows_ + y) * pitch_ + margin;
  }

  /// Fills the ghosts at both ends of all rows of a plane, just before its cells are read anyway.
  void wrap(std::int64_t z) {
    for (int i = 0; i < count; ++i) {
      for (std::int64_t y = 0; y < rows_; ++y) {
        double* cells = row(planes_.plane(now_, z), i, y);
        cells[-1] = cells[n_ - 1];
        cells[n_] = cells[0];
      }
    }
  }

  void advance(std::int64_t z) {
    const Block mine = planes_.block();
    const double* around[3] = {z == mine.first ? planes_.before(now_) : planes_.plane(now_, z - 1),
                               planes_.plane(now_, z),
                               z + 1 == mine.last ? planes_.after(now_) : planes_.plane(now_, z + 1)};
    for (std::int64_t y = 0; y < rows_; ++y) {
      const double* from[count];
      double* to[count];
      for (int i = 0; i < count; ++i) {
        const Velocity& c = Lattice::velocities[static_cast<std::size_t>(i)];
        from[i] = row(around[1 - c.outer], i, (y - c.inner + rows_) % rows_) - c.x;
        to[i] = row(planes_.plane(1 - now_, z), i, y);
      }
      is_streaming_ ? collide_row<Lattice, true>(from, to, n_) : collide_row<Lattice, false>(from, to, n_);
    }
  }

  const World& world_;
  std::int64_t n_, steps_, rows_, pitch_;
  Planes planes_;
  bool is_streaming_;
  int now_ = 0;
};

}  // namespace

Made make_lbm2d(const World& world, const Parameters& parameters) {
  return std::make_unique<Lbm<D2Q9>>(world, parameters, 1024, 5, false);
}

Made make_lbm3d(const World& world, const Parameters& parameters) {
  return std::make_unique<Lbm<D3Q19>>(world, parameters, 100, 3, true);
}

}  // namespace gamelan::bench
