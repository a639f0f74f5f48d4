// SPDX-License-Identifier: BSD-3-Clause
// Builds the register program of one group. Each view is loaded once, a value that the group has computed
// before is taken from its register, and only what is needed after the group is stored.
#pragma once
#include <functional>
#include <map>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

class ProgramBuilder {
 public:
  /// `operand_of(view, is_written)` makes or finds the program operand for a view and returns its index.
  using OperandOf = std::function<int(const View&, bool)>;
  using PayloadOf = std::function<int(const protocol::Command&)>;
  ProgramBuilder(Program& program, OperandOf operand_of, PayloadOf payload_of)
      : program_(program), operand_of_(std::move(operand_of)), payload_of_(std::move(payload_of)) {}

  /// Adds an element-wise command; `number` is its index in the batch. The result is kept in a register as
  /// the value of command.out.
  void add(const protocol::Command& command, int number);
  /// The register with the elements of a view, cast to `dtype`.
  int value(const View& view, Dtype dtype);
  /// Stores the value of every written view for which `is_wanted`.
  void store_results(const std::function<bool(const View&)>& is_wanted);
  /// Stores a register to an operand.
  void store(int from, int operand);

 private:
  using Key =
      std::tuple<ArrayId, Dtype, std::int64_t, Shape>;  // base, dtype, offset, strides of axes longer than 1
  static Key key_of(const View& view);
  void emit(Instruction instruction);
  int new_register(Dtype dtype);
  int cast(int from, Dtype dtype);
  int constant(const protocol::Scalar& scalar, Dtype dtype);

  Program& program_;
  int command_ = -1;  // that is being added
  OperandOf operand_of_;
  PayloadOf payload_of_;
  std::map<Key, int> computed_;  // views written by this program -> register of the array's dtype
  std::map<std::pair<Key, Dtype>, int> loaded_;  // views read, by dtype of the register
  std::map<std::pair<int, Dtype>, int> casts_;
  std::map<std::pair<Dtype, std::pair<Dtype, std::array<std::byte, 16>>>, int> constants_;
  std::vector<View> written_;  // in order of first write
};

}  // namespace gamelan::engine::plan
