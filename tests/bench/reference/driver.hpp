// SPDX-License-Identifier: BSD-3-Clause
// What a reference program is to the driver: made once by a factory, then prepared, run (timed) and asked for
// its result any number of times. All methods are collective.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/reference/world.hpp"

namespace gamelan::bench {

/// key=value arguments. A key that no case asked for is an error of the caller, see unused().
class Parameters {
 public:
  /// Throws std::invalid_argument on an argument without '='.
  explicit Parameters(const std::vector<std::string>& arguments);
  /// The number of `key`, at least `least`, or its default. Throws std::invalid_argument.
  std::int64_t integer(const std::string& key, std::int64_t otherwise, std::int64_t least = 1) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  /// A key that was given and never asked for, or "".
  std::string unused() const;

 private:
  struct Value {
    std::string text;
    mutable bool is_used = false;
  };
  std::map<std::string, Value> values_;
};

class Case {
 public:
  virtual ~Case() = default;
  /// Puts the operands back as they were before the first run. Not timed.
  virtual void prepare() {}
  /// The computation, from operands in memory to the finished result on every rank.
  virtual void run() = 0;
  /// The fingerprint of the last run, the same numbers as the case's definition in NumPy. Not timed; rank 0's
  /// counts.
  virtual std::vector<double> result() = 0;
};

using Made = std::unique_ptr<Case>;
Made make_stream(const World&, const Parameters&);
Made make_reduce(const World&, const Parameters&);
Made make_scan(const World&, const Parameters&);
Made make_gather(const World&, const Parameters&);
Made make_scatter(const World&, const Parameters&);
Made make_argsort(const World&, const Parameters&);
Made make_laplace(const World&, const Parameters&);
Made make_laplace_small(const World&, const Parameters&);
Made make_sweeps(const World&, const Parameters&);
Made make_jacobi_stencil(const World&, const Parameters&);
Made make_jacobi(const World&, const Parameters&);
Made make_black_scholes(const World&, const Parameters&);
Made make_fractal(const World&, const Parameters&);
Made make_nbody(const World&, const Parameters&);
Made make_knn(const World&, const Parameters&);
Made make_lbm2d(const World&, const Parameters&);
Made make_lbm3d(const World&, const Parameters&);
Made make_cg(const World&, const Parameters&);
Made make_kmeans(const World&, const Parameters&);
Made make_matmul(const World&, const Parameters&);

}  // namespace gamelan::bench
