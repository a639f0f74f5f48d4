// SPDX-License-Identifier: BSD-3-Clause
// From put to steps: what is to be written is first partitioned by its owner (PartitionUpdates), and then
// applied by it (ApplyUpdates). Few ranks on one node do it in one step (PutOwn). lower_flags.cpp has puts
// through flags.
#include <algorithm>
#include <bit>
#include <limits>

#include "engine/plan/lowering/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bucket_bytes =
    1 << 19;  // of the target: what its owner writes at random stays in a second-level cache
constexpr int most_buckets = 1024;
constexpr int few_ranks = 4;  // more take longer to read the whole index each than to sort it together

/// Single elements, whose indices and values nobody writes meanwhile: what is written may be read by nobody.
bool is_put_by_owners(const Context& context, const PartitionUpdates& partition, int target) {
  return context.options.has(Switch::put_by_owner) && context.options.ranks <= few_ranks &&
         !context.options.standpoint && !partition.carries_rows && partition.index.slot != target &&
         (partition.number || partition.values.slot != target);
}

PutOwn put_by_owners(const ApplyUpdates& updates) {
  const auto& partition = updates.partition;
  return {.index = partition.index,
          .values = partition.values,
          .target = updates.target,
          .index_dtype = partition.index_dtype,
          .dtype = partition.dtype,
          .number = partition.number,
          .op = updates.op,
          .count = partition.count};
}

}  // namespace

void lower_put(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& target = command.out;
  auto index = std::get<View>(command.in[0]);
  if (index.dtype == Dtype::bool_) {
    if (is_put_at_flags(writer.context().options, command))
      return lower_put_at_flags(writer, command, std::move(step));
    index = positions_of_flags(writer, index, std::get<View>(command.in[1]).extents[0]);
  }
  const std::int64_t ranks = writer.context().options.ranks;
  ApplyUpdates updates;
  updates.target = read(writer, target);
  updates.target.is_written = true;
  updates.target.may_be_remote = false;
  if (!command.ints.empty()) updates.op = static_cast<Op>(command.ints[0]);
  PartitionUpdates& partition = updates.partition;
  partition.index = read(writer, index);
  partition.index_dtype = index.dtype;
  partition.dtype = target.dtype;
  if (const auto* values = std::get_if<View>(&command.in[1]))
    partition.values = read(writer, *values);
  else
    partition.number = std::get<protocol::Scalar>(command.in[1]);
  const auto row = protocol::element_count(target.extents) / target.extents[0];
  const auto value_bytes = static_cast<std::int64_t>(protocol::size_of(target.dtype));
  partition.carries_rows = row > 1;
  partition.count = index.extents[0];
  if (is_put_by_owners(writer.context(), partition, updates.target.slot)) {
    step.body = put_by_owners(updates);
    return writer.finish(std::move(step));
  }
  partition.share = (partition.count + ranks - 1) / ranks;
  partition.target = updates.target.placement.iterations.axes[0];
  std::int64_t positions = std::max<std::int64_t>(bucket_bytes / (value_bytes * row), 1);
  positions = std::max(positions, (partition.target.extent + most_buckets - 1) / most_buckets);
  partition.bucket_shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(positions))) - 1;
  const std::int64_t buckets =
      (partition.target.extent >> partition.bucket_shift) + 2 * partition.target.parts;  // an upper bound
  Step first;
  partition.counts = make_scratch(writer, first, buckets, Dtype::int64);
  const bool is_short = value_bytes <= 4 && !partition.carries_rows &&
                        partition.target.extent <= std::numeric_limits<std::uint32_t>::max();
  const std::int64_t words = is_short ? 1 : !partition.carries_rows && value_bytes > 8 ? 3 : 2;
  partition.pairs =
      make_scratch(writer, first, words * partition.share, is_short ? Dtype::uint64 : Dtype::int64);
  first.body = partition;
  writer.finish(std::move(first));
  step.body = std::move(updates);
  writer.finish(std::move(step));
}

}  // namespace gamelan::engine::plan
