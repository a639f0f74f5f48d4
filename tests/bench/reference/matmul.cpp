// SPDX-License-Identifier: BSD-3-Clause
// matmul: c = a b. Each rank multiplies its block of rows of a with the whole of b, which lies in a
// shared-memory window: one call of OpenBLAS dgemm on one thread a rank, no message.
#include <cblas.h>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"

// OpenBLAS's own, not in every cblas.h.
extern "C" void openblas_set_num_threads(int threads);

namespace gamelan::bench {

namespace {

class Matmul : public Case {
 public:
  Matmul(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 2048)),
        mine_(world.block(n_)),
        a_(Array<double>::local(mine_.count() * n_)),
        b_(Array<double>::shared(world, mine_.count() * n_)),
        c_(Array<double>::local(mine_.count() * n_)) {
    openblas_set_num_threads(1);
    for (std::int64_t k = 0; k < mine_.count() * n_; ++k) {
      const std::int64_t at = mine_.first * n_ + k;
      a_[k] = uniform(0, at);
      b_[at] = uniform(1, at);
      c_[k] = 0.0;
    }
  }

  void run() override {
    const int n = static_cast<int>(n_), rows = static_cast<int>(mine_.count());
    if (rows > 0) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, n, n, 1.0, a_.data(), n, b_.data(), n, 0.0,
                  c_.data(), n);
    }
    world_.barrier();
  }

  std::vector<double> result() override {
    std::vector<double> numbers(4);
    for (std::int64_t k = 0; k < mine_.count() * n_; ++k) {
      const std::int64_t at = mine_.first * n_ + k;
      numbers[0] += c_[k];
      numbers[1] += c_[k] * c_[k];
      if (at == 0) numbers[2] = c_[k];
      if (at == (n_ - 1) * n_ + n_ / 3) numbers[3] = c_[k];
    }
    world_.sum(numbers);
    return numbers;
  }

 private:
  const World& world_;
  std::int64_t n_;
  Block mine_;
  Array<double> a_, b_, c_;
};

}  // namespace

Made make_matmul(const World& world, const Parameters& parameters) {
  return std::make_unique<Matmul>(world, parameters);
}

}  // namespace gamelan::bench
