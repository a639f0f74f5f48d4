// SPDX-License-Identifier: BSD-3-Clause
// Irregular commands -> steps: take, put, nonzero and more. Where elements go is known from data only, so a step reads what it needs where
// it lies, and what must be written elsewhere is first sorted by its owner (Route) and then applied by it (Deliver).
#include <algorithm>
#include <bit>

#include "engine/plan/merged_axes.hpp"
#include "engine/plan/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bucket_bytes = 1 << 19;  // of the target: what its owner writes at random stays in a second-level cache
constexpr int most_buckets = 1024;

Operand read(StepWriter& writer, const View& view) {
  Operand operand;
  operand.slot = writer.current(view.base);
  const auto& info = writer.context().arrays.at(view.base);
  operand.placement = place_merged(view, info).value();
  operand.may_be_remote = !info.layout.is_replicated;
  return operand;
}

/// A slot of `per_rank` elements on every rank, gone after its last use.
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
    sort.items = make_scratch(writer, step, 2 * words_of_items(input.extents[axis], input.dtype, gives_places) + 1, Dtype::int64);
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
  const auto& extents = command.out.extents;
  const bool goes_along_an_axis = command.op == Op::accumulate || command.op == Op::sort || command.op == Op::argsort;
  if (goes_along_an_axis && extents.size() > 1)
    return uncut_layout(extents, static_cast<std::size_t>(command.ints[0]), context.options.ranks);
  return dist::default_layout(command.out.extents, context.options.ranks);
}

void lower_irregular(StepWriter& writer, const protocol::Command& command, Step step) {
  if (command.op == Op::take) return lower_take(writer, command, std::move(step));
  if (command.op == Op::put) return lower_put(writer, command, std::move(step));
  if (command.op == Op::sort || command.op == Op::argsort) return lower_sort(writer, command, std::move(step));
  if (command.op == Op::bincount || command.op == Op::histogram) return lower_count(writer, command, std::move(step));
  if (command.op == Op::nonzero) return lower_nonzero(writer, command, std::move(step));
  if (command.op == Op::accumulate) return lower_accumulate(writer, command, std::move(step));
  throw protocol::Error(protocol::ErrorKind::internal, "[plan] no lowering for " + std::string(protocol::info(command.op).name));
}

namespace {

class Uses {
 public:
  std::vector<Use> all;
  void operator()(const Take& take) {
    reads(take.source);
    reads(take.index);
    all.push_back({take.out, true, false});
  }
  void operator()(const Route& route) {
    reads(route.index);
    if (!route.number && !route.carries_rows) reads(route.values);
    all.push_back({route.counts, true, false});
    all.push_back({route.pairs, true, false});
  }
  void operator()(const Deliver& deliver) {
    all.push_back({deliver.route.counts, false, true});
    all.push_back({deliver.route.pairs, false, true});
    if (!deliver.route.number && deliver.route.carries_rows) reads(deliver.route.values);
    all.push_back({deliver.target.slot, true, false});
  }
  void operator()(const ScanTotals& totals) {
    reads(totals.scan.input);
    all.push_back({totals.totals, true, false});
  }
  void operator()(const Scan& scan) {
    reads(scan.input);
    if (scan.totals.slot >= 0) reads(scan.totals);
    all.push_back({scan.out, true, false});
  }
  void operator()(const Find& find) {
    reads(find.flags);
    all.push_back({find.lists, true, false});
    all.push_back({find.lengths, true, false});
  }
  void operator()(const Collect& collect) {
    all.push_back({collect.find.lists, false, true});
    reads(collect.lengths);
    all.push_back({collect.out, true, false});
  }
  void operator()(const SortLines& sort) {
    reads(sort.input);
    if (sort.values >= 0 && sort.values != sort.out) all.push_back({sort.values, true, false});
    all.push_back({sort.items, true, false});
    all.push_back({sort.out, true, false});
  }
  void operator()(const SortRuns& sort) {
    reads(sort.input);
    all.push_back({sort.items, true, false});
    all.push_back({sort.spare, true, false});
  }
  void operator()(const MergeRuns& merge) {
    all.push_back({merge.runs.items, false, true});
    all.push_back({merge.out, true, false});
  }
  void operator()(const Count& count) {
    reads(count.input);
    if (count.edges) reads(*count.edges);
    all.push_back({count.counts, true, false});
  }
  void operator()(const AddCounts& add) {
    all.push_back({add.counts, false, true});
    all.push_back({add.out, true, false});
  }
  template <class Regular>
  void operator()(const Regular&) {}

 private:
  void reads(const Operand& operand) { all.push_back({operand.slot, false, operand.may_be_remote}); }
};

struct Describe {
  static std::string name(int slot) { return "s" + std::to_string(slot); }
  std::string operator()(const Take& take) const {
    return "take " + name(take.source.slot) + " at " + name(take.index.slot) + " along axis " + std::to_string(take.axis) + " to " + name(take.out);
  }
  std::string operator()(const Route& route) const {
    return "route " + (route.number ? "a number" : name(route.values.slot)) + " by " + name(route.index.slot) + " to " + name(route.pairs);
  }
  std::string operator()(const Deliver& deliver) const { return "deliver " + name(deliver.route.pairs) + " to " + name(deliver.target.slot); }
  std::string operator()(const Find& find) const { return "find what is true in " + name(find.flags.slot) + " to " + name(find.lists); }
  std::string operator()(const Collect& collect) const { return "collect " + name(collect.find.lists) + " to " + name(collect.out); }
  std::string operator()(const ScanTotals& totals) const {
    return "fold bricks of " + std::to_string(totals.scan.brick) + " of " + name(totals.scan.input.slot) + " to " + name(totals.totals);
  }
  std::string operator()(const Scan& scan) const {
    return "scan " + name(scan.input.slot) + " with " + std::string(protocol::info(scan.op).name) + " along axis " + std::to_string(scan.axis) + " to " + name(scan.out);
  }
  std::string operator()(const SortLines& sort) const {
    return "sort lines of " + name(sort.input.slot) + " along axis " + std::to_string(sort.axis) + " to " + name(sort.out);
  }
  std::string operator()(const SortRuns& sort) const { return "sort runs of " + name(sort.input.slot) + " to " + name(sort.items); }
  std::string operator()(const MergeRuns& merge) const { return "merge runs " + name(merge.runs.items) + " to " + name(merge.out); }
  std::string operator()(const Count& count) const {
    return "count " + name(count.input.slot) + " in " + std::to_string(count.bins) + " bins to " + name(count.counts);
  }
  std::string operator()(const AddCounts& add) const { return "add counts " + name(add.counts) + " to " + name(add.out); }
  template <class Regular>
  std::string operator()(const Regular&) const { return {}; }
};

}  // namespace

std::vector<Use> irregular_uses(const Step& step) {
  Uses uses;
  std::visit(uses, step.body);
  return std::move(uses.all);
}

std::string describe_irregular(const Step& step) { return std::visit(Describe(), step.body); }

}  // namespace gamelan::engine::plan
