// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_translation.hpp"

#include <algorithm>
#include <atomic>

#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/tile_alike.hpp"
#include "engine/tiles/tile_length.hpp"
#include "engine/tiles/tile_trace.hpp"

namespace gamelan::engine::tiles {
namespace {

using Kind = Instruction::Kind;

// Compiling takes some microseconds for each operation of a program, and a compiled operation saves a tenth
// of a nanosecond for an element: so it pays after some tens of thousands of elements, however long the
// program is.
constexpr std::int64_t elements_before_compiling = 1 << 16;
constexpr std::size_t most_specializations = 16;

/// In which instructions programs of a level are compiled, if at all.
std::optional<jit::InstructionSet> instructions_of(Isa level) {
  if (level == Isa::baseline) return std::nullopt;
  const auto set = level == Isa::avx2 ? jit::InstructionSet::avx2 : jit::InstructionSet::avx512;
  return jit::runs(set) ? std::optional(set) : std::nullopt;
}

std::atomic<Compiling>& chosen() {
  static std::atomic<Compiling> which{instructions_of(best_isa()) ? Compiling::hot : Compiling::off};
  return which;
}

std::atomic<std::uint64_t> compiled{0};

}  // namespace

std::uint64_t programs_compiled() { return compiled; }
void set_compiling(Compiling which) { chosen() = instructions_of(best_isa()) ? which : Compiling::off; }
Compiling compiling() { return chosen(); }

std::shared_ptr<Translation> Translation::of(const Program& program) {
  if (program.translation == nullptr || !program.translation->suits()) program.translation = known(program);
  return program.translation;
}

std::shared_ptr<Translation> Translation::known(const Program& program) {
  static KnownTranslations all;
  return all.find(
      program, [](const Translation& each) { return each.suits(); },
      [&] { return std::make_shared<Translation>(program); });
}

Translation::Translation(const Program& program)
    : level_(isa()),
      compiling_(tiles::compiling()),
      instructions_(instructions_of(level_)),
      renamed_(rename(program)),
      is_used_(program.operands.size(), false) {
  pair_up(renamed_);
  rules_.is_written.assign(program.operands.size(), false);
  for (const auto dtype : program.operands)
    rules_.item_bytes.push_back(static_cast<std::int64_t>(protocol::size_of(dtype)));
  rules_.tile_elements = length_of_tiles(renamed_);
  parameters_.resize(renamed_.steps.size());
  for (const Step& step : renamed_.steps)
    scalars_.push_back(program.code[static_cast<std::size_t>(step.source)].scalar);
  for (std::size_t index = 0; index < renamed_.steps.size(); ++index) {
    const Step& step = renamed_.steps[index];
    if (step.operand >= 0) is_used_[static_cast<std::size_t>(step.operand)] = true;
    if (step.kind == Kind::store) {
      rules_.is_written[static_cast<std::size_t>(step.operand)] = true;
      streams_ = streams_ || step.streams;
    }
    if (step.is_nullary) set_parameters(index, program.code[static_cast<std::size_t>(step.source)]);
  }
}

void Translation::set_parameters(std::size_t step, const Instruction& source) {
  Parameters& own = parameters_[step];
  const auto cast = [&](const protocol::Scalar& scalar, std::byte* to) {
    find_cast(scalar.dtype, source.loop)(scalar.bytes.data(), 0, to, 0, 1);
  };
  cast(source.scalar, own.first.data());
  cast(source.scalar_b, own.second.data());
  own.params.key = static_cast<std::uint64_t>(source.ints[0]);
  own.params.offset = source.ints[1];
  rules_.needs_index = true;
}

std::shared_ptr<Translation::Specialization> Translation::find(const std::vector<OperandTraits>& traits) {
  for (const auto& special : specializations_)
    if (special->storage.traits == traits) return special;
  if (specializations_.size() == most_specializations) specializations_.pop_front();
  return specializations_.emplace_back(make(traits));
}

std::shared_ptr<Translation::Specialization> Translation::make(
    const std::vector<OperandTraits>& traits) const {
  auto special = std::make_shared<Specialization>();
  special->storage = assign_storage(renamed_, traits);
  const auto index_of = [&](Place place) {
    return place.kind == Place::Kind::operand ? place.number : static_cast<int>(traits.size()) + place.number;
  };
  for (const StorageAssignment::Move& move : special->storage.moves) {
    const bool is_nullary = renamed_.steps[static_cast<std::size_t>(move.step)].is_nullary;
    Call call{move.action, index_of(move.out), {}, is_nullary ? nullptr : move.loop, move.step};
    for (std::size_t k = 0; k < static_cast<std::size_t>(move.in_count); ++k)
      call.in[k] = index_of(move.in[k]);
    special->calls.push_back(call);
  }
  return special;
}

void Translation::note_elements(Specialization& special, std::int64_t elements) const {
  if (special.is_compiled || compiling() == Compiling::off || !instructions_) return;
  special.elements += elements;
  if (special.elements >= elements_before_compiling || compiling() == Compiling::always) compile(special);
}

void Translation::compile(Specialization& special) const {
  special.is_compiled = true;
  std::vector<Call> calls;
  std::size_t next = 0;
  const auto keep_until = [&](std::size_t last) {
    calls.insert(calls.end(), special.calls.begin() + static_cast<std::ptrdiff_t>(next),
                 special.calls.begin() + static_cast<std::ptrdiff_t>(last));
  };
  for (const TracedMoves& run : find_traces(renamed_, special.storage, *instructions_)) {
    auto code = jit::compile(run.trace, *instructions_);
    if (code == nullptr) continue;
    ++compiled;
    keep_until(run.first);
    calls.push_back({.code = code.get()});
    special.codes.push_back(std::move(code));
    next = run.last;
  }
  keep_until(special.calls.size());
  special.calls = std::move(calls);
}

}  // namespace gamelan::engine::tiles
