// SPDX-License-Identifier: BSD-3-Clause
// What is found out about a program once, for every run of it: the program with values for registers, its
// storage assignment, and the machine code of parts that have run often. Kept with the program, hence with
// the plan: the turns of a loop share it, and programs that are alike. It holds no memory of a run.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/jit/compile.hpp"
#include "engine/tiles/loops/isa.hpp"
#include "engine/tiles/tile_geometry.hpp"
#include "engine/tiles/tile_storage.hpp"

namespace gamelan::engine::tiles {

/// Which programs are compiled: none, those that have run often (the default), or all (for tests). None where
/// the processor lacks the instructions. All ranks choose the same: how a reduction is cut depends on it.
/// When a program is compiled may differ between ranks, because the bits are the same.
enum class Compiling : std::uint8_t { off, hot, always };
void set_compiling(Compiling which);
Compiling compiling();

class Translation {
 public:
  /// Scalars of a nullary op, in the loop dtype.
  struct Parameters {
    alignas(16) std::array<std::byte, 16> first{}, second{};
    NullaryParams params;
  };
  /// A move, or several that were compiled together. Places are numbered: operands first, then the slots of
  /// the assignment.
  struct Call {
    StorageAssignment::Action action{};
    int out = 0;
    std::array<int, 3> in{};
    Loop loop = nullptr;
    int step = 0;
    const jit::Code* code = nullptr;  ///< does all of it, if there is any
  };
  struct Specialization {
    StorageAssignment storage;
    std::vector<Call> calls;
    std::vector<std::shared_ptr<const jit::Code>> codes;
    std::int64_t elements = 0;  ///< computed so far, or about to be
    bool is_compiled = false;
  };

  /// The translation that is kept with the program, for the instruction-set level in use. Programs that are
  /// alike share it (tile_alike.hpp).
  static std::shared_ptr<Translation> of(const Program& program);
  /// The same for a program that nobody keeps.
  static std::shared_ptr<Translation> known(const Program& program);
  /// Throws Error{internal} for a program that is not well formed.
  explicit Translation(const Program& program);

  /// True when it was made for the instruction-set level in use, and for what is compiled now.
  bool suits() const { return level_ == isa() && compiling_ == tiles::compiling(); }
  /// In which instructions programs are compiled; none where the processor lacks them.
  std::optional<jit::InstructionSet> instructions() const { return instructions_; }
  const Renamed& renamed() const { return renamed_; }
  const GeometryRules& rules() const { return rules_; }
  const Parameters& parameters(int step) const { return parameters_[static_cast<std::size_t>(step)]; }
  /// The number of a constant step.
  const protocol::Scalar& scalar(int step) const { return scalars_[static_cast<std::size_t>(step)]; }
  std::size_t operands() const { return is_used_.size(); }
  bool is_used(std::size_t operand) const { return is_used_[operand]; }
  bool streams() const { return streams_; }

  /// The specialization for operands that lie in memory in this way.
  std::shared_ptr<Specialization> find(const std::vector<OperandTraits>& traits);
  /// To be called before `elements` are computed. Compiles what has computed enough elements.
  void note_elements(Specialization& special, std::int64_t elements) const;

 private:
  void set_parameters(std::size_t step, const Instruction& source);
  std::shared_ptr<Specialization> make(const std::vector<OperandTraits>& traits) const;
  void compile(Specialization& special) const;

  Isa level_;
  Compiling compiling_;
  std::optional<jit::InstructionSet> instructions_;  // of machine code
  Renamed renamed_;
  GeometryRules rules_;
  std::vector<bool> is_used_;  // by operand: some step uses it
  bool streams_ = false;
  std::vector<Parameters> parameters_;     // by step
  std::vector<protocol::Scalar> scalars_;  // by step
  std::deque<std::shared_ptr<Specialization>> specializations_;
};

/// How many pieces of programs have become machine code in this process so far.
std::uint64_t programs_compiled();

}  // namespace gamelan::engine::tiles
