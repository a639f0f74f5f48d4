// SPDX-License-Identifier: BSD-3-Clause
// Irregular commands -> steps: take, put, nonzero and more. Where elements go is known from data only, so a step reads what
// it needs where it lies, and what must be written elsewhere is first sorted by its owner (Route) and then applied by it
// (Deliver).
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/plan/chosen.hpp"
#include "engine/plan/merged_axes.hpp"
#include "engine/plan/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bucket_bytes = 1 << 19;  // of the target: what its owner writes at random stays in a second-level cache
constexpr int most_buckets = 1024;

}  // namespace

Operand read(StepWriter& writer, const View& view) {
  Operand operand;
  operand.slot = writer.current(view.base);
  const auto& info = writer.context().arrays.at(view.base);
  operand.placement = place_merged(view, info).value();
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

namespace {

/// A slot that lies as `layout` says, gone after its last use.
int make_aligned(StepWriter& writer, Step& step, const Layout& layout, Dtype dtype) {
  auto& context = writer.context();
  const auto id = context.next_temporary++;
  context.arrays[id] = {layout.extents(), dtype, layout};
  context.created.insert(id);
  context.dead.insert(id);
  return writer.make(step, id);
}

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
  if (const auto* values = std::get_if<View>(&command.in[1])) route.values = read(writer, *values);
  else route.number = std::get<protocol::Scalar>(command.in[1]);
  const auto row = protocol::element_count(target.extents) / target.extents[0];
  const auto value_bytes = static_cast<std::int64_t>(protocol::size_of(target.dtype));
  route.carries_rows = row > 1;
  route.count = index.extents[0];
  route.share = (route.count + ranks - 1) / ranks;
  route.target = deliver.target.placement.iterations.axes[0];
  std::int64_t positions = std::max<std::int64_t>(bucket_bytes / (value_bytes * row), 1);
  positions = std::max(positions, (route.target.extent + most_buckets - 1) / most_buckets);
  route.bucket_shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(positions))) - 1;
  const std::int64_t buckets = (route.target.extent >> route.bucket_shift) + 2 * route.target.parts;  // an upper bound
  Step first;
  route.counts = make_scratch(writer, first, buckets, Dtype::int64);
  route.pairs = make_scratch(writer, first, 2 * route.share * (value_bytes > 8 ? 2 : 1), Dtype::int64);
  first.body = route;
  writer.finish(std::move(first));
  step.body = std::move(deliver);
  writer.finish(std::move(step));
}

void lower_nonzero(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& flags = std::get<View>(command.in[0]);
  auto& context = writer.context();
  const std::int64_t ranks = context.options.ranks;
  Step first;
  Collect collect;
  Find& find = collect.find;
  find.flags = read(writer, flags);
  find.count = flags.extents[0];
  find.share = (find.count + ranks - 1) / ranks;
  find.room = std::max<std::int64_t>(std::min(find.share, command.out.extents[0]), 1);
  find.lists = make_scratch(writer, first, find.room, Dtype::int64);
  find.lengths = make_scratch(writer, first, 1, Dtype::int64);
  const auto lengths = protocol::whole(context.next_temporary - 1, Dtype::int64, {ranks});
  first.body = find;
  writer.finish(std::move(first));
  collect.lengths = read(writer, lengths);
  collect.out = writer.make(step, command.out.base);
  step.body = std::move(collect);
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
  if (input.extents.size() == 1) scan.brick = dist::segment_length(input.extents);
  if (scan.brick > 0 && layout.axes[0].parts > 1) {
    auto bricks = layout;  // brick q lies with its last element
    auto& axis = bricks.axes[0];
    axis.start = scan.brick - 1;
    axis.step = scan.brick;
    axis.extent = (input.extents[0] + scan.brick - 1) / scan.brick;
    Step first;
    ScanTotals totals{scan, layout, make_aligned(writer, first, bricks, scan.loop)};
    first.body = std::move(totals);
    writer.finish(std::move(first));
    scan.totals = read(writer, protocol::whole(context.next_temporary - 1, scan.loop, bricks.extents()));
  }
  scan.out = writer.make(step, command.out.base);
  step.body = std::move(scan);
  writer.finish(std::move(step));
}

/// Slots are of int64: words for so many keys, with places or without.
std::int64_t words_of_items(std::int64_t count, Dtype dtype, bool has_places) {
  const auto bytes = static_cast<std::int64_t>(protocol::size_of(dtype));
  return has_places ? count * (1 + (bytes + 7) / 8) : (count * bytes + 7) / 8;
}

