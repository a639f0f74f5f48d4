// SPDX-License-Identifier: BSD-3-Clause
// From a group with reductions to steps: one that folds the reduction blocks of all of them (FoldBlocks),
// more of that kind while there are many partials, then one for each reduction that folds the last partials
// to its results (FoldFinish), unless there is one partial for each.
#include <algorithm>

#include "engine/plan/lowering/program_builder.hpp"
#include "engine/plan/lowering/step_writer.hpp"
#include "engine/plan/passes/reduction_blocks.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t largest_complete_fold =
    16384;                                    // elements that a rank holds at once to finish a result alone
constexpr std::int64_t most_partials = 4096;  // of a result, that are finished in one step
constexpr std::int64_t few_partials = 128;    // where a tree of steps ends, when few ranks read them all,
constexpr std::int64_t fewer_partials = 16;   // and when many do

distribution::Placement place(const ArrayInfo& info, const View& view) {
  return placement_of(view, info).value();
}

/// The layout of partials that are moments.
Layout with_moments(Layout partials, const std::vector<bool>& reduced) {
  partials.axes.insert(partials.axes.begin() + static_cast<std::ptrdiff_t>(moments_axis(reduced)),
                       {.extent = moment_parts, .template_extent = moment_parts});
  return partials;
}

/// A new array for the partials, released after its last use.
ArrayId make_partials(Context& context, const Layout& layout, Dtype dtype) {
  const auto id = context.next_temporary++;
  context.arrays[id] = {layout.extents(), dtype, layout};
  context.created.insert(id);
  context.dead.insert(id);
  return id;
}

/// View of the partials with the kept axes first, the reduced ones (reduction blocks) after them, and that of
/// moments, if there is one, at the end.
View kept_axes_first(const View& whole, const std::vector<bool>& reduced, bool are_moments) {
  View turned = whole;
  turned.extents.clear();
  turned.strides.clear();
  const auto add = [&](std::size_t k) {
    turned.extents.push_back(whole.extents[k]);
    turned.strides.push_back(whole.strides[k]);
  };
  const auto parts = are_moments ? moments_axis(reduced) : reduced.size();
  for (const bool want_reduced : {false, true})
    for (std::size_t k = 0; k < reduced.size(); ++k)
      if (reduced[k] == want_reduced) add(k < parts ? k : k + 1);
  if (are_moments) add(parts);
  return turned;
}

void finish_fold(StepWriter& writer, const Node& reduction, const FoldBlocks& fold,
                 const FoldBlocks::Fold& each, ArrayId partials) {
  const auto& command = reduction.command;
  const auto& arrays = writer.context().arrays;
  FoldFinish body;
  body.fold = each.op;
  body.loop = each.loop;
  body.command = each.command;
  body.partials = each.partials;
  body.is_empty = protocol::element_count(fold.extents) == 0;
  body.kept_axes = static_cast<std::size_t>(std::count(fold.reduced.begin(), fold.reduced.end(), false));
  const auto& of_partials = arrays.at(partials);
  body.input.slot = each.partials;
  body.input.placement =
      place(of_partials, kept_axes_first(protocol::whole(partials, each.loop, of_partials.extents),
                                         fold.reduced, has_moments(each.op)));
  body.input.may_be_remote = true;

  Step step;
  step.command = reduction.source;
  if (reduction.source >= 0) step.commands.push_back(reduction.source);
  body.output.slot = command.creates ? writer.make(step, command.out.base) : writer.current(command.out.base);
  body.output.placement = place(arrays.at(command.out.base), command.out);
  body.output.is_written = true;
  body.output_dtype = command.out.dtype;
  body.iterations = body.output.placement.iterations;
  step.body = std::move(body);
  writer.finish(std::move(step));
}

/// The number of partials that make one result.
std::int64_t partials_per_result(const Shape& extents, const std::vector<bool>& reduced) {
  std::int64_t count = 1;
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (reduced[k]) count *= extents[k];
  return count;
}

/// Writes the step that folds reduction blocks of partials, and replaces `partials` by their results. So a
/// rank reads the last partials from few ranks, however many there are. The form of the tree depends on the
/// array's extents alone.
void fold_partials(StepWriter& writer, FoldBlocks& fold, std::vector<ArrayId>& partials) {
  auto& context = writer.context();
  const auto& below = context.arrays.at(partials.front());
  Step step;
  FoldBlocks next;
  next.extents = below.extents;
  next.reduced = fold.reduced;
  next.block_extents = reduction_block_of_partials(next.extents, next.reduced);
  next.folds = fold.folds;
  next.values.iterations = layout_of_reduction_blocks(below.layout, next.extents, next.block_extents);
  const auto add_operand = [&](Operand operand, Dtype dtype) {
    next.values.operands.push_back(std::move(operand));
    next.values.program.operands.push_back(dtype);
    return static_cast<int>(next.values.operands.size()) - 1;
  };
  ProgramBuilder builder(next.values.program,
                         [&](const View& view, bool) {
                           Operand read;
                           read.slot = writer.current(view.base);
                           read.placement = place(context.arrays.at(view.base), view);
                           read.may_be_remote = true;
                           return add_operand(std::move(read), view.dtype);
                         },
                         {});
  for (std::size_t f = 0; f < partials.size(); ++f) {
    const auto loop = fold.folds[f].loop;
    const int value = builder.value(protocol::whole(partials[f], loop, next.extents), loop);
    Operand scratch;
    scratch.source = Operand::Source::scratch;
    scratch.fold = static_cast<int>(f);
    scratch.is_written = true;
    builder.store(value, add_operand(std::move(scratch), loop));
  }
  for (std::size_t f = 0; f < partials.size(); ++f) {
    partials[f] = make_partials(context, next.values.iterations, fold.folds[f].loop);
    next.folds[f].partials = writer.make(step, partials[f]);
  }
  fold = next;
  step.body = std::move(next);
  writer.finish(std::move(step));
}

