// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_rename.hpp"

#include <map>
#include <string>
#include <tuple>

#include "engine/tiles/loops/elementwise.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::tiles {
namespace {

using protocol::Dtype;
using protocol::Op;
using Kind = Instruction::Kind;

void require(bool is_true, std::size_t step, const std::string& what) {
  if (is_true) return;
  throw protocol::Error(protocol::ErrorKind::internal,
                        "[tile] instruction " + std::to_string(step) + ": " + what);
}

std::string text(Dtype dtype) { return std::string(protocol::info(dtype).name); }

void number_steps(Renamed& renamed) {
  for (std::size_t index = 0; index < renamed.steps.size(); ++index) {
    const Step& step = renamed.steps[index];
    if (step.out >= 0)
      renamed.values[static_cast<std::size_t>(step.out)].defined_at = static_cast<int>(index);
    for (const int value : step.in) {
      if (value >= 0) renamed.values[static_cast<std::size_t>(value)].last_use = static_cast<int>(index);
    }
  }
}

bool is_binary(const Step& step) { return step.kind == Kind::compute && step.in[1] >= 0 && step.in[2] < 0; }

class Renaming {
 public:
  explicit Renaming(const Program& program) : program_(program), current_(program.registers.size(), -1) {}

  Renamed run() {
    for (std::size_t index = 0; index < program_.code.size(); ++index) add(index);
    drop_unread();
    return std::move(result_);
  }

 private:
  void add(std::size_t index) {
    const Instruction& instruction = program_.code[index];
    Step step;
    step.kind = instruction.kind;
    step.source = static_cast<int>(index);
    switch (instruction.kind) {
      case Kind::load: {
        const Dtype from = operand_dtype(instruction, index);
        step.operand = instruction.operand;
        step.cast = find_cast(from, instruction.loop);
        step.is_same_dtype = from == instruction.loop;
        step.streams = instruction.streams;
        break;
      }
      case Kind::constant:
        step.cast = find_cast(instruction.scalar.dtype, instruction.loop);
        break;
      case Kind::cast: {
        step.in[0] = read(instruction.in[0], index);
        const Dtype from = result_.values[static_cast<std::size_t>(step.in[0])].dtype;
        if (from == instruction.loop) {  // another name for the same value
          current_[register_of(instruction, instruction.loop, index)] = step.in[0];
          return;
        }
        step.cast = find_cast(from, instruction.loop);
        break;
      }
      case Kind::compute:
        add_compute(instruction, index, step);
        break;
      case Kind::store: {
        const Dtype to = operand_dtype(instruction, index);
        step.operand = instruction.operand;
        step.in[0] = read(instruction.in[0], index);
        const Dtype from = result_.values[static_cast<std::size_t>(step.in[0])].dtype;
        step.cast = find_cast(from, to);
        step.is_same_dtype = from == to;
        step.streams = instruction.streams;
        break;
      }
    }
    if (const int known = known_value(step, instruction); known >= 0) {
      current_[register_of(instruction, result_.values[static_cast<std::size_t>(known)].dtype, index)] =
          known;
      return;
    }
    if (instruction.kind != Kind::store) {
      const bool is_compute = instruction.kind == Kind::compute;
      const Dtype dtype = is_compute ? result_dtype(instruction.op, instruction.loop) : instruction.loop;
      const std::size_t number = register_of(instruction, dtype, index);
      result_.values.push_back({.dtype = dtype});
      step.out = current_[number] = static_cast<int>(result_.values.size()) - 1;
      if (is_pure(step)) known_[key_of(step, instruction)] = step.out;
    }
    result_.steps.push_back(step);
  }

  /// True when a step gives the same value wherever it stands, because it reads values only. (Programs repeat
  /// themselves: a Python loop over the directions of a lattice computes the same products again and again.)
  static bool is_pure(const Step& step) {
    return step.kind == Kind::cast || (step.kind == Kind::compute && !step.is_nullary);
  }
  using Key = std::tuple<Kind, Op, Dtype, std::array<int, 3>>;
  static Key key_of(const Step& step, const Instruction& instruction) {
    return {step.kind, step.op, instruction.loop, step.in};
  }
  int known_value(const Step& step, const Instruction& instruction) const {
    if (!is_pure(step)) return -1;
    const auto found = known_.find(key_of(step, instruction));
    return found == known_.end() ? -1 : found->second;
  }

