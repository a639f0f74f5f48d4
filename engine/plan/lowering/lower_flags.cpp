// SPDX-License-Identifier: BSD-3-Clause
// From masks to steps. On one node what is true is counted (CountFlags), and then every rank takes or puts
// its own rows (TakeAtFlags, PutAtFlags). Over several nodes the ranks list what they find in shares of the
// mask (Find, Collect), and rows are taken or put at the positions.
#include <algorithm>
#include <functional>
#include <limits>

#include "engine/plan/lowering/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

/// Makes the slot of the result, which the step allocates.
using MakeResult = std::function<int(Step&)>;

Operand count_flags(StepWriter& writer, const Operand& flags) {
  auto& context = writer.context();
  const std::int64_t ranks = context.options.ranks;
  constexpr auto length = CountFlags::flags_per_count;
  CountFlags count;
  count.flags = flags;
  count.count = flags.placement.iterations.axes[0].extent;
  count.counts_per_rank = std::max<std::int64_t>((count.count + ranks * length - 1) / (ranks * length), 1);
  const Shape extents{count.counts_per_rank * ranks};
  Step step;
  count.counts = make_scratch(writer, step, count.counts_per_rank, Dtype::int64);
  const auto counts = protocol::whole(context.next_temporary - 1, Dtype::int64, extents);
  step.body = std::move(count);
  writer.finish(std::move(step));
  return read(writer, counts);
}

/// Where flags are true, or the rows of `source` there.
void take_at_flags(StepWriter& writer, const View& flags, const View* source, Step step,
                   const MakeResult& make_result) {
  TakeAtFlags take;
  take.flags = read(writer, flags);
  if (source != nullptr) take.source = read(writer, *source);
  take.counts = count_flags(writer, take.flags);
  take.out = make_result(step);
  step.body = std::move(take);
  writer.finish(std::move(step));
}

/// The same over several nodes, for positions and rows of one element. `count` flags are true.
void find_and_collect(StepWriter& writer, const View& flags, const View* values, std::int64_t count,
                      Step step, const MakeResult& make_result) {
  auto& context = writer.context();
  const std::int64_t ranks = context.options.ranks;
  Step first;
  Collect collect;
  Find& find = collect.find;
  find.flags = read(writer, flags);
  if (values != nullptr) find.values = read(writer, *values);
  find.count = flags.extents[0];
  find.share = (find.count + ranks - 1) / ranks;
  find.room = std::max<std::int64_t>(std::min(find.share, count), 1);
  const bool is_short = find.share <= std::numeric_limits<std::uint32_t>::max();
  const auto of_positions = is_short ? Dtype::uint32 : Dtype::int64;
  find.lists = make_scratch(writer, first, find.room, values != nullptr ? values->dtype : of_positions);
  find.lengths = make_scratch(writer, first, 1, Dtype::int64);
  const auto lengths = protocol::whole(context.next_temporary - 1, Dtype::int64, {ranks});
  first.body = find;
  writer.finish(std::move(first));
  collect.lengths = read(writer, lengths);
  collect.out = make_result(step);
  step.body = std::move(collect);
  writer.finish(std::move(step));
}

void take_at_positions(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& flags = std::get<View>(command.in[0]);
  const auto positions = positions_of_flags(writer, flags, command.out.extents[0]);
  Take take;
  take.source = read(writer, std::get<View>(command.in[1]));
  take.index = read(writer, positions);
  take.index_dtype = positions.dtype;
  take.out = writer.make(step, command.out.base);
  step.body = std::move(take);
  writer.finish(std::move(step));
}

bool is_same_for_all_rows(const protocol::Operand& values) {
  const auto* view = std::get_if<View>(&values);
  return view == nullptr || view->strides[0] == 0;
}

}  // namespace

View positions_of_flags(StepWriter& writer, const View& flags, std::int64_t count) {
  auto& context = writer.context();
  const auto make_row = [&](Step& step) {
    return make_aligned(writer, step, distribution::default_layout({count}, context.options.ranks),
                        Dtype::int64);
  };
  if (context.options.standpoint)
    find_and_collect(writer, flags, nullptr, count, {}, make_row);
  else
    take_at_flags(writer, flags, nullptr, {}, make_row);
  return protocol::whole(context.next_temporary - 1, Dtype::int64, {count});
}

void lower_nonzero(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& flags = std::get<View>(command.in[0]);
  const auto* values = command.in.size() == 2 ? &std::get<View>(command.in[1]) : nullptr;
  const auto make_result = [&](Step& last) { return writer.make(last, command.out.base); };
  if (!writer.context().options.standpoint)
    take_at_flags(writer, flags, values, std::move(step), make_result);
  else if (values != nullptr && values->extents.size() > 1)
    take_at_positions(writer, command, std::move(step));
  else
    find_and_collect(writer, flags, values, command.out.extents[0], std::move(step), make_result);
}

bool is_put_at_flags(const Options& options, const protocol::Command& command) {
  return is_same_for_all_rows(command.in[1]) || (options.has(Switch::put_by_owner) && !options.standpoint);
}

void lower_put_at_flags(StepWriter& writer, const protocol::Command& command, Step step) {
  PutAtFlags put;
  put.target = read(writer, command.out);
  put.target.is_written = true;
  put.target.may_be_remote = false;
  put.flags = read(writer, std::get<View>(command.in[0]));
  put.dtype = command.out.dtype;
  if (const auto* values = std::get_if<View>(&command.in[1]))
    put.values = read(writer, *values);
  else
    put.number = std::get<protocol::Scalar>(command.in[1]);
  if (!is_same_for_all_rows(command.in[1])) put.counts = count_flags(writer, put.flags);
  step.body = std::move(put);
  writer.finish(std::move(step));
}

}  // namespace gamelan::engine::plan
