// SPDX-License-Identifier: BSD-3-Clause
// FFTW's plans of single lines. Each is made without wisdom, by estimate, for aligned buffers. So the plan is
// the same whenever and on whatever rank it is made, and so are the bits. A few plans are kept.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>

namespace gamelan::engine::steps {

struct FourierPlan;

/// Transforms one line. `kind` as in protocol/fourier.hpp; `length`: that of the transform.
class FourierLine {
 public:
  FourierLine(std::int64_t kind, std::int64_t length);

  /// Buffers come from `FourierBuffer`; the input is overwritten.
  void run(double* in, double* out) const;

 private:
  std::shared_ptr<FourierPlan> plan_;
};

/// An array of doubles with the alignment that FFTW needs; zero at first. Throws std::bad_alloc.
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
