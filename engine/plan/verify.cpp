// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/verify.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/plan/operands.hpp"

namespace gamelan::engine::plan {
namespace {

struct Fault {
  std::string what;
};
void require(bool is_legal, const std::string& what) {
  if (!is_legal) throw Fault{what};
}
std::string name(int slot) { return "s" + std::to_string(slot); }

/// Follows slots and versions of arrays, step after step.
class Lives {
 public:
  explicit Lives(const Plan& plan) : states_(plan.slots.size(), State::none) {
    for (std::size_t s = 0; s < plan.slots.size(); ++s) {
      const auto& slot = plan.slots[s];
      owners_.push_back(slot.array);
      if (!slot.is_input) continue;
      states_[s] = State::written;
      require(current_.emplace(slot.array, static_cast<int>(s)).second,
              name(static_cast<int>(s)) + " is a second input for one array");
    }
  }

  void check(const Step& step) {
    const auto uses = uses_of(step);
    for (const int slot : step.allocates) {
      require(is_slot(slot), "allocates " + name(slot) + ", which there is not");
      require(state(slot) == State::none, "allocates " + name(slot) + ", which was there before");
      state(slot) = State::allocated;
    }
    std::set<int> written;
    for (const auto& use : uses) {
      require(is_slot(use.slot), "uses " + name(use.slot) + ", which there is not");
      require(state(use.slot) != State::none, "uses " + name(use.slot) + ", which nobody has allocated");
      require(state(use.slot) != State::released, "uses " + name(use.slot) + " after its release");
      if (!use.is_written)
        require(state(use.slot) == State::written, "reads " + name(use.slot) + ", which nobody has written");
      else
        check_write(step, use.slot, is_at_borders(step));
      if (use.is_written) written.insert(use.slot);
    }
    for (const int slot : step.allocates)
      require(written.contains(slot), "allocates " + name(slot) + ", and does not write it");
    for (const int slot : written) state(slot) = State::written;
    change_names(step);
    for (const int slot : step.releases) {
      require(is_slot(slot), "releases " + name(slot) + ", which there is not");
      require(state(slot) == State::written, "releases " + name(slot) + ", which is not alive");
      state(slot) = State::released;
    }
  }

  void finish() {
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const int slot = static_cast<int>(s);
      if (states_[s] != State::written) continue;
      require(!(owners_[s] >> 63), name(slot) + " is of a temporary, and is not released");
      const auto found = current_.find(owners_[s]);
      require(found != current_.end(), name(slot) + " is never bound to its array");
      require(found->second == slot, name(slot) + " is superseded, and is not released");
    }
  }

 private:
  enum class State : std::uint8_t { none, allocated, written, released };
  bool is_slot(int slot) const { return slot >= 0 && slot < static_cast<int>(states_.size()); }
  State& state(int slot) { return states_[static_cast<std::size_t>(slot)]; }

  /// `goes_on`: the step before has begun what it writes.
  void check_write(const Step& step, int slot, bool goes_on) {
    if (goes_on)
      return require(state(slot) == State::written, "goes on with " + name(slot) + ", which is new");
    if (std::find(step.allocates.begin(), step.allocates.end(), slot) != step.allocates.end()) return;
    const auto found = current_.find(owners_[static_cast<std::size_t>(slot)]);
    require(found != current_.end() && found->second == slot,
            "writes " + name(slot) + ", which is superseded or another array's");
  }

  void change_names(const Step& step) {
    for (const int slot : step.binds) {
      require(std::find(step.allocates.begin(), step.allocates.end(), slot) != step.allocates.end(),
              "binds " + name(slot) + ", which it has not allocated");
      current_[owners_[static_cast<std::size_t>(slot)]] = slot;
    }
    for (const auto& [slot, to] : step.hands_over) {
      require(is_slot(slot) && state(slot) == State::written,
              "hands over " + name(slot) + ", which is not alive");
      const auto found = current_.find(owners_[static_cast<std::size_t>(slot)]);
      require(found != current_.end(), "hands over " + name(slot) + ", which is never bound to its array");
      require(found->second != slot, "hands over " + name(slot) + ", which is its array's only version");
      owners_[static_cast<std::size_t>(slot)] = to;
      current_[to] = slot;
    }
  }

