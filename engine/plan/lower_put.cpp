// SPDX-License-Identifier: BSD-3-Clause
// put -> steps. What is written elsewhere is first sorted by its owner (Route) and then applied by it
// (Deliver).
#include <algorithm>
#include <bit>
#include <limits>

#include "engine/plan/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bucket_bytes =
    1 << 19;  // of the target: what its owner writes at random stays in a second-level cache
constexpr int most_buckets = 1024;

}  // namespace

void lower_put(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& target = command.out;
  const auto& index = std::get<View>(command.in[0]);
  const std::int64_t ranks = writer.context().options.ranks;
  Deliver deliver;
  deliver.target = read(writer, target);
  deliver.target.is_written = true;
  deliver.target.may_be_remote = false;
  if (!command.ints.empty()) deliver.op = static_cast<Op>(command.ints[0]);
  Route& route = deliver.route;
  route.index = read(writer, index);
  route.index_dtype = index.dtype;
  route.dtype = target.dtype;
  if (const auto* values = std::get_if<View>(&command.in[1]))
    route.values = read(writer, *values);
  else
    route.number = std::get<protocol::Scalar>(command.in[1]);
  const auto row = protocol::element_count(target.extents) / target.extents[0];
  const auto value_bytes = static_cast<std::int64_t>(protocol::size_of(target.dtype));
  route.carries_rows = row > 1;
  route.count = index.extents[0];
  route.share = (route.count + ranks - 1) / ranks;
  route.target = deliver.target.placement.iterations.axes[0];
  std::int64_t positions = std::max<std::int64_t>(bucket_bytes / (value_bytes * row), 1);
  positions = std::max(positions, (route.target.extent + most_buckets - 1) / most_buckets);
  route.bucket_shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(positions))) - 1;
  const std::int64_t buckets =
      (route.target.extent >> route.bucket_shift) + 2 * route.target.parts;  // an upper bound
  Step first;
  route.counts = make_scratch(writer, first, buckets, Dtype::int64);
  const bool is_short = value_bytes <= 4 && !route.carries_rows &&
                        route.target.extent <= std::numeric_limits<std::uint32_t>::max();
  const std::int64_t words = is_short ? 1 : !route.carries_rows && value_bytes > 8 ? 3 : 2;
  route.pairs = make_scratch(writer, first, words * route.share, is_short ? Dtype::uint64 : Dtype::int64);
  first.body = route;
  writer.finish(std::move(first));
  step.body = std::move(deliver);
  writer.finish(std::move(step));
}

}  // namespace gamelan::engine::plan