void lower_sort(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& input = std::get<View>(command.in[0]);
  const auto axis = static_cast<std::size_t>(command.ints[0]);
  const bool gives_places = command.op == Op::argsort;
  const Layout layout = writer.context().arrays.at(command.out.base).layout;
  const Operand operand = read(writer, input);
  if (layout.axes[axis].parts == 1) {
    SortLines sort{operand, input.dtype, axis, gives_places};
    const bool sorts_in_result = input.extents.size() == 1 && !gives_places;
    sort.items = make_scratch(writer, step, (sorts_in_result ? 1 : 2) * words_of_items(input.extents[axis], input.dtype, gives_places) + 1, Dtype::int64);
    sort.out = writer.make(step, command.out.base);
    if (input.extents.size() > 1) sort.values = gives_places ? make_aligned(writer, step, layout, input.dtype) : sort.out;
    step.body = std::move(sort);
    return writer.finish(std::move(step));
  }
  SortRuns runs{operand, input.dtype, layout, gives_places};
  Step first;
  const auto words = words_of_items(layout.axes[0].largest_interval(), input.dtype, gives_places);
  runs.items = make_scratch(writer, first, words, Dtype::int64);
  runs.spare = make_scratch(writer, first, words, Dtype::int64);
  first.body = runs;
  writer.finish(std::move(first));
  step.body = MergeRuns{runs, writer.make(step, command.out.base)};
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
      std::memcpy(&parameter.number, std::get<protocol::Scalar>(operand).bytes.data(), sizeof parameter.number);
    }
  }
  draw.out = writer.make(step, command.out.base);
  step.body = std::move(draw);
  writer.finish(std::move(step));
}

void lower_weigh(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& numbers = std::get<View>(command.in[0]);
  const auto& weights = std::get<View>(command.in[1]);
  const std::int64_t ranks = writer.context().options.ranks;
  Weigh weigh{read(writer, numbers), read(writer, weights), numbers.dtype, weights.dtype};
  weigh.count = numbers.extents[0];
  weigh.bins = command.out.extents[0];
  weigh.segments = command.ints[0];
  weigh.length = (weigh.count + weigh.segments - 1) / weigh.segments;
  weigh.per_rank = (weigh.segments + ranks - 1) / ranks;
  Step first;
  weigh.tables = make_scratch(writer, first, weigh.per_rank * weigh.bins, Dtype::float64);
  AddWeights add{weigh, -1};
  first.body = std::move(weigh);
  writer.finish(std::move(first));
  add.out = writer.make(step, command.out.base);
  step.body = std::move(add);
  writer.finish(std::move(step));
}

void lower_search(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& table = std::get<View>(command.in[0]);
  const auto& values = std::get<View>(command.in[1]);
  Search search{read(writer, table), read(writer, values), table.dtype, values.dtype, command.loop, command.ints[0] == 1, -1};
  search.out = writer.make(step, command.out.base);
  step.body = std::move(search);
  writer.finish(std::move(step));
}

/// Not cut along the axis, so that a line of it lies with one rank.
Layout uncut_layout(const Shape& extents, std::size_t axis, int ranks) {
  Shape others = extents;
  others[axis] = 1;
  Layout layout = dist::default_layout(others, ranks);
  layout.axes[axis] = {.extent = extents[axis], .template_extent = extents[axis]};
  layout.is_replicated = protocol::element_count(extents) <= 1;
  return layout;
}

}  // namespace

Layout layout_for_irregular(const Context& context, const protocol::Command& command) {
  if (command.op == Op::write_file) return layout_of_receipts(command, context.options.ranks);
  const auto& extents = command.out.extents;
  const bool goes_along_an_axis = command.op == Op::accumulate || command.op == Op::sort || command.op == Op::argsort;
  if ((goes_along_an_axis && extents.size() > 1) || command.op == Op::fourier)
    return uncut_layout(extents, static_cast<std::size_t>(command.ints[0]), context.options.ranks);
  if (command.op == Op::linalg) return layout_for_linalg(context, command);
  return dist::default_layout(command.out.extents, context.options.ranks);
}

void lower_irregular(StepWriter& writer, const protocol::Command& command, Step step) {
  if (command.op == Op::take) return lower_take(writer, command, std::move(step));
  if (command.op == Op::put) return lower_put(writer, command, std::move(step));
  if (command.op == Op::sort || command.op == Op::argsort) return lower_sort(writer, command, std::move(step));
  if (command.op == Op::bincount || command.op == Op::histogram) return lower_count(writer, command, std::move(step));
  if (command.op == Op::routine) return lower_routine(writer, command, std::move(step));
  if (command.op == Op::nonzero) return lower_nonzero(writer, command, std::move(step));
  if (command.op == Op::weighted_bincount) return lower_weigh(writer, command, std::move(step));
  if (command.op == Op::searchsorted) return lower_search(writer, command, std::move(step));
  if (command.op == Op::accumulate) return lower_accumulate(writer, command, std::move(step));
  if (command.op == Op::fourier) return lower_fourier(writer, command, std::move(step));
  if (command.op == Op::draw) return lower_draw(writer, command, std::move(step));
  if (command.op == Op::linalg) return lower_linalg(writer, command, std::move(step));
  if (protocol::is_of_file(command.op)) return lower_file(writer, command, std::move(step));
  throw protocol::Error(protocol::ErrorKind::internal, "[plan] no lowering for " + std::string(protocol::info(command.op).name));
}

}  // namespace gamelan::engine::plan
