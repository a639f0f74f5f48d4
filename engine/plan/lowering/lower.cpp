// SPDX-License-Identifier: BSD-3-Clause
// From groups to steps. Chooses the version (slot) of each array that a step reads and writes, builds the
// programs, and decides when storage is allocated and released. No hazards are decided here (`fuse` has done
// that). The order of steps is the order of groups.
#include <algorithm>

#include "engine/plan/lowering/memory_streams.hpp"
#include "engine/plan/lowering/program_builder.hpp"
#include "engine/plan/lowering/step_writer.hpp"
#include "engine/plan/passes/interior.hpp"
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {

namespace {

class Lowering : private StepWriter {
 public:
  explicit Lowering(Context& context) : context_(context) {}

  Plan run() {
    for (const auto& group : context_.groups) lower(group);
    end_lives();
    return std::move(plan_);
  }

 private:
  Context& context() override { return context_; }
  const Node& node(int n) const { return context_.nodes[static_cast<std::size_t>(n)]; }
  const ArrayInfo& info_of(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].info; }

  int new_slot(ArrayId array, bool is_input) {
    plan_.slots.push_back({array, context_.arrays.at(array), is_input});
    return static_cast<int>(plan_.slots.size()) - 1;
  }

  /// The slot of the array's current version, which a step reads.
  int current(ArrayId array) override {
    if (const auto found = current_.find(array); found != current_.end()) return found->second;
    return current_[array] = new_slot(array, true);
  }

  /// Makes a new version, which is current after the step.
  int make(Step& step, ArrayId array) override {
    const int slot = new_slot(array, false);
    step.allocates.push_back(slot);
    step.binds.push_back(slot);
    return slot;
  }

  Operand operand(int slot, const View& view, const Layout& iterations, bool is_written) const {
    const auto& info = info_of(slot);
    Operand result;
    result.slot = slot;
    result.placement = placement_of(view, info).value();
    result.is_written = is_written;
    result.may_be_remote = !info.layout.is_replicated && result.placement.iterations != iterations;
    return result;
  }

  void lower(const Group& group) {
    Step step;
    for (const int n : group.nodes) {
      if (node(n).again_after != 0) continue;
      step.command = std::max(step.command, node(n).source);
      if (node(n).source >= 0) step.commands.push_back(node(n).source);
    }
    switch (node(group.nodes.front()).kind) {
      case Node::Kind::gather:
        lower_copy(group, std::move(step), true);
        break;
      case Node::Kind::scatter:
        lower_copy(group, std::move(step), false);
        break;
      case Node::Kind::matmul:
        lower_matmul(group, std::move(step));
        break;
      case Node::Kind::elided_copy:
        note_copy(node(group.nodes.front()));
        break;
      case Node::Kind::irregular:
        lower_irregular(*this, node(group.nodes.front()).command, std::move(step));
        break;
      case Node::Kind::elementwise:
      case Node::Kind::reduce:
        lower_pass(group, std::move(step));
        break;
    }
  }

  void finish(Step step) override {
    for (const int slot : step.binds) current_[plan_.slots[static_cast<std::size_t>(slot)].array] = slot;
    plan_.steps.push_back(std::move(step));
  }

  void lower_copy(const Group& group, Step step, bool is_gather) {
    const auto& command = node(group.nodes.front()).command;
    const auto& from = std::get<View>(command.in[0]);
    if (is_gather && from.base == command.out.base) {  // the same array, stored anew
      plan_.slots.push_back({from.base, context_.relayouts.at(from.base), true});
      current_[from.base] = static_cast<int>(plan_.slots.size()) - 1;
    }
    const int source = current(from.base);
    if (is_gather)
      step.body = Gather{source, make(step, command.out.base), from};
    else
      step.body = Scatter{source, current(command.out.base), command.out,
                          info_of(current(command.out.base)).layout.is_replicated};
    finish(std::move(step));
  }

  /// From now on the copy is read where its original is. The command that writes the original leaves the
  /// version to the copy.
  void note_copy(const Node& copy) {
    const auto original = std::get<View>(copy.command.in[0]).base;
    current_[copy.command.out.base] = current(original);
    copies_[original] = &copy;
  }

  /// The step makes a new version of `array`: a copy of the old one takes it over.
  void hand_over(Step& step, ArrayId array, int from) {
    const auto found = copies_.find(array);
    if (found == copies_.end()) return;
    const Node& copy = *found->second;
    step.hands_over.push_back({from, copy.command.out.base});
    owner_[from] = copy.command.out.base;
    if (copy.source >= 0) step.commands.push_back(copy.source);
    copies_.erase(found);
  }

  void lower_matmul(const Group& group, Step step) {
    const auto& command = node(group.nodes.front()).command;
    const auto& left = std::get<View>(command.in[0]);
    const auto& right = std::get<View>(command.in[1]);
    const Layout nowhere;  // any rank may read any block
    Matmul matmul;
    matmul.left = operand(current(left.base), left, nowhere, false);
    matmul.right = operand(current(right.base), right, nowhere, false);
    matmul.dtype = command.loop;
    matmul.extents = command.out.extents;
    matmul.inner = left.extents.back();
    if (const auto length = matmul_chunk_length(matmul); length > 0)
      return lower_matmul_chunks(std::move(matmul), length, command.out.base, std::move(step));
    if (is_halved(matmul)) return lower_halved(std::move(matmul), command.out, std::move(step));
    matmul.out = make(step, command.out.base);
    step.body = std::move(matmul);
    finish(std::move(step));
  }

  void lower_halved(Matmul matmul, const View& out, Step step) {
    Step first;
    matmul.is_halved = true;
    matmul.out = make(first, out.base);
    std::swap(first.binds, step.binds);  // the array is whole after the second step
    View mirrored = out;
    std::reverse(mirrored.extents.begin(), mirrored.extents.end());
    std::reverse(mirrored.strides.begin(), mirrored.strides.end());
    const Layout nowhere;
    const MirrorTiles mirror{operand(matmul.out, mirrored, nowhere, false), matmul.out, matmul.dtype};
    first.body = std::move(matmul);
    finish(std::move(first));
    step.body = mirror;
    finish(std::move(step));
  }

  void lower_matmul_chunks(Matmul matmul, std::int64_t length, ArrayId out, Step step) {
    MatmulChunks chunks;
    chunks.length = length;
    chunks.chunks = (matmul.inner + length - 1) / length;
    chunks.per_rank = (chunks.chunks + context().options.ranks - 1) / context().options.ranks;
    Step first;
    chunks.tables =
        make_scratch(*this, first, chunks.per_rank * protocol::element_count(matmul.extents), matmul.dtype);
    chunks.product = std::move(matmul);
    first.body = chunks;
    finish(std::move(first));
    AddChunks add{std::move(chunks), make(step, out)};
    step.body = std::move(add);
    finish(std::move(step));
  }

  /// New versions of the arrays that the pass writes while it reads them elsewhere.
  void make_versions(const Group& group, Step& step, FusedLoop& fused) {
    for (const auto array : group.versioned) {
      const int from = current(array);
      versions_[array] = make(step, array);
      hand_over(step, array, from);
      for (const auto& write : group.writes)
        if (write.base == array) {
          const auto placement = placement_of(write, info_of(from)).value();
          fused.carries.push_back({from, versions_[array], placement.base, placement.map, write.extents});
          break;
        }
    }
  }

  /// What a pass reads and writes, found while its program is built.
  class Operands {
   public:
    Operands(Lowering& lowering, Step& step, FusedLoop& fused, bool has_folds)
        : lowering_(lowering), step_(step), fused_(fused), has_folds_(has_folds) {}

    int of_view(const View& view, bool is_written) {
      const int slot = is_written ? slot_to_write(view.base) : lowering_.current(view.base);
      const auto [found, is_new] = index_.try_emplace({slot, view.dtype, view.offset, view.strides},
                                                      static_cast<int>(fused_.operands.size()));
      if (is_new) {
        auto operand = lowering_.operand(slot, view, fused_.iterations, is_written);
        if (has_folds_) operand.may_be_remote = !lowering_.info_of(slot).layout.is_replicated;
        add(std::move(operand), view.dtype);
      }
      fused_.operands[static_cast<std::size_t>(found->second)].is_written |= is_written;
      return found->second;
    }
    int of_payload(const protocol::Command& command) {
      Operand payload;
      payload.source = Operand::Source::payload;
      payload.payload = command.payload;
      return add(std::move(payload), command.loop);
    }
    int scratch(Dtype dtype, int fold) {
      Operand scratch;
      scratch.source = Operand::Source::scratch;
      scratch.fold = fold;
      scratch.is_written = true;
      return add(std::move(scratch), dtype);
    }

   private:
    int add(Operand operand, Dtype dtype) {
      fused_.operands.push_back(std::move(operand));
      fused_.program.operands.push_back(dtype);
      return static_cast<int>(fused_.operands.size()) - 1;
    }
    int slot_to_write(ArrayId array) {
      auto& versions = lowering_.versions_;
      if (const auto version = versions.find(array); version != versions.end()) return version->second;
      if (lowering_.context_.created.contains(array) && !lowering_.current_.contains(array))
        return versions[array] = lowering_.make(step_, array);
      return lowering_.current(array);
    }

    Lowering& lowering_;
    Step& step_;
    FusedLoop& fused_;
    bool has_folds_;
    std::map<std::tuple<int, Dtype, std::int64_t, Shape>, int> index_;  // .real begins where its array does
  };

  void lower_pass(const Group& group, Step step) {
    versions_.clear();
    FusedLoop fused;
    fused.iterations = group.iterations;
    make_versions(group, step, fused);
    if (group.interior) {
      auto interior = std::make_shared<FusedLoop>();
      interior->iterations = group.interior->iterations;
      build(group, 0, &*group.interior, step, *interior);
      fused.interior = std::move(interior);
      fused.interior_first = group.interior->first;
    }
    build(group, group.interior ? group.interior->nodes : 0, nullptr, step, fused);
    if (group.fold_axes) return lower_fold(*this, group, std::move(fused), std::move(step));
    step.body = std::move(fused);
    finish(std::move(step));
  }

  /// The program of the group's nodes from `first` on, and its operands. `interior`: over that part of the
  /// iterations.
  void build(const Group& group, std::size_t first, const Group::Interior* interior, Step& step,
             FusedLoop& fused) {
    Operands operands(*this, step, fused, group.fold_axes.has_value());
    ProgramBuilder builder(
        fused.program, [&](const View& view, bool is_written) { return operands.of_view(view, is_written); },
        [&](const protocol::Command& command) { return operands.of_payload(command); });
    int folds = 0;
    const Shape extents = interior ? interior->iterations.extents() : Shape{};
    for (std::size_t i = first; i < group.nodes.size(); ++i) {
      const auto& current = node(group.nodes[i]);
      const auto& command = current.command;
      const bool is_part = interior && i >= interior->nodes;
      if (current.is_overwritten) {  // the pass over all of it makes the array
        if (!is_part && !stays_in_registers(context_, group, command.out.base))
          operands.of_view(command.out, true);
        continue;
      }
      if (current.kind == Node::Kind::elementwise) {
        if (is_part)
          builder.add(part_of(command, interior->first, extents), current.source);
        else
          builder.add(command, current.source);
        continue;
      }
      auto view = std::get<View>(command.in[0]);
      if (is_part) view = part_of(view, interior->first, extents);
      const auto loop = loop_of_fold(command);
      // Truth values that are added up are counted as they are.
      const bool are_counted = view.dtype == Dtype::bool_ && loop == Dtype::int64 && command.op == Op::sum;
      const auto values = are_counted ? Dtype::bool_ : loop;
      builder.store(builder.value(view, values), operands.scratch(values, folds++));
    }
    builder.store_results([&](const View& view) { return !stays_in_registers(context_, group, view.base); });
    mark_streams(fused, plan_.slots);
  }

  /// Releases storage after its last use, when a newer version exists or the array has no name after the
  /// batch.
  void end_lives() {
    std::vector<int> last_use(plan_.slots.size(), -1);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      for (const int slot : slots_of(plan_.steps[s]))
        last_use[static_cast<std::size_t>(slot)] = static_cast<int>(s);
    for (std::size_t slot = 0; slot < plan_.slots.size(); ++slot) {
      const auto owner = owner_.find(static_cast<int>(slot));
      const auto array = owner == owner_.end() ? plan_.slots[slot].array : owner->second;
      const bool is_superseded = current_.at(array) != static_cast<int>(slot);
      if (last_use[slot] >= 0 && (is_superseded || context_.dead.contains(array)))
        plan_.steps[static_cast<std::size_t>(last_use[slot])].releases.push_back(static_cast<int>(slot));
    }
  }

  Context& context_;
  Plan plan_;
  std::unordered_map<ArrayId, int> current_;
  std::unordered_map<ArrayId, const Node*> copies_;  // by their original, until it is written
  std::unordered_map<int, ArrayId> owner_;           // slots that were handed over
  std::unordered_map<ArrayId, int> versions_;        // new versions that the step being built writes
};

}  // namespace

Plan lower(Context& context) { return Lowering(context).run(); }

}  // namespace gamelan::engine::plan
