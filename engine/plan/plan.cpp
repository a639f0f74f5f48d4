// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/plan.hpp"

#include <algorithm>

namespace gamelan::engine::plan {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string name(int slot) { return "s" + std::to_string(slot); }

std::string text_of(const Program& program) {
  std::string text;
  for (const auto& i : program.code) {
    const std::string out = "r" + std::to_string(i.out);
    const auto dtype = std::string(protocol::info(i.loop).name);
    switch (i.kind) {
      case Instruction::Kind::load:
        text += "    " + out + " = load @" + std::to_string(i.operand) + " as " + dtype + "\n";
        break;
      case Instruction::Kind::constant:
        text += "    " + out + " = constant " + dtype + "\n";
        break;
      case Instruction::Kind::cast:
        text += "    " + out + " = r" + std::to_string(i.in[0]) + " as " + dtype + "\n";
        break;
      case Instruction::Kind::store:
        text += "    store r" + std::to_string(i.in[0]) + " to @" + std::to_string(i.operand) + "\n";
        break;
      case Instruction::Kind::compute: {
        text += "    " + out + " = " + std::string(protocol::info(i.op).name);
        for (const int in : i.in) text += in >= 0 ? " r" + std::to_string(in) : "";
        text += " in " + dtype + "\n";
      }
    }
  }
  return text;
}

std::string text_of(const FusedLoop& fused) {
  std::string text;
  for (const auto& carry : fused.carries)
    text += "  carry " + name(carry.from) + " to " + name(carry.to) + " around the write\n";
  for (std::size_t i = 0; i < fused.operands.size(); ++i) {
    const auto& operand = fused.operands[i];
    text +=
        "  @" + std::to_string(i) + " " + std::string(protocol::info(fused.program.operands[i]).name) + " ";
    switch (operand.source) {
      case Operand::Source::slot:
        text += name(operand.slot);
        break;
      case Operand::Source::payload:
        text += "payload " + std::to_string(operand.payload);
        break;
      case Operand::Source::scratch:
        text += "values of fold " + std::to_string(operand.fold);
        break;
    }
    text += operand.is_written ? " written" : operand.may_be_remote ? " read, halo" : " read";
    text += "\n";
  }
  text += text_of(fused.program);
  if (!fused.interior) return text;
  return text + "  interior over " + dist::describe(fused.interior->iterations) + "\n" +
         text_of(*fused.interior);
}

void add_slots(const FusedLoop& fused, std::vector<int>& slots) {
  for (const auto& operand : fused.operands)
    if (operand.source == Operand::Source::slot) slots.push_back(operand.slot);
  for (const auto& carry : fused.carries) {
    slots.push_back(carry.from);
    slots.push_back(carry.to);
  }
  if (fused.interior) add_slots(*fused.interior, slots);
}

}  // namespace

std::size_t block_bytes(const Slot& slot) {
  return static_cast<std::size_t>(slot.info.layout.largest_block()) * protocol::size_of(slot.info.dtype);
}

std::vector<int> slots_of(const Step& step) {
  std::vector<int> slots = step.allocates;
  std::visit(Overloaded{
                 [&](const FusedLoop& fused) { add_slots(fused, slots); },
                 [&](const FoldBlocks& fold) {
                   add_slots(fold.values, slots);
                   for (const auto& each : fold.folds) slots.push_back(each.partials);
                 },
                 [&](const FoldFinish& fold) {
                   slots.push_back(fold.partials);
                   slots.push_back(fold.output.slot);
                 },
                 [&](const Gather& gather) {
                   slots.push_back(gather.from);
                   slots.push_back(gather.to);
                 },
                 [&](const Scatter& scatter) {
                   slots.push_back(scatter.from);
                   slots.push_back(scatter.to);
                 },
                 [&](const Matmul& matmul) {
                   slots.push_back(matmul.left.slot);
                   slots.push_back(matmul.right.slot);
                   slots.push_back(matmul.out);
                 },
                 [&](const auto&) {
                   for (const auto& use : irregular_uses(step)) slots.push_back(use.slot);
                 },
             },
             step.body);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

std::string dump(const Plan& plan) {
  std::string text;
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
    const auto& s = plan.slots[slot];
    text += name(static_cast<int>(slot)) + ": " + std::string(protocol::info(s.info.dtype).name) + " " +
            dist::describe(s.info.layout) + ", " + std::to_string(block_bytes(s)) + " bytes per rank" +
            (s.is_input ? ", input" : "") + "\n";
  }
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    const auto& step = plan.steps[n];
    text += "step " + std::to_string(n) + (step.prefix < 0 ? " (no interrupt before it): " : ": ");
    std::visit(Overloaded{
                   [&](const FusedLoop& k) {
                     text += "fused loop over " + dist::describe(k.iterations) + "\n" + text_of(k);
                   },
                   [&](const FoldBlocks& f) {
                     text += "fold blocks";
                     for (const auto& each : f.folds)
                       text += " with " + std::string(protocol::info(each.op).name) + " into " +
                               name(each.partials) + ",";
                     text += " blocks " + dist::describe(f.values.iterations) + "\n" + text_of(f.values);
                   },
                   [&](const FoldFinish& f) {
                     text += "fold " + name(f.partials) + " with " +
                             std::string(protocol::info(f.fold).name) + " to " + name(f.output.slot) + "\n";
                   },
                   [&](const Gather& g) { text += "gather " + name(g.from) + " to " + name(g.to) + "\n"; },
                   [&](const Scatter& s) { text += "scatter " + name(s.from) + " to " + name(s.to) + "\n"; },
                   [&](const Matmul& m) {
                     text += "matmul " + name(m.left.slot) + " by " + name(m.right.slot) + " to " +
                             name(m.out) + "\n";
                   },
                   [&](const auto&) { text += describe_irregular(step) + "\n"; },
               },
               step.body);
    for (const auto& [slot, to] : step.hands_over) text += "  " + name(slot) + " becomes the copy\n";
    for (const int slot : step.releases) text += "  release " + name(slot) + "\n";
  }
  return text;
}

}  // namespace gamelan::engine::plan