  std::vector<State> states_;
  std::vector<ArrayId> owners_;
  std::unordered_map<ArrayId, int> current_;  // version of each array
};

void check_slot(const Slot& slot, int ranks) {
  const auto& layout = slot.info.layout;
  require(layout.extents() == slot.info.extents, "extents and layout differ");
  require(layout.first_rank >= 0 && layout.grid_size >= 1 && layout.first_rank + layout.grid_size <= ranks,
          "the grid has ranks that there are not");
  for (const auto& axis : layout.axes)
    require(axis.extent >= 0 && axis.parts >= 1 && axis.rank_stride >= 1, "an axis makes no sense");
}

/// The box that a placement makes of a base of these extents lies inside it.
void check_box(const distribution::Placement& placement) {
  const auto& axes = placement.map.axes;
  const Shape extents = placement.iterations.extents();
  require(axes.size() == extents.size(), "a box has other axes than its iterations");
  if (protocol::element_count(extents) == 0) return;
  const Shape base = placement.base.extents();
  const auto is_inside = [&](std::size_t axis, std::int64_t index) {
    return axis < base.size() && index >= 0 && index < base[axis];
  };
  std::vector<bool> moves(base.size(), false);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].base_axis < 0) continue;
    const auto axis = static_cast<std::size_t>(axes[k].base_axis);
    require(
        is_inside(axis, axes[k].start) && is_inside(axis, axes[k].start + axes[k].step * (extents[k] - 1)),
        "a box reaches over the end of its slot");
    moves[axis] = true;
  }
  for (std::size_t b = 0; b < base.size(); ++b)
    require(moves[b] || (b < placement.map.fixed.size() && is_inside(b, placement.map.fixed[b])),
            "a box lies beside its slot");
}

class Steps {
 public:
  Steps(const Plan& plan, int ranks) : plan_(plan), ranks_(ranks) {}

  void check(const Step& step) {
    for (const auto* operand : operands_of(step)) check_operand(*operand);
    if (const auto* fused = std::get_if<FusedLoop>(&step.body))
      check_loop(*fused, fused->iterations.extents(), 0);
    if (const auto* fold = std::get_if<FoldBlocks>(&step.body)) check_fold(*fold);
    const auto check_part = [&](const auto& part) {
      if (const auto* fused = std::get_if<FusedLoop>(&part))
        check_loop(*fused, fused->iterations.extents(), 0);
      if (const auto* fold = std::get_if<FoldBlocks>(&part)) check_fold(*fold);
    };
    if (const auto* chain = std::get_if<RowChain>(&step.body))
      for (const auto& part : chain->parts) check_part(part);
    check_passing(step);
    if (const auto* wavefront = std::get_if<Wavefront>(&step.body))
      for (const auto& part : *wavefront->parts) {
        check_part(part.pass);
        const auto* fold = std::get_if<FoldBlocks>(&part.pass);
        require(fold == nullptr || (fold->block_extents.front() == 1 && !fold->values.interior &&
                                    !(fold->is_complete && fold->reduced.front())),
                "a reduction in a wavefront has blocks of several rows");
      }
    if (const auto* fold = std::get_if<FoldFinish>(&step.body))
      require(fold->kept_axes == fold->iterations.axes.size() &&
                  fold->kept_axes <= fold->input.placement.iterations.axes.size(),
              "the kept axes are not those of the result");
    if (const auto* gather = std::get_if<Gather>(&step.body)) check_view(gather->view, gather->from);
    if (const auto* scatter = std::get_if<Scatter>(&step.body)) check_view(scatter->view, scatter->to);
    require(std::all_of(step.commands.begin(), step.commands.end(),
                        [&](int command) { return command >= 0 && command <= step.command; }),
            "completes a command after its last one");
    require(step.prefix >= -1, "an interrupt before it leaves a negative number of commands");
    for (const auto& read : step.remote_reads) {
      const auto uses = uses_of(step);
      require(std::any_of(uses.begin(), uses.end(),
                          [&](const Use& use) { return use.slot == read.slot && !use.is_written; }),
              "is sent " + name(read.slot) + ", which it does not read");
      require(read.axes.size() == read.placement.iterations.axes.size(), "a remote read has axes too few");
    }
  }

