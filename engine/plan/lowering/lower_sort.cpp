// SPDX-License-Identifier: BSD-3-Clause
// From sort and argsort to steps. A row is sorted in runs, one for each rank that has part of it, and the
// runs are merged; lines that lie with one rank each are one step. Decides how much memory that takes: the
// keys once, places of 32 bits where these suffice, and a little spare memory. Keys, places of the whole row
// and numbers of runs exist together no longer than necessary.
#include <algorithm>
#include <limits>

#include "engine/plan/lowering/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t cached_keys = 8192;   // a run of so many is sorted at once,
constexpr std::int64_t parts_of_a_run = 32;  // a longer one in parts of at most so much of it

/// The memory for runs of at most `longest` keys. `keys`: a slot that can be used for them, if there is one.
RunMemory run_memory(StepWriter& writer, Step& step, std::int64_t longest, Dtype dtype, bool gives_places,
                     int keys = -1) {
  const bool is_compared = protocol::info(dtype).kind == 'c';  // that takes no spare room
  RunMemory run;
  run.room = is_compared ? 1 : std::max(std::min(longest, cached_keys), longest / parts_of_a_run);
  run.keys = keys < 0 ? make_scratch(writer, step, longest, dtype) : keys;
  if (!gives_places) {
    run.spare = make_scratch(writer, step, run.room, dtype);
    return run;
  }
  const bool is_short = longest <= std::numeric_limits<std::uint32_t>::max();
  run.places = make_scratch(writer, step, longest, is_short ? Dtype::uint32 : Dtype::int64);
  run.spare = make_scratch(writer, step, run.room * RunMemory::spare_bytes_of_place, Dtype::uint8);
  return run;
}

void lower_lines(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& input = std::get<View>(command.in[0]);
  const bool gives_places = command.op == Op::argsort;
  const Layout layout = writer.context().arrays.at(command.out.base).layout;
  SortLines sort;
  sort.input = read(writer, input);
  sort.dtype = input.dtype;
  sort.axis = static_cast<std::size_t>(command.ints[0]);
  sort.places.assign(command.ints.begin() + 1, command.ints.end());
  sort.line = run_memory(writer, step, input.extents[sort.axis], input.dtype, gives_places);
  sort.out = writer.make(step, command.out.base);
  sort.values = gives_places ? make_aligned(writer, step, layout, input.dtype) : sort.out;
  step.body = std::move(sort);
  writer.finish(std::move(step));
}

/// The dtype that can number so many runs.
Dtype dtype_of_run(int runs) {
  if (runs <= 1 << 8) return Dtype::uint8;
  return runs <= 1 << 16 ? Dtype::uint16 : Dtype::uint32;
}

void lower_row(StepWriter& writer, const protocol::Command& command, Step step) {
  const auto& input = std::get<View>(command.in[0]);
  const Layout layout = writer.context().arrays.at(command.out.base).layout;
  const auto longest = layout.axes[0].largest_interval();
  const int parts = layout.axes[0].parts;
  SortRuns runs;
  runs.input = read(writer, input);
  runs.dtype = input.dtype;
  runs.layout = layout;
  if (command.op == Op::sort && parts == 1) {
    runs.is_result = true;
    runs.run = run_memory(writer, step, longest, input.dtype, false, writer.make(step, command.out.base));
    step.body = std::move(runs);
    return writer.finish(std::move(step));
  }
  Step first;
  runs.run = run_memory(writer, first, longest, input.dtype, command.op == Op::argsort);
  first.body = runs;
  writer.finish(std::move(first));
  if (command.op == Op::sort) {
    step.body = MergeRuns{.runs = runs, .out = writer.make(step, command.out.base)};
    return writer.finish(std::move(step));
  }
  CollectPlaces collect{.runs = runs};
  if (parts > 1) {
    Step second;
    collect.order = make_aligned(writer, second, layout, dtype_of_run(parts));
    collect.cuts = make_scratch(writer, second, 2 * parts, Dtype::int64);
    second.body = MergeRuns{runs, collect.order, collect.cuts};
    writer.finish(std::move(second));
  }
  collect.out = writer.make(step, command.out.base);
  step.body = std::move(collect);
  writer.finish(std::move(step));
}

}  // namespace

void lower_sort(StepWriter& writer, const protocol::Command& command, Step step) {
  const bool is_row = std::get<View>(command.in[0]).extents.size() == 1;
  if (is_row)
    lower_row(writer, command, std::move(step));
  else
    lower_lines(writer, command, std::move(step));
}

}  // namespace gamelan::engine::plan
