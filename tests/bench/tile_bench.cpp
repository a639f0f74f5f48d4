// SPDX-License-Identifier: BSD-3-Clause
// The tile interpreter against the same computation written by hand in C++ (AVX2, libmvec): ratio of times on
// one core, median of interleaved runs. Not a test: prints a table. `tile_bench [name]` runs the cases whose
// name contains it.
#include <immintrin.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/tile_runner.hpp"

extern "C" __m256d _ZGVdN4v_exp(__m256d);
extern "C" __m256d _ZGVdN4v_log(__m256d);

namespace {

using namespace gamelan;
using namespace gamelan::engine::tiles;
using protocol::Dtype;
using protocol::Op;
using Kind = Instruction::Kind;

/// Writes float64 programs; every call gives the register that holds its result.
class Writer {
 public:
  explicit Writer(Dtype dtype = Dtype::float64) : dtype_(dtype) {}
  int load(int operand) { return add({.kind = Kind::load, .loop = dtype_, .operand = operand}, dtype_); }
  int constant(double value) {
    protocol::Scalar scalar{.dtype = Dtype::float64};
    std::memcpy(scalar.bytes.data(), &value, sizeof value);
    return add({.kind = Kind::constant, .loop = dtype_, .scalar = scalar}, dtype_);
  }
  int operator()(Op op, int x, int y = -1, int z = -1) {
    return add({.kind = Kind::compute, .op = op, .loop = dtype_, .in = {x, y, z}}, result_dtype(op, dtype_));
  }
  void store(int in, int operand) {
    program_.code.push_back({.kind = Kind::store, .in = {in, -1, -1}, .operand = operand});
  }
  Program finish(std::size_t operands) {
    program_.operands.assign(operands, dtype_);
    return program_;
  }

 private:
  int add(Instruction instruction, Dtype result) {
    instruction.out = static_cast<int>(program_.registers.size());
    program_.registers.push_back(result);
    program_.code.push_back(instruction);
    return instruction.out;
  }
  Dtype dtype_;
  Program program_;
};

/// Processor time of this thread, so that a busy machine disturbs less.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds(const std::function<void()>& work, int repeats) {
  const double start = processor_seconds();
  for (int k = 0; k < repeats; ++k) work();
  return (processor_seconds() - start) / repeats;
}

void report(const std::string& name, double elements, const std::function<void()>& hand,
            const std::function<void()>& tile) {
  hand(), tile();
  const int repeats = std::max(1, static_cast<int>(0.01 / std::max(1e-9, seconds(tile, 1))));
  std::vector<double> hands, tiles, ratios;
  for (int k = 0; k < 15; ++k) {
    hands.push_back(seconds(hand, repeats));
    tiles.push_back(seconds(tile, repeats));
    ratios.push_back(tiles.back() / hands.back());
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + 7, values.end());
    return values[7];
  };
  std::printf("%-28s hand %8.3f ns/el   tile %8.3f ns/el   ratio %5.2f\n", name.c_str(),
              median(hands) * 1e9 / elements, median(tiles) * 1e9 / elements, median(ratios));
  std::fflush(stdout);
}

template <class T>
std::byte* bytes(T* values) {
  return reinterpret_cast<std::byte*>(values);
}

template <class T>
void axpy(const std::string& name, std::int64_t n, Dtype dtype) {
  std::vector<T> a(static_cast<std::size_t>(n), T(1.5)), b(a.size(), T(0.25)), by_hand(a.size()),
      by_tile(a.size());
  Writer w(dtype);
  w.store(w(Op::add, w.load(0), w(Op::multiply, w.constant(3), w.load(1))), 2);
  Runner runner(w.finish(3));
  const std::int64_t extents[] = {n}, first[] = {0}, strides[] = {static_cast<std::int64_t>(sizeof(T))};
  const Pointer operands[] = {
      {bytes(a.data()), strides}, {bytes(b.data()), strides}, {bytes(by_tile.data()), strides}};
  report(
      name, static_cast<double>(n),
      [&] {
        const T *x = a.data(), *y = b.data();
        T* out = by_hand.data();
#pragma GCC ivdep
        for (std::int64_t j = 0; j < n; ++j) out[j] = x[j] + T(3) * y[j];
      },
      [&] {
        runner.run({extents, first, extents, operands});
      });
  if (by_hand != by_tile) std::printf("  results differ\n");
}

