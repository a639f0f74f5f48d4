// SPDX-License-Identifier: BSD-3-Clause
// From irregular commands to steps: take and others; lower_flags.cpp, lower_put.cpp and lower_sort.cpp have
// the longer ones. Only the data say where elements go, so a step reads what it needs where it lies.
#include <algorithm>
#include <cstring>

#include "engine/plan/lowering/step_writer.hpp"
#include "engine/plan/placement_commands.hpp"

namespace gamelan::engine::plan {

Operand read(StepWriter& writer, const View& view) {
  Operand operand;
  operand.slot = writer.current(view.base);
  const auto& info = writer.context().arrays.at(view.base);
  operand.placement = placement_of(view, info).value();
  operand.may_be_remote = !info.layout.is_replicated;
  return operand;
}

int make_scratch(StepWriter& writer, Step& step, std::int64_t per_rank, Dtype dtype) {
  auto& context = writer.context();
  const int ranks = context.options.ranks;
  const auto extent = per_rank * ranks;
  Layout layout;
  layout.axes = {{.extent = extent, .template_extent = extent, .parts = ranks}};
  layout.grid_size = ranks;
  const auto id = context.next_temporary++;
  context.arrays[id] = {{extent}, dtype, layout};
  context.created.insert(id);
  context.dead.insert(id);
  return writer.make(step, id);
}

int make_aligned(StepWriter& writer, Step& step, const Layout& layout, Dtype dtype) {
  auto& context = writer.context();
  const auto id = context.next_temporary++;
  context.arrays[id] = {layout.extents(), dtype, layout};
  context.created.insert(id);
  context.dead.insert(id);
  return writer.make(step, id);
}

namespace {

void lower_take(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& index = std::get<View>(command.in[1]);
  Take take;
  take.source = read(writer, std::get<View>(command.in[0]));
  take.index = read(writer, index);
  take.index_dtype = index.dtype;
  take.axis = static_cast<std::size_t>(command.ints[0]);
  take.out = writer.make(step, command.out.base);
  step.body = std::move(take);
  writer.finish(std::move(step));
}

void lower_accumulate(StepWriter& writer, const protocol::Command& command, Step step) {
  auto& context = writer.context();
  const auto& input = std::get<View>(command.in[0]);
  Scan scan;
  scan.input = read(writer, input);
  scan.input_dtype = input.dtype;
  scan.loop = command.loop;
  scan.op = static_cast<Op>(command.ints[1]);
  scan.axis = static_cast<std::size_t>(command.ints[0]);
  const Layout layout = context.arrays.at(command.out.base).layout;
  if (input.extents.size() == 1) scan.block_length = distribution::segment_length(input.extents);
  if (scan.block_length > 0 && layout.axes[0].parts > 1) {
    auto blocks = layout;  // reduction block q lies with its last element
    auto& axis = blocks.axes[0];
    axis.start = scan.block_length - 1;
    axis.step = scan.block_length;
    axis.extent = (input.extents[0] + scan.block_length - 1) / scan.block_length;
    Step first;
    ScanTotals totals{scan, layout, make_aligned(writer, first, blocks, scan.loop)};
    first.body = std::move(totals);
    writer.finish(std::move(first));
    scan.totals = read(writer, protocol::whole(context.next_temporary - 1, scan.loop, blocks.extents()));
  }
  scan.out = writer.make(step, command.out.base);
  step.body = std::move(scan);
  writer.finish(std::move(step));
}

void lower_routine(StepWriter& writer, const protocol::Command& command, Step step) {
  Routine routine;
  routine.payload = command.payload;
  routine.writes = static_cast<int>(command.ints[0]);
  for (const auto& view : arrays_of_routine(command)) routine.slots.push_back(writer.current(view.base));
  for (const auto& operand : command.in)
    if (const auto* number = std::get_if<protocol::Scalar>(&operand)) {
      double value = 0;
      std::memcpy(&value, number->bytes.data(), sizeof value);
      routine.numbers.push_back(value);
    }
  step.body = std::move(routine);
  writer.finish(std::move(step));
}

void lower_count(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& input = std::get<View>(command.in[0]);
  Count count{read(writer, input), input.dtype, command.out.extents[0], std::nullopt};
  if (command.op == Op::histogram) count.edges = read(writer, std::get<View>(command.in[1]));
  Step first;
  count.counts = make_scratch(writer, first, count.bins, Dtype::int64);
  AddCounts add{count.counts, -1, writer.context().options.ranks};
  first.body = std::move(count);
  writer.finish(std::move(first));
  add.out = writer.make(step, command.out.base);
  step.body = add;
  writer.finish(std::move(step));
}

void lower_fourier(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& input = std::get<View>(command.in[0]);
  FourierLines lines;
  lines.input = read(writer, input);
  lines.dtype = input.dtype;
  lines.axis = static_cast<std::size_t>(command.ints[0]);
  lines.kind = command.ints[1];
  lines.length = command.ints[2];
  lines.period = command.ints[3];
  std::memcpy(&lines.factor, std::get<protocol::Scalar>(command.in[1]).bytes.data(), sizeof lines.factor);
  lines.out = writer.make(step, command.out.base);
  step.body = std::move(lines);
  writer.finish(std::move(step));
}

void lower_draw(StepWriter& writer, const protocol::Command& command, Step step) {
  Draw draw;
  draw.distribution = static_cast<int>(command.ints[0]);
  draw.key = static_cast<std::uint64_t>(command.ints[1]);
  draw.offset = static_cast<std::uint64_t>(command.ints[2]);
  for (const auto& operand : command.in) {
    auto& parameter = draw.parameters.emplace_back();
    if (const auto* view = std::get_if<View>(&operand)) {
      parameter.operand = read(writer, *view);
      parameter.dtype = view->dtype;
    } else {
      std::memcpy(&parameter.number, std::get<protocol::Scalar>(operand).bytes.data(),
                  sizeof parameter.number);
    }
  }
  draw.out = writer.make(step, command.out.base);
  step.body = std::move(draw);
  writer.finish(std::move(step));
}

void lower_weighted_count(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& numbers = std::get<View>(command.in[0]);
  const auto& weights = std::get<View>(command.in[1]);
  const std::int64_t ranks = writer.context().options.ranks;
  WeightedCount weighted{read(writer, numbers), read(writer, weights), numbers.dtype, weights.dtype};
  weighted.count = numbers.extents[0];
  weighted.bins = command.out.extents[0];
  weighted.segments = command.ints[0];
  weighted.length = (weighted.count + weighted.segments - 1) / weighted.segments;
  weighted.per_rank = (weighted.segments + ranks - 1) / ranks;
  Step first;
  weighted.tables = make_scratch(writer, first, weighted.per_rank * weighted.bins, Dtype::float64);
  AddWeightedCounts add{weighted, -1};
  first.body = std::move(weighted);
  writer.finish(std::move(first));
  add.out = writer.make(step, command.out.base);
  step.body = std::move(add);
  writer.finish(std::move(step));
}

void lower_search(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& table = std::get<View>(command.in[0]);
  const auto& values = std::get<View>(command.in[1]);
  Search search{read(writer, table), read(writer, values), table.dtype, values.dtype,
                command.loop,        command.ints[0] == 1, -1};
  search.out = writer.make(step, command.out.base);
  step.body = std::move(search);
  writer.finish(std::move(step));
}

void lower_interpolate(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& points = std::get<View>(command.in[0]);
  const auto& heights = std::get<View>(command.in[1]);
  const auto& values = std::get<View>(command.in[2]);
  Interpolate lines{read(writer, points), read(writer, heights), read(writer, values),
                    points.dtype,         heights.dtype,         values.dtype};
  lines.out = writer.make(step, command.out.base);
  step.body = std::move(lines);
  writer.finish(std::move(step));
}

void lower_arg_lines(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& input = std::get<View>(command.in[0]);
  ArgLines lines{read(writer, input),
                 input.dtype,
                 static_cast<std::size_t>(command.ints[0]),
                 command.ints.size() > 1 ? command.ints[1] : 0,
                 command.op == Op::argmax,
                 -1};
  lines.out = writer.make(step, command.out.base);
  step.body = std::move(lines);
  writer.finish(std::move(step));
}

void lower_bits(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& input = std::get<View>(command.in[0]);
  PackBits pack{read(writer, input), input.dtype, command.op == Op::packbits, command.ints[0] == 1, -1};
  pack.out = writer.make(step, command.out.base);
  step.body = std::move(pack);
  writer.finish(std::move(step));
}

void lower_reduceat(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& values = std::get<View>(command.in[0]);
  const auto& starts = std::get<View>(command.in[1]);
  FoldSegments fold{read(writer, values),
                    read(writer, starts),
                    values.dtype,
                    starts.dtype,
                    command.loop,
                    static_cast<Op>(command.ints[0]),
                    -1};
  fold.out = writer.make(step, command.out.base);
  step.body = std::move(fold);
  writer.finish(std::move(step));
}

/// A layout that is not cut along the axis, so that each line along it lies with one rank.
Layout uncut_layout(const Shape& extents, std::size_t axis, int ranks) {
  Shape others = extents;
  others[axis] = 1;
  Layout layout = distribution::default_layout(others, ranks);
  layout.axes[axis] = {.extent = extents[axis], .template_extent = extents[axis]};
  layout.is_replicated = protocol::element_count(extents) <= 1;
  return layout;
}

using protocol::Command;

Layout even_layout(const Context& context, const Command& command) {
  return distribution::default_layout(command.out.extents, context.options.ranks);
}
/// Each line along the axis lies where that of the operand lies; nullopt where these are cut or uneven.
std::optional<Layout> layout_beside_operand(const Context& context, const Command& command) {
  const auto axis = static_cast<std::size_t>(command.ints[0]);
  const auto& operand = std::get<View>(command.in[0]);
  const auto placement = placement_of(operand, context.arrays.at(operand.base));
  if (!placement || placement->iterations.axes.size() != command.out.extents.size()) return std::nullopt;
  Layout layout = placement->iterations;
  if (layout.is_replicated || layout.axes[axis].parts > 1 || !distribution::is_balanced(layout) ||
      std::none_of(layout.axes.begin(), layout.axes.end(), [](const auto& each) { return each.parts > 1; }) ||
      std::any_of(layout.axes.begin(), layout.axes.end(),
                  [](const auto& each) { return !each.cuts.empty(); }))
    return std::nullopt;
  const auto extent = command.out.extents[axis];
  layout.axes[axis] = {.extent = extent, .template_extent = extent};
  return layout;
}
/// Whole lines along the axis lie with one rank.
Layout layout_of_lines(const Context& context, const Command& command) {
  if (auto layout = layout_beside_operand(context, command)) return *std::move(layout);
  return uncut_layout(command.out.extents, static_cast<std::size_t>(command.ints[0]), context.options.ranks);
}
Layout layout_of_found(const Context& context, const Command& command) {
  if (auto layout = layout_beside_operand(context, command)) return *std::move(layout);
  return even_layout(context, command);
}
/// The same, but a row is shared by all ranks.
Layout layout_of_row_or_lines(const Context& context, const Command& command) {
  return command.out.extents.size() > 1 ? layout_of_lines(context, command) : even_layout(context, command);
}
Layout layout_of_written(const Context& context, const Command& command) {
  return layout_of_receipts(command, context.options.ranks);
}

/// How a row of the op table becomes steps, and how its result lies.
struct Lowering {
  Op op;
  void (*lower)(StepWriter&, const Command&, Step);
  Layout (*layout)(const Context&, const Command&) = even_layout;
};
constexpr Lowering lowerings[] = {
    {Op::take, lower_take},
    {Op::put, lower_put},
    {Op::nonzero, lower_nonzero},
    {Op::accumulate, lower_accumulate, layout_of_row_or_lines},
    {Op::sort, lower_sort, layout_of_row_or_lines},
    {Op::argsort, lower_sort, layout_of_row_or_lines},
    {Op::bincount, lower_count},
    {Op::histogram, lower_count},
    {Op::weighted_bincount, lower_weighted_count},
    {Op::searchsorted, lower_search},
    {Op::interpolate, lower_interpolate},
    {Op::argmax, lower_arg_lines, layout_of_found},
    {Op::argmin, lower_arg_lines, layout_of_found},
    {Op::packbits, lower_bits},
    {Op::unpackbits, lower_bits},
    {Op::reduceat, lower_reduceat},
    {Op::fourier, lower_fourier, layout_of_lines},
    {Op::draw, lower_draw},
    {Op::routine, lower_routine},
    {Op::linalg, lower_linalg, layout_for_linalg},
    {Op::read_file, lower_file},
    {Op::write_file, lower_file, layout_of_written},
    {Op::read_hdf5, lower_file},
    {Op::read_zarr, lower_file},
    {Op::write_pieces, lower_file, layout_of_written},
    {Op::read_pieces, lower_file},
    {Op::tend_pieces, lower_file, layout_of_written},
};

const Lowering& lowering_of(Op op) {
  const auto* found = std::find_if(std::begin(lowerings), std::end(lowerings),
                                   [&](const Lowering& each) { return each.op == op; });
  if (found != std::end(lowerings)) return *found;
  throw protocol::Error(protocol::ErrorKind::internal,
                        "[plan] no lowering for " + std::string(protocol::info(op).name));
}

}  // namespace

Layout layout_for_irregular(const Context& context, const Command& command) {
  return lowering_of(command.op).layout(context, command);
}

void lower_irregular(StepWriter& writer, const Command& command, Step step) {
  lowering_of(command.op).lower(writer, command, std::move(step));
}

}  // namespace gamelan::engine::plan