 private:
  const ArrayInfo& info(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].info; }

  /// The box lies in the slot, as it is stored or under other extents (engine/distribution/reshaped.hpp). The
  /// first axis of these may have a last index that is there in part.
  void check_operand(const Operand& operand) const {
    const auto& placement = operand.placement;
    const auto bytes = protocol::element_count(info(operand.slot).extents) *
                       static_cast<std::int64_t>(protocol::size_of(info(operand.slot).dtype));
    const Shape extents = placement.base.extents();
    require(placement.item_bytes == protocol::size_of(info(operand.slot).dtype) ||
                extents != info(operand.slot).extents,
            "takes elements of " + name(operand.slot) + " for others");
    const auto seen = protocol::element_count(extents) * static_cast<std::int64_t>(placement.item_bytes);
    const auto outer = std::find_if(extents.begin(), extents.end(), [](auto extent) { return extent != 1; });
    require(seen == bytes || (seen > bytes && outer != extents.end() && seen - seen / *outer < bytes),
            "takes " + name(operand.slot) + " for larger or smaller than it is");
    check_box(placement);
  }

  /// A slot of which there are some rows only lives within the chain that has these rows.
  void check_passing(const Step& step) const {
    const auto* chain = std::get_if<RowChain>(&step.body);
    const auto has = [](const std::vector<int>& slots, int slot) {
      return std::find(slots.begin(), slots.end(), slot) != slots.end();
    };
    for (const auto* operand : chain != nullptr ? operands_of(step) : std::vector<const Operand*>())
      if (operand->may_be_remote && is_for_all_rows(*operand) && !operand->is_written) {
        const auto uses = uses_of(step);
        require(std::any_of(uses.begin(), uses.end(),
                            [&](const Use& use) { return use.slot == operand->slot && use.may_be_remote; }),
                "nobody waits for the ranks that read " + name(operand->slot));
      }
    for (const int slot : slots_of(step)) {
      const auto rows = plan_.slots[static_cast<std::size_t>(slot)].rows_kept;
      const bool passes = chain != nullptr && has(chain->passing, slot);
      require(passes == (rows > 0), "some rows of " + name(slot) + " are taken for all");
      if (!passes) continue;
      require(rows >= chain->together, "there is no room for rows of " + name(slot));
      require(has(step.allocates, slot) && has(step.releases, slot), name(slot) + " outlives its chain");
    }
  }

  /// A view lies in the bytes of a slot.
  void check_view(const View& view, int slot) const {
    if (protocol::element_count(view.extents) == 0) return;
    std::int64_t first = view.offset, last = view.offset;
    for (std::size_t k = 0; k < view.extents.size(); ++k)
      (view.strides[k] < 0 ? first : last) += view.strides[k] * (view.extents[k] - 1);
    last += static_cast<std::int64_t>(protocol::size_of(view.dtype));
    const auto bytes = protocol::element_count(info(slot).extents) *
                       static_cast<std::int64_t>(protocol::size_of(info(slot).dtype));
    require(first >= 0 && last <= bytes, "a view reaches over the end of " + name(slot));
  }

  /// `folds`: how many reductions take its values.
  void check_loop(const FusedLoop& fused, const Shape& extents, std::size_t folds) const {
    const auto& program = fused.program;
    require(fused.operands.size() == program.operands.size(), "the program has other operands than its loop");
    for (const auto& operand : fused.operands) {
      if (operand.source == Operand::Source::scratch)
        require(operand.fold >= 0 && operand.fold < static_cast<int>(folds), "values are for no fold");
      if (operand.source == Operand::Source::payload)
        require(operand.payload >= 0, "a payload has no number");
      if (operand.source != Operand::Source::slot) continue;
      require(operand.placement.iterations.extents() == extents,
              "an operand has other extents than the loop");
      if (folds > 0 || operand.may_be_remote) {
        require(folds > 0 || ranks_ == 1 || !operand.is_written,
                "writes " + name(operand.slot) + " where another rank has it");
        continue;
      }
      require(info(operand.slot).layout.is_replicated || operand.placement.iterations == fused.iterations,
              "takes " + name(operand.slot) + " for local, which lies elsewhere");
    }
    check_program(fused);
    if (!fused.interior) return;
    const auto& inner = *fused.interior;
    const Shape inside = inner.iterations.extents();
    require(!inner.interior && inner.carries.empty(), "an interior has an interior, or carries");
    require(inside.size() == extents.size() && fused.interior_first.size() == extents.size(),
            "an interior has other axes than the loop");
    for (std::size_t k = 0; k < extents.size(); ++k)
      require(fused.interior_first[k] >= 0 && fused.interior_first[k] + inside[k] <= extents[k],
              "an interior reaches over the end of the iterations");
    check_loop(inner, inside, folds);
  }

  static void check_program(const FusedLoop& fused) {
    const auto& program = fused.program;
    std::vector<bool> is_defined(program.registers.size(), false);
    const auto reads = [&](int number) {
      require(number >= 0 && number < static_cast<int>(is_defined.size()) &&
                  is_defined[static_cast<std::size_t>(number)],
              "r" + std::to_string(number) + " is read before it is written");
    };
    const auto operand = [&](const Instruction& instruction) -> const Operand& {
      require(instruction.operand >= 0 && instruction.operand < static_cast<int>(fused.operands.size()),
              "an instruction has no operand");
      return fused.operands[static_cast<std::size_t>(instruction.operand)];
    };
    for (const auto& instruction : program.code) {
      using Kind = Instruction::Kind;
      if (instruction.kind == Kind::load)
        require(operand(instruction).source != Operand::Source::scratch, "loads from scratch");
      if (instruction.kind == Kind::store) {
        require(operand(instruction).is_written, "stores to an operand that is only read");
        reads(instruction.in[0]);
        continue;
      }
      if (instruction.kind == Kind::cast) reads(instruction.in[0]);
      if (instruction.kind == Kind::compute)
        for (const int in : instruction.in)
          if (in >= 0) reads(in);
      require(instruction.out >= 0 && instruction.out < static_cast<int>(is_defined.size()),
              "an instruction has no register for its result");
      is_defined[static_cast<std::size_t>(instruction.out)] = true;
    }
  }

  void check_fold(const FoldBlocks& fold) const {
    const auto dims = fold.extents.size();
    require(fold.reduced.size() == dims && fold.block_extents.size() == dims &&
                fold.values.iterations.axes.size() == dims,
            "a reduction has axes of several kinds");
    Shape partials;
    for (std::size_t k = 0; k < dims; ++k) {
      const auto block = fold.block_extents[k];
      require(block >= 1 && (fold.reduced[k] || block == 1), "a reduction block reaches along a kept axis");
      const auto blocks = (fold.extents[k] + block - 1) / block;
      require(fold.values.iterations.axes[k].extent == blocks, "the blocks do not make up the whole");
      partials.push_back(fold.is_complete && fold.reduced[k] ? 1 : blocks);
    }
    Shape results;
    for (std::size_t k = 0; k < dims; ++k)
      if (!fold.reduced[k]) results.push_back(partials[k]);
    Layout of_results = fold.kept;
    of_results.axes.clear();
    for (std::size_t k = 0; k < fold.kept.axes.size() && k < dims; ++k)
      if (!fold.reduced[k]) of_results.axes.push_back(fold.kept.axes[k]);
    for (const auto& each : fold.folds) {
      const auto& of = info(each.partials);
      if (has_moments(each.op)) {
        Shape of_moments = partials;
        of_moments.insert(of_moments.begin() + static_cast<std::ptrdiff_t>(moments_axis(fold.reduced)),
                          moment_parts);
        require(of.extents == of_moments, "moments are not one record for each block");
        require(!each.is_result && of.dtype == Dtype::float64, "moments are of another dtype");
        continue;
      }
      require(of.extents == (each.is_result ? results : partials), "partials are not one for each block");
      require(of.dtype == each.loop, "partials have another dtype than their fold");
      if (!each.is_result) continue;
      require(of.layout == of_results, "a result lies otherwise than its partials");
      require(protocol::element_count(results) == protocol::element_count(partials),
              "a result of several blocks");
    }
    check_loop(fold.values, fold.extents, fold.folds.size());
  }

  const Plan& plan_;
  int ranks_;
};

}  // namespace

std::optional<std::string> find_fault(const Plan& plan, int ranks) {
  std::string where;
  try {
    for (std::size_t s = 0; s < plan.slots.size(); ++s) {
      where = name(static_cast<int>(s)) + ": ";
      check_slot(plan.slots[s], ranks);
    }
    where.clear();
    Lives lives(plan);
    Steps steps(plan, ranks);
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
      where = "step " + std::to_string(s) + ": ";
      lives.check(plan.steps[s]);
      steps.check(plan.steps[s]);
    }
    where = "the end: ";
    lives.finish();
  } catch (const Fault& fault) {
    return where + fault.what;
  }
  return std::nullopt;
}

}  // namespace gamelan::engine::plan