void laplace(const std::string& name, std::int64_t side) {
  const std::int64_t inner = side - 2;
  std::vector<double> grid(static_cast<std::size_t>(side * side)), by_hand(grid.size()), by_tile(grid.size());
  for (std::size_t k = 0; k < grid.size(); ++k) grid[k] = static_cast<double>(k % 97);
  Writer w;
  const int up = w.load(0), down = w.load(1), left = w.load(2), right = w.load(3);
  const int vertical = w(Op::add, up, down), sum = w(Op::add, w(Op::add, vertical, left), right);
  w.store(w(Op::multiply, sum, w.constant(0.25)), 4);
  Runner runner(w.finish(5));
  const std::int64_t extents[] = {inner, inner}, first[] = {0, 0}, strides[] = {side * 8, 8};
  const auto at = [&](std::vector<double>& from, std::int64_t row, std::int64_t column) {
    return Pointer{bytes(&from[static_cast<std::size_t>(row * side + column)]), strides};
  };
  const Pointer operands[] = {at(grid, 0, 1), at(grid, 2, 1), at(grid, 1, 0), at(grid, 1, 2),
                              at(by_tile, 1, 1)};
  report(
      name, static_cast<double>(inner * inner),
      [&] {
        for (std::int64_t i = 1; i + 1 < side; ++i) {
          const double* row = grid.data() + i * side;
          double* out = by_hand.data() + i * side;
#pragma GCC ivdep
          for (std::int64_t j = 1; j + 1 < side; ++j) {
            out[j] = (row[j - side] + row[j + side] + row[j - 1] + row[j + 1]) * 0.25;
          }
        }
      },
      [&] {
        runner.run({extents, first, extents, operands});
      });
  if (by_hand != by_tile) std::printf("  results differ\n");
}

/// Call and put prices; the normal distribution by the logistic approximation 1 / (1 + exp(-1.702 x)).
void black_scholes(const std::string& name, std::int64_t n) {
  std::vector<double> spot(static_cast<std::size_t>(n)), strike(spot.size()), time(spot.size());
  std::vector<double> call_hand(spot.size()), put_hand(spot.size()), call_tile(spot.size()),
      put_tile(spot.size());
  for (std::size_t k = 0; k < spot.size(); ++k) {
    spot[k] = 50 + static_cast<double>(k % 101);
    strike[k] = 60 + static_cast<double>(k % 83);
    time[k] = 0.25 + static_cast<double>(k % 17) / 8;
  }
  constexpr double rate = 0.03, volatility = 0.3;
  Writer w;
  const int s = w.load(0), x = w.load(1), t = w.load(2), one = w.constant(1);
  const int drift = w.constant(rate + volatility * volatility / 2);
  const int spread = w(Op::multiply, w(Op::sqrt, t), w.constant(volatility));
  const int d1 =
      w(Op::divide, w(Op::add, w(Op::log, w(Op::divide, s, x)), w(Op::multiply, t, drift)), spread);
  const int d2 = w(Op::subtract, d1, spread);
  const auto normal = [&](int d) {
    return w(Op::divide, one, w(Op::add, w(Op::exp, w(Op::multiply, d, w.constant(-1.702))), one));
  };
  const int n1 = normal(d1), n2 = normal(d2);
  const int discounted = w(Op::multiply, x, w(Op::exp, w(Op::multiply, t, w.constant(-rate))));
  w.store(w(Op::subtract, w(Op::multiply, s, n1), w(Op::multiply, discounted, n2)), 3);
  w.store(w(Op::subtract, w(Op::multiply, discounted, w(Op::subtract, one, n2)),
            w(Op::multiply, s, w(Op::subtract, one, n1))),
          4);
  Runner runner(w.finish(5));
  const std::int64_t extents[] = {n}, first[] = {0}, strides[] = {8};
  const Pointer operands[] = {{bytes(spot.data()), strides},
                              {bytes(strike.data()), strides},
                              {bytes(time.data()), strides},
                              {bytes(call_tile.data()), strides},
                              {bytes(put_tile.data()), strides}};
  report(
      name, static_cast<double>(n),
      [&] {
        const __m256d ones = _mm256_set1_pd(1);
        const auto logistic = [&](__m256d d) {
          return ones / (_ZGVdN4v_exp(d * _mm256_set1_pd(-1.702)) + ones);
        };
        for (std::size_t j = 0; j + 4 <= spot.size(); j += 4) {
          const __m256d vs = _mm256_loadu_pd(&spot[j]), vx = _mm256_loadu_pd(&strike[j]),
                        vt = _mm256_loadu_pd(&time[j]);
          const __m256d width = _mm256_sqrt_pd(vt) * _mm256_set1_pd(volatility);
          const __m256d v1 =
              (_ZGVdN4v_log(vs / vx) + vt * _mm256_set1_pd(rate + volatility * volatility / 2)) / width;
          const __m256d p1 = logistic(v1), p2 = logistic(v1 - width);
          const __m256d later = vx * _ZGVdN4v_exp(vt * _mm256_set1_pd(-rate));
          _mm256_storeu_pd(&call_hand[j], vs * p1 - later * p2);
          _mm256_storeu_pd(&put_hand[j], later * (ones - p2) - vs * (ones - p1));
        }
      },
      [&] {
        runner.run({extents, first, extents, operands});
      });
  if (call_hand != call_tile || put_hand != put_tile) std::printf("  results differ\n");
}

