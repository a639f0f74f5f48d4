// SPDX-License-Identifier: BSD-3-Clause
// numpy.interp: values on the lines between points. Every rank has a copy of the lines, and takes the values
// of its own block of the result from them. The kernel limits how many points there are.
#include <vector>

#include "engine/steps/irregular/line_table.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

std::vector<double> row_of(const StepContext& context, const plan::Operand& operand, protocol::Dtype dtype) {
  return copy_of_row<double>(context, operand, dtype, protocol::Dtype::float64, [](double x) { return x; });
}

}  // namespace

void run(const StepContext& context, const plan::Interpolate& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank())[0];
  if (mine.size() == 0) return;
  LineTable lines(row_of(context, step.points, step.points_dtype),
                  row_of(context, step.heights, step.heights_dtype), layout.axes[0].extent);
  Stream values(context, step.values, step.values_dtype, protocol::Dtype::float64);
  auto* out = reinterpret_cast<double*>(context.own_block(step.out));
  for (auto at = mine.first; at < mine.last; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, mine.last - at);
    lines.evaluate(values.read_as<double>(at, some), some, out);
    out += some;
  }
}

}  // namespace gamelan::engine::steps