  void add_compute(const Instruction& instruction, std::size_t index, Step& step) {
    step.loop = find_loop(instruction.op, instruction.loop);
    const protocol::OpInfo& row = protocol::info(instruction.op);
    require(step.loop != nullptr, index,
            std::string(row.name) + " has no loop for " + text(instruction.loop));
    step.op = instruction.op;
    step.loop_dtype = instruction.loop;
    step.is_nullary = row.kind == protocol::RowKind::nullary;
    if (step.is_nullary) return;
    for (std::size_t k = 0; k < static_cast<std::size_t>(row.arity); ++k) {
      step.in[k] = read(instruction.in[k], index);
      const Dtype got = result_.values[static_cast<std::size_t>(step.in[k])].dtype;
      const bool is_condition = row.kind == protocol::RowKind::ternary && k == 0;
      const Dtype expected = is_condition ? Dtype::bool_ : instruction.loop;
      require(got == expected, index,
              std::string(row.name) + " reads a register of " + text(got) + ", expected " + text(expected));
    }
    if (row.kind == protocol::RowKind::binary) {
      step.with_left = find_loop(instruction.op, instruction.loop, Single::left);
      step.with_right = find_loop(instruction.op, instruction.loop, Single::right);
    }
  }

  Dtype operand_dtype(const Instruction& instruction, std::size_t index) const {
    const int operand = instruction.operand;
    require(operand >= 0 && static_cast<std::size_t>(operand) < program_.operands.size(), index,
            "no such operand");
    return program_.operands[static_cast<std::size_t>(operand)];
  }

  int read(int number, std::size_t index) {
    require(number >= 0 && static_cast<std::size_t>(number) < current_.size(), index, "no such register");
    const int value = current_[static_cast<std::size_t>(number)];
    require(value >= 0, index, "reads a register before it is written");
    return value;
  }

  /// The register that an instruction writes, which must have been declared with that dtype.
  std::size_t register_of(const Instruction& instruction, Dtype dtype, std::size_t index) const {
    const auto number = static_cast<std::size_t>(instruction.out);
    require(instruction.out >= 0 && number < current_.size(), index, "no such register");
    const Dtype expected = program_.registers[number];
    require(dtype == expected, index, "writes " + text(dtype) + " to a register of " + text(expected));
    return number;
  }

  /// Also finds where values are defined and last used.
  void drop_unread() {
    std::vector<bool> is_read(result_.values.size(), false);
    std::vector<Step> kept;
    for (std::size_t index = result_.steps.size(); index-- > 0;) {
      const Step& step = result_.steps[index];
      if (step.out >= 0 && !is_read[static_cast<std::size_t>(step.out)]) continue;
      for (const int value : step.in) {
        if (value >= 0) is_read[static_cast<std::size_t>(value)] = true;
      }
      kept.push_back(step);
    }
    result_.steps.assign(kept.rbegin(), kept.rend());
    number_steps(result_);
  }

  const Program& program_;
  std::vector<int> current_;  // register -> value
  std::map<Key, int> known_;  // what was computed of which values
  Renamed result_;
};

}  // namespace

Renamed rename(const Program& program) { return Renaming(program).run(); }

void pair_up(Renamed& renamed) {
  std::vector<int> uses(renamed.values.size(), 0);
  for (const Step& step : renamed.steps) {
    for (const int value : step.in) {
      if (value >= 0) ++uses[static_cast<std::size_t>(value)];
    }
  }
  std::vector<bool> is_merged(renamed.steps.size(), false);
  for (Step& step : renamed.steps) {
    for (std::size_t side = 0; side < 2 && is_binary(step); ++side) {
      const int value = step.in[side];
      if (uses[static_cast<std::size_t>(value)] != 1) continue;
      const auto producer =
          static_cast<std::size_t>(renamed.values[static_cast<std::size_t>(value)].defined_at);
      const Step& inner = renamed.steps[producer];
      if (!is_binary(inner) || inner.loop_dtype != step.loop_dtype) continue;
      const Pair pair{inner.op, step.op, side == 0};
      if (find_pair_loop(pair, step.loop_dtype, 0) == nullptr) continue;
      step.in = {inner.in[0], inner.in[1], step.in[1 - side]};
      step.is_pair = true;
      step.pair = pair;
      step.loop = find_pair_loop(pair, step.loop_dtype, 0);
      is_merged[producer] = true;
    }
  }
  std::vector<Step> kept;
  for (std::size_t index = 0; index < renamed.steps.size(); ++index) {
    if (!is_merged[index]) kept.push_back(renamed.steps[index]);
  }
  renamed.steps = std::move(kept);
  number_steps(renamed);
}

}  // namespace gamelan::engine::tiles
