// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/lowering/program_builder.hpp"

#include "engine/tiles/loops/elementwise.hpp"

namespace gamelan::engine::plan {

ProgramBuilder::Key ProgramBuilder::key_of(const View& view) {
  Shape strides;
  for (std::size_t k = 0; k < view.extents.size(); ++k)
    strides.push_back(view.extents[k] == 1 ? 0 : view.strides[k]);
  return {view.base, view.dtype, view.offset, std::move(strides)};
}

void ProgramBuilder::emit(Instruction instruction) {
  instruction.command = command_;
  program_.code.push_back(instruction);
}

int ProgramBuilder::new_register(Dtype dtype) {
  program_.registers.push_back(dtype);
  return static_cast<int>(program_.registers.size()) - 1;
}

int ProgramBuilder::cast(int from, Dtype dtype) {
  if (program_.registers[static_cast<std::size_t>(from)] == dtype) return from;
  auto [found, is_new] = casts_.try_emplace({from, dtype}, -1);
  if (is_new) {
    Instruction instruction;
    instruction.kind = Instruction::Kind::cast;
    instruction.loop = dtype;
    instruction.in[0] = from;
    found->second = instruction.out = new_register(dtype);
    emit(instruction);
  }
  return found->second;
}

int ProgramBuilder::constant(const protocol::Scalar& scalar, Dtype dtype) {
  auto [found, is_new] = constants_.try_emplace({dtype, {scalar.dtype, scalar.bytes}}, -1);
  if (is_new) {
    Instruction instruction;
    instruction.kind = Instruction::Kind::constant;
    instruction.loop = dtype;
    instruction.scalar = scalar;
    found->second = instruction.out = new_register(dtype);
    emit(instruction);
  }
  return found->second;
}

int ProgramBuilder::value(const View& view, Dtype dtype) {
  const auto key = key_of(view);
  if (const auto found = computed_.find(key); found != computed_.end()) return cast(found->second, dtype);
  auto [found, is_new] = loaded_.try_emplace({key, dtype}, -1);
  if (is_new) {
    Instruction instruction;
    instruction.kind = Instruction::Kind::load;
    instruction.loop = dtype;
    instruction.operand = operand_of_(view, false);
    found->second = instruction.out = new_register(dtype);
    emit(instruction);
  }
  return found->second;
}

void ProgramBuilder::add(const protocol::Command& command, int number) {
  command_ = number;  // also for its casts: their errors belong to the command
  Instruction instruction;
  instruction.kind = Instruction::Kind::compute;
  instruction.op = command.op;
  instruction.loop = command.loop;
  const auto row = protocol::info(command.op).kind;
  int result = -1;
  if (command.op == Op::constant) {
    instruction.kind = Instruction::Kind::load;
    instruction.operand = payload_of_(command);
    result = instruction.out = new_register(command.loop);
    emit(instruction);
  } else {
    if (row == protocol::RowKind::nullary) {
      instruction.scalar = std::get<protocol::Scalar>(command.in.at(0));
      instruction.scalar_b = std::get<protocol::Scalar>(command.in.at(1));
      for (std::size_t k = 0; k < std::min<std::size_t>(command.ints.size(), 2); ++k)
        instruction.ints[k] = command.ints[k];
    } else {
      for (std::size_t k = 0; k < command.in.size(); ++k) {
        const bool is_condition = command.op == Op::where && k == 0;
        const auto dtype = is_condition ? Dtype::bool_ : command.loop;
        const auto* view = std::get_if<View>(&command.in[k]);
        instruction.in[k] =
            view ? value(*view, dtype) : constant(std::get<protocol::Scalar>(command.in[k]), dtype);
      }
    }
    if (command.op == Op::copy) {
      result = instruction.in[0];
    } else {
      result = instruction.out = new_register(tiles::result_dtype(command.op, command.loop));
      emit(instruction);
    }
  }
  const auto key = key_of(command.out);
  if (!computed_.contains(key)) written_.push_back(command.out);
  computed_[key] = cast(result, command.out.dtype);
  command_ = -1;
}

void ProgramBuilder::store(int from, int operand) {
  Instruction instruction;
  instruction.kind = Instruction::Kind::store;
  instruction.in[0] = from;
  instruction.operand = operand;
  instruction.loop = program_.registers[static_cast<std::size_t>(from)];
  emit(instruction);
}

void ProgramBuilder::store_results(const std::function<bool(const View&)>& is_wanted) {
  for (const auto& view : written_)
    if (is_wanted(view)) store(computed_.at(key_of(view)), operand_of_(view, true));
}

}  // namespace gamelan::engine::plan