/// True when the partials are the command's new array, block by block: `kept` is its layout but for reduced
/// axes of extent 1.
bool are_results(const Context& context, const protocol::Command& command, const FoldBlocks& fold,
                 Dtype loop) {
  const auto& info = context.arrays.at(command.out.base);
  if (has_moments(command.op) || !command.creates || info.dtype != loop || command.out.dtype != loop ||
      protocol::element_count(fold.extents) == 0 ||
      !protocol::same_elements(command.out, protocol::whole(command.out.base, info.dtype, info.extents)))
    return false;
  Layout without = fold.kept;
  without.axes.clear();
  for (std::size_t k = 0; k < fold.reduced.size(); ++k)
    if (!fold.reduced[k])
      without.axes.push_back(fold.kept.axes[k]);
    else if (fold.kept.axes[k].extent != 1 || fold.kept.axes[k].parts != 1)
      return false;
  return !without.axes.empty() && info.layout == without;
}

}  // namespace

Dtype loop_of_fold(const protocol::Command& command) {
  return protocol::info(command.op).result == protocol::Result::boolean ? Dtype::bool_ : command.loop;
}

void lower_fold(StepWriter& writer, const Group& group, FusedLoop values, Step step) {
  auto& context = writer.context();
  const auto& axes = *group.fold_axes;
  FoldBlocks fold;
  const Shape& extents = group.extents;
  fold.extents = extents;
  fold.reduced = reduced_axes(axes, group.extents.size());
  fold.block_extents = reduction_block_extents(group.extents, fold.reduced);
  const Layout blocks = layout_of_reduction_blocks(values.iterations, fold.extents, fold.block_extents);
  fold.values = std::move(values);
  fold.values.iterations = blocks;
  // When no rank's reduction blocks end inside the reduced axes, and few elements make one result, no
  // partials are kept.
  std::int64_t reduced = 1;
  for (const auto axis : axes) reduced *= fold.extents[static_cast<std::size_t>(axis)];
  fold.is_complete = !fold.reduced.empty() && fold.reduced.back() && reduced <= largest_complete_fold &&
                     std::all_of(axes.begin(), axes.end(), [&](auto axis) {
                       return blocks.axes[static_cast<std::size_t>(axis)].parts == 1;
                     });
  fold.kept = blocks;
  if (fold.is_complete)
    for (const auto axis : axes)
      fold.kept.axes[static_cast<std::size_t>(axis)] = {.extent = 1, .template_extent = 1};

  std::vector<const Node*> reductions, with_records;
  std::vector<ArrayId> partials, records;
  for (const int n : group.nodes) {
    const auto& node = context.nodes[static_cast<std::size_t>(n)];
    if (node.kind != Node::Kind::reduce) continue;
    const auto loop = loop_of_fold(node.command);
    const bool are_moments = has_moments(node.command.op);
    FoldBlocks::Fold each{are_moments ? node.command.op : protocol::info(node.command.op).of, loop, -1,
                          node.source};
    each.is_result = are_results(context, node.command, fold, loop);
    if (each.is_result) {
      each.partials = writer.make(step, node.command.out.base);
      fold.folds.push_back(each);
      continue;
    }
    const auto made = are_moments
                          ? make_partials(context, with_moments(fold.kept, fold.reduced), Dtype::float64)
                          : make_partials(context, fold.kept, loop);
    (are_moments ? with_records : reductions).push_back(&node);
    (are_moments ? records : partials).push_back(made);
    each.partials = writer.make(step, made);
    fold.folds.push_back(each);
    std::erase(step.commands, node.source);  // its second half completes it
  }
  step.command = step.commands.empty() ? -1 : *std::max_element(step.commands.begin(), step.commands.end());
  step.body = fold;
  writer.finish(std::move(step));
  FoldBlocks of_moments = fold;
  std::erase_if(of_moments.folds, [](const auto& each) { return !has_moments(each.op); });
  std::erase_if(fold.folds, [](const auto& each) { return each.is_result || has_moments(each.op); });
  for (std::size_t k = 0; k < with_records.size(); ++k) {
    of_moments.folds[k].loop = Dtype::float64;
    finish_fold(writer, *with_records[k], of_moments, of_moments.folds[k], records[k]);
  }
  if (reductions.empty()) return;
  const auto count = [&] {
    return partials_per_result(context.arrays.at(partials.front()).extents, fold.reduced);
  };
  const bool is_large = distribution::is_for_many_ranks(extents);
  if (count() > (is_large ? few_partials : most_partials))
    while (count() > (is_large ? fewer_partials : few_partials) &&
           protocol::element_count(
               reduction_block_of_partials(context.arrays.at(partials.front()).extents, fold.reduced)) > 1)
      fold_partials(writer, fold, partials);
  for (std::size_t k = 0; k < reductions.size(); ++k)
    finish_fold(writer, *reductions[k], fold, fold.folds[k], partials[k]);
}

}  // namespace gamelan::engine::plan
