// SPDX-License-Identifier: BSD-3-Clause
// A wavefront: the front goes over this rank's rows, a few at a time, and each part follows it at its
// distance. Then, in a step of its own, the rows around the borders between ranks.
#include <algorithm>
#include <limits>

#include "engine/steps/carry.hpp"
#include "engine/steps/row_pass.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Interval;

/// One pass over some rows of its iterations. Rows are counted so that those of one rank have the same
/// numbers in all parts.
class Part {
 public:
  Part(const StepContext& context, const plan::Wavefront::Part& part)
      : part_(part),
        rank_(context.rank()),
        rows_(plan::loop_of(part.pass).iterations.axes.front()),
        first_(rows_.parts == 1 ? 0 : rows_.start),
        coordinate_(plan::loop_of(part.pass).iterations.coordinate(0, rank_)),
        pass_(std::visit([&](const auto& each) { return row_pass(context, each); }, part.pass)) {}

  std::int64_t skew() const { return part_.skew; }
  /// The rows of this rank that depend on no other rank's.
  Interval own() const {
    const auto mine = rows_.interval(coordinate_);
    return {first_ + mine.first + (coordinate_ > 0 ? part_.top : 0),
            first_ + mine.last - (coordinate_ + 1 < rows_.parts ? part_.bottom : 0)};
  }
  void run(const Interval& rows) { compute({rows.first - first_, rows.last - first_}, rank_); }
  /// Runs over the rows around the border before this rank's block, if there is one.
  void run_at_border() {
    if (coordinate_ == 0) return;
    const auto border = rows_.interval(coordinate_).first;
    compute({border - part_.bottom, border}, rank_ - rows_.rank_stride);
    compute({border, border + part_.top}, rank_);
  }

 private:
  /// Rows are indices of the pass here.
  void compute(const Interval& rows, int owner) {
    if (rows.size() > 0) pass_->run(rows, owner);
  }

  const plan::Wavefront::Part& part_;
  const int rank_;
  const distribution::AxisLayout& rows_;
  const std::int64_t first_;
  const int coordinate_;
  std::unique_ptr<RowPass> pass_;
};

/// The front advances until the last part has done its last row.
void run_front(const StepContext& context, std::vector<Part>& parts, std::int64_t together) {
  auto front = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min();
  for (const auto& part : parts) {
    front = std::min(front, part.own().first + part.skew());
    end = std::max(end, part.own().last + part.skew());
  }
  for (; front < end; front += together) {
    for (auto& part : parts)
      part.run(distribution::intersection({front - part.skew(), front + together - part.skew()}, part.own()));
    context.progress();
  }
}

}  // namespace

void run(const StepContext& context, const plan::Wavefront& wavefront) {
  const auto& first = plan::loop_of(wavefront.parts->front().pass);
  if (!first.iterations.takes_part(context.rank())) return;
  if (!wavefront.is_at_borders)
    for (const auto& part : *wavefront.parts)
      for (const auto& each : plan::loop_of(part.pass).carries) carry(context, each);
  std::vector<Part> parts;
  parts.reserve(wavefront.parts->size());
  for (const auto& part : *wavefront.parts) parts.emplace_back(context, part);
  if (!wavefront.is_at_borders) return run_front(context, parts, wavefront.together);
  for (auto& part : parts) part.run_at_border();
}

}  // namespace gamelan::engine::steps