/// Rows of three: the shape of a list of points.
void points(const std::string& name, std::int64_t rows) {
  std::vector<double> a(static_cast<std::size_t>(rows * 3), 1.5), shift{1, 2, 3}, by_hand(a.size()),
      by_tile(a.size());
  Writer w;
  w.store(w(Op::add, w.load(0), w.load(1)), 2);
  Runner runner(w.finish(3));
  const std::int64_t extents[] = {rows, 3}, first[] = {0, 0}, strides[] = {24, 8}, repeated[] = {0, 8};
  const Pointer operands[] = {
      {bytes(a.data()), strides}, {bytes(shift.data()), repeated}, {bytes(by_tile.data()), strides}};
  report(
      name, static_cast<double>(rows * 3),
      [&] {
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < 3; ++j) {
            const auto at = static_cast<std::size_t>(i * 3 + j);
            by_hand[at] = a[at] + shift[static_cast<std::size_t>(j)];
          }
        }
      },
      [&] {
        runner.run({extents, first, extents, operands});
      });
  if (by_hand != by_tile) std::printf("  results differ\n");
}

/// b = a + a.T, by hand in blocks.
void transpose(const std::string& name, std::int64_t side) {
  std::vector<double> a(static_cast<std::size_t>(side * side)), by_hand(a.size()), by_tile(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<double>(k % 1013);
  Writer w;
  w.store(w(Op::add, w.load(0), w.load(1)), 2);
  Runner runner(w.finish(3));
  const std::int64_t extents[] = {side, side}, first[] = {0, 0}, strides[] = {side * 8, 8},
                     flipped[] = {8, side * 8};
  const Pointer operands[] = {
      {bytes(a.data()), strides}, {bytes(a.data()), flipped}, {bytes(by_tile.data()), strides}};
  report(
      name, static_cast<double>(side * side),
      [&] {
        for (std::int64_t i = 0; i < side; i += 32) {
          for (std::int64_t j = 0; j < side; j += 32) {
            for (std::int64_t k = i; k < std::min(side, i + 32); ++k) {
              for (std::int64_t l = j; l < std::min(side, j + 32); ++l) {
                by_hand[static_cast<std::size_t>(k * side + l)] =
                    a[static_cast<std::size_t>(k * side + l)] + a[static_cast<std::size_t>(l * side + k)];
              }
            }
          }
        }
      },
      [&] {
        runner.run({extents, first, extents, operands});
      });
  if (by_hand != by_tile) std::printf("  results differ\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string wanted = count > 1 ? arguments[1] : "";
  const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> cases{
      {"a+3b float64 48 Ki (L2)",
       [](const std::string& name) { axpy<double>(name, 48 << 10, Dtype::float64); }},
      {"a+3b float64 16 Mi", [](const std::string& name) { axpy<double>(name, 16 << 20, Dtype::float64); }},
      {"a+3b float32 96 Ki (L2)",
       [](const std::string& name) { axpy<float>(name, 96 << 10, Dtype::float32); }},
      {"a+3b float32 16 Mi", [](const std::string& name) { axpy<float>(name, 16 << 20, Dtype::float32); }},
      {"a+3b float64 64 elements", [](const std::string& name) { axpy<double>(name, 64, Dtype::float64); }},
      {"Laplace 512", [](const std::string& name) { laplace(name, 512); }},
      {"Laplace 4096", [](const std::string& name) { laplace(name, 4096); }},
      {"Black-Scholes 4 Mi", [](const std::string& name) { black_scholes(name, 4 << 20); }},
      {"points (1 Mi, 3) + (3,)", [](const std::string& name) { points(name, 1 << 20); }},
      {"a + a.T 2048", [](const std::string& name) { transpose(name, 2048); }},
  };
  for (const auto& [name, run] : cases) {
    if (name.find(wanted) != std::string::npos) run(name);
  }
}
