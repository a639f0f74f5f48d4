// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/linalg/fourier_plans.hpp"

#include <fftw3.h>

#include <algorithm>
#include <map>
#include <new>

#include "protocol/error.hpp"
#include "protocol/fourier.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::size_t most_plans = 32;
constexpr std::int64_t longest_kept = 1 << 20;  // the tables of a longer one are as large as its line

fftw_plan make_plan(std::int64_t kind, std::int64_t length) {
  if (length > 0x7fffffff)
    throw protocol::Error(protocol::ErrorKind::value,
                          "[fft] a line of more than 2**31 - 1 elements that cannot be cut");
  const auto n = static_cast<int>(length);
  const FourierBuffer in(2 * length + 2), out(2 * length + 2);
  auto* complex_in = reinterpret_cast<fftw_complex*>(in.data());
  auto* complex_out = reinterpret_cast<fftw_complex*>(out.data());
  fftw_forget_wisdom();  // else a plan would depend on those made before
  constexpr unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
  if (kind == protocol::fourier_forward)
    return fftw_plan_dft_1d(n, complex_in, complex_out, FFTW_FORWARD, flags);
  if (kind == protocol::fourier_backward)
    return fftw_plan_dft_1d(n, complex_in, complex_out, FFTW_BACKWARD, flags);
  if (kind == protocol::fourier_real_forward) return fftw_plan_dft_r2c_1d(n, in.data(), complex_out, flags);
  return fftw_plan_dft_c2r_1d(n, complex_in, out.data(), flags);
}

}  // namespace

struct FourierPlan {
  FourierPlan(std::int64_t of_kind, std::int64_t length) : kind(of_kind), plan(make_plan(of_kind, length)) {
    if (plan == nullptr) throw std::bad_alloc();
  }
  ~FourierPlan() { fftw_destroy_plan(plan); }
  FourierPlan(const FourierPlan&) = delete;
  FourierPlan& operator=(const FourierPlan&) = delete;

  std::int64_t kind;
  fftw_plan plan;
  std::uint64_t last_use = 0;
};

FourierLine::FourierLine(std::int64_t kind, std::int64_t length) {
  static std::map<std::pair<std::int64_t, std::int64_t>, std::shared_ptr<FourierPlan>>
      kept;  // one thread computes
  static std::uint64_t clock = 0;
  if (length > longest_kept) {
    plan_ = std::make_shared<FourierPlan>(kind, length);
    return;
  }
  auto& entry = kept[{kind, length}];
  if (!entry) {
    try {
      entry = std::make_shared<FourierPlan>(kind, length);
    } catch (...) {
      kept.erase({kind, length});
      throw;
    }
  }
  plan_ = entry;
  plan_->last_use = ++clock;
  if (kept.size() > most_plans)
    kept.erase(std::min_element(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
      return a.second->last_use < b.second->last_use;
    }));
}

void FourierLine::run(double* in, double* out) const {
  auto* complex_in = reinterpret_cast<fftw_complex*>(in);
  auto* complex_out = reinterpret_cast<fftw_complex*>(out);
  if (plan_->kind == protocol::fourier_real_forward)
    fftw_execute_dft_r2c(plan_->plan, in, complex_out);
  else if (plan_->kind == protocol::fourier_real_backward)
    fftw_execute_dft_c2r(plan_->plan, complex_in, out);
  else
    fftw_execute_dft(plan_->plan, complex_in, complex_out);
}

FourierBuffer::FourierBuffer(std::int64_t doubles)
    : data_(static_cast<double*>(
          ::operator new (static_cast<std::size_t>(doubles) * sizeof(double), std::align_val_t{64}))) {
  std::fill_n(data_.get(), doubles, 0.0);
}

void FourierBuffer::Release::operator()(double* data) const {
  ::operator delete (data, std::align_val_t{64});
}

}  // namespace gamelan::engine::steps
