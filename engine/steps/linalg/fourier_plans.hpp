// SPDX-License-Identifier: BSD-3-Clause
// FFTW's plans of single lines. Each is made without wisdom, by estimate, for aligned buffers: the same plan
// whenever it is made and on whatever rank, hence the same bits. A few are kept.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>

namespace gamelan::engine::steps {

struct FourierPlan;

/// Transforms a line: `kind` as in protocol/fourier.hpp, `length` of the transform.
class FourierLine {
 public:
  FourierLine(std::int64_t kind, std::int64_t length);

  /// Buffers come from `FourierBuffer`; the input is overwritten.
  void run(double* in, double* out) const;

 private:
  std::shared_ptr<FourierPlan> plan_;
};

/// Doubles, aligned as FFTW likes them; zero at first. Throws std::bad_alloc.
class FourierBuffer {
 public:
  explicit FourierBuffer(std::int64_t doubles);
  double* data() const { return data_.get(); }

 private:
  struct Release {
    void operator()(double* data) const;
  };
  std::unique_ptr<double, Release> data_;
};

}  // namespace gamelan::engine::steps
