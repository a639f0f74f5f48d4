// SPDX-License-Identifier: BSD-3-Clause
// fourier: transforms the lines of an axis that lies whole with one rank. Some lines at a time are read, from
// wherever they lie, into a buffer in which each is contiguous. FFTW transforms one after another, and they
// are written to their places in the block. A line always gets the same plan and the same alignment, so its
// bits do not depend on the ranks.
#include <cmath>
#include <complex>
#include <vector>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/chunks.hpp"
#include "engine/steps/linalg/fourier_plans.hpp"
#include "engine/steps/run_step.hpp"
#include "protocol/fourier.hpp"

namespace gamelan::engine::steps {
namespace {

using Complex = std::complex<double>;

constexpr std::int64_t buffer_bytes =
    1 << 20;  // lines that stay in the second-level cache between reading and writing
constexpr std::int64_t least_lines =
    8;  // side by side across an inner axis, for whole cache lines of the array,
constexpr std::int64_t most_buffer_bytes = 1 << 24;  // unless they take more than this

/// exp(+-2 pi i e / period) for any 0 <= e < period: a product of two from tables of about its root.
class Roots {
 public:
  Roots(std::int64_t period, bool is_backward) {
    while ((std::int64_t{1} << (2 * bits_)) < period) ++bits_;
    const auto fill = [&](std::vector<Complex>& table, std::int64_t count, std::int64_t step) {
      for (std::int64_t i = 0; i < count; ++i) {
        const long double angle = 2 * 3.141592653589793238462643383279502884L *
                                  static_cast<long double>(i * step) / static_cast<long double>(period);
        const auto sine = static_cast<double>(sinl(angle));
        table.emplace_back(static_cast<double>(cosl(angle)), is_backward ? sine : -sine);
      }
    };
    fill(low_, std::int64_t{1} << bits_, 1);
    fill(high_, (period >> bits_) + 1, std::int64_t{1} << bits_);
  }
  Complex operator()(std::int64_t e) const {
    return product(high_[static_cast<std::size_t>(e >> bits_)],
                   low_[static_cast<std::size_t>(e & ((std::int64_t{1} << bits_) - 1))]);
  }
  /// The plain formula, without the library's handling of infinities.
  static Complex product(const Complex& x, const Complex& y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }

 private:
  int bits_ = 0;
  std::vector<Complex> low_, high_;
};

std::int64_t pitch_of(std::int64_t bytes) {
  const auto rounded = (bytes + 63) / 64 * 64;
  return rounded % 4096 == 0 ? rounded + 64
                             : rounded;  // lines a page apart would fall into the same set of the cache
}

class Lines {
 public:
  Lines(const StepContext& context, const plan::FourierLines& lines)
      : context_(context),
        lines_(lines),
        line_(lines.kind, lines.length),
        is_real_in_(lines.kind == protocol::fourier_real_forward),
        is_real_out_(lines.kind == protocol::fourier_real_backward),
        in_dtype_(is_real_in_ ? protocol::Dtype::float64 : protocol::Dtype::complex128),
        out_dtype_(is_real_out_ ? protocol::Dtype::float64 : protocol::Dtype::complex128),
        in_item_(static_cast<std::int64_t>(protocol::size_of(in_dtype_))),
        out_item_(static_cast<std::int64_t>(protocol::size_of(out_dtype_))),
        read_(lines.input.placement.iterations.axes[lines.axis].extent),
        written_(context.info(lines.out).extents[lines.axis]),
        mine_(context.info(lines.out).layout.box(context.rank())),
        pitch_(pitch_of(
            std::max(in_item_ * (is_real_out_ ? lines.length / 2 + 1 : lines.length), out_item_ * written_))),
        most_(std::max<std::int64_t>(buffer_bytes / pitch_, 1)),
        result_(2 * lines.length + 2) {
    if (lines.axis + 1 < mine_.size() && least_lines * pitch_ <= most_buffer_bytes)
      most_ = std::max(most_, least_lines);
    if (lines.period > 0) roots_.emplace(lines.period, lines.kind == protocol::fourier_backward);
  }

