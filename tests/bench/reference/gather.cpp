// SPDX-License-Identifier: BSD-3-Clause
// gather: c = a[i], scatter: c[i] = a, as Arkouda defines them. The indexed array is a shared-memory window
// over all ranks, so an element costs one cache miss and no message. Indices are read ahead, so that many
// misses are under way at once. Dealing the indices to regions that fit in cache first, in streaming passes,
// was measured and slower.
#include <algorithm>
#include <numeric>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr std::int64_t ahead = 32;

template <bool streaming>
void gather(const double* a, const std::int64_t* index, double* c, std::int64_t count) {
  std::int64_t k = 0;
  for (; k + lanes + ahead <= count; k += lanes) {
    Vec values;
    for (int lane = 0; lane < lanes; ++lane) {
      __builtin_prefetch(a + index[k + ahead + lane]);
      values[lane] = a[index[k + lane]];
    }
    put<streaming>(c + k, values);
  }
  for (; k < count; ++k) c[k] = a[index[k]];
  fence();
}

void scatter(const double* a, const std::int64_t* index, double* c, std::int64_t count) {
  std::int64_t k = 0;
  for (; k + ahead < count; ++k) {
    __builtin_prefetch(c + index[k + ahead], 1);
    c[index[k]] = a[k];
  }
  for (; k < count; ++k) c[index[k]] = a[k];
}

class Indexed : public Case {
 public:
  Indexed(const World& world, const Parameters& parameters, bool is_gather)
      : world_(world),
        n_(parameters.integer("n", 10'000'000)),
        mine_(world.line_block(n_)),
        is_gather_(is_gather) {
    index_ = Array<std::int64_t>::local(mine_.count());
    a_ = is_gather ? Array<double>::shared(world, mine_.count()) : Array<double>::local(mine_.count());
    c_ = is_gather ? Array<double>::local(mine_.count()) : Array<double>::shared(world, mine_.count());
    for (std::int64_t k = 0; k < mine_.count(); ++k)
      a_[(is_gather ? mine_.first : 0) + k] = uniform(0, mine_.first + k);
    if (is_gather) {
      for (std::int64_t k = 0; k < mine_.count(); ++k) {
        index_[k] = static_cast<std::int64_t>(uniform(1, mine_.first + k) * static_cast<double>(n_));
      }
    } else {
      make_permutation();
    }
    prepare();
    world.barrier();
  }

  void prepare() override {
    double* mine = c_.data() + (is_gather_ ? 0 : mine_.first);
    std::fill_n(mine, mine_.count(), 0.0);
  }

  void run() override {
    if (is_gather_) {
      const auto pass = world_.is_large(24 * n_) ? gather<true> : gather<false>;
      pass(a_.data(), index_.data(), c_.data(), mine_.count());
    } else {
      scatter(a_.data(), index_.data(), c_.data(), mine_.count());
      world_.barrier();
    }
  }

  std::vector<double> result() override {
    std::vector<double> numbers(3);
    const double* mine = c_.data() + (is_gather_ ? 0 : mine_.first);
    for (std::int64_t k = 0; k < mine_.count(); ++k) {
      numbers[0] += mine[k];
      numbers[1] += mine[k] * static_cast<double>((mine_.first + k) % 1024);
      if (mine_.first + k == n_ - 1) numbers[2] = mine[k];
    }
    world_.sum(numbers);
    return numbers;
  }

 private:
  /// This rank's part of the stable argsort of random numbers; at set-up each rank makes the whole.
  void make_permutation() {
    std::vector<std::pair<double, std::int64_t>> all(static_cast<std::size_t>(n_));
    for (std::int64_t k = 0; k < n_; ++k) all[static_cast<std::size_t>(k)] = {uniform(1, k), k};
    std::sort(all.begin(), all.end());  // by value, then by position: stable
    for (std::int64_t k = 0; k < mine_.count(); ++k)
      index_[k] = all[static_cast<std::size_t>(mine_.first + k)].second;
  }

  const World& world_;
  std::int64_t n_;
  Block mine_;
  bool is_gather_;
  Array<std::int64_t> index_;
  Array<double> a_, c_;
};

}  // namespace

Made make_gather(const World& world, const Parameters& parameters) {
  return std::make_unique<Indexed>(world, parameters, true);
}
Made make_scatter(const World& world, const Parameters& parameters) {
  return std::make_unique<Indexed>(world, parameters, false);
}

}  // namespace gamelan::bench