  void run() {
    std::int64_t count = 1;
    for (std::size_t k = 0; k < mine_.size(); ++k)
      if (k != lines_.axis) count *= mine_[k].size();
    const FourierBuffer buffer(std::min(most_, count) * pitch_ / 8);
    const auto block_strides =
        protocol::contiguous_strides(distribution::extents_of(mine_), static_cast<std::size_t>(out_item_));
    for_each_chunk(mine_, most_, static_cast<int>(lines_.axis), [&](distribution::Box part) {
      read(part, buffer.data());
      transform(part, buffer.data());
      std::int64_t offset = 0;
      for (std::size_t k = 0; k < part.size(); ++k)
        offset += (part[k].first - mine_[k].first) * block_strides[k];
      copy_box(out_dtype_, out_dtype_, distribution::extents_of(part),
               reinterpret_cast<const std::byte*>(buffer.data()), strides_of(part, out_item_),
               context_.own_block(lines_.out) + offset, block_strides);
      context_.progress();
    });
  }

 private:
  /// Of a part in the buffer: lines a pitch apart, in C order of the other axes.
  protocol::Shape strides_of(const distribution::Box& part, std::int64_t item) const {
    protocol::Shape strides(part.size());
    std::int64_t stride = pitch_;
    for (std::size_t k = part.size(); k-- > 0;) {
      if (k == lines_.axis) continue;
      strides[k] = stride;
      stride *= part[k].size();
    }
    strides[lines_.axis] = item;
    return strides;
  }

  void read(distribution::Box part, double* buffer) const {
    part[lines_.axis] = {0, read_};
    copy_operand(context_, lines_.input, lines_.dtype, in_dtype_, part, reinterpret_cast<std::byte*>(buffer),
                 strides_of(part, in_item_));
  }

  void transform(const distribution::Box& part, double* buffer) {
    const auto next = lines_.axis + 1;
    std::int64_t inner = 1, lines = 1;  // lines per place along the next axis, and all
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (k == lines_.axis) continue;
      lines *= part[k].size();
      if (k > next) inner *= part[k].size();
    }
    const auto doubles = pitch_ / 8, wanted = is_real_out_ ? lines_.length / 2 + 1 : lines_.length;
    for (std::int64_t i = 0; i < lines; ++i) {
      double* line = buffer + i * doubles;
      std::fill(line + read_ * in_item_ / 8, line + wanted * in_item_ / 8, 0.0);
      if (is_real_out_) {  // these are real by symmetry, whatever was given
        line[1] = 0;
        if (lines_.length % 2 == 0) line[lines_.length + 1] = 0;
      }
      line_.run(line, result_.data());
      const double* result = result_.data();
      if (roots_)
        multiply(reinterpret_cast<const Complex*>(result), reinterpret_cast<Complex*>(line),
                 part[next].first + i / inner % part[next].size());
      else
        for (std::int64_t k = 0; k < written_ * out_item_ / 8; ++k) line[k] = result[k] * lines_.factor;
    }
  }

  void multiply(const Complex* from, Complex* to, std::int64_t place) const {
    for (std::int64_t k = 0, e = 0; k < written_; ++k, e += place)
      to[k] = Roots::product(from[k] * lines_.factor, (*roots_)(e));
  }

  const StepContext& context_;
  const plan::FourierLines& lines_;
  FourierLine line_;
  bool is_real_in_, is_real_out_;
  protocol::Dtype in_dtype_, out_dtype_;
  std::int64_t in_item_, out_item_, read_, written_;
  distribution::Box mine_;
  std::int64_t pitch_, most_;
  FourierBuffer result_;
  std::optional<Roots> roots_;
};

}  // namespace

void run(const StepContext& context, const plan::FourierLines& lines) {
  const auto& layout = context.info(lines.out).layout;
  if (!layout.takes_part(context.rank()) || is_empty(layout.box(context.rank()))) return;
  Lines(context, lines).run();
}

}  // namespace gamelan::engine::steps
