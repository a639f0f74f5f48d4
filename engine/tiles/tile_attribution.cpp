// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_attribution.hpp"

#include <algorithm>
#include <array>

#include "engine/tiles/float_classes.hpp"
#include "engine/tiles/float_errors.hpp"
#include "engine/tiles/loops/elementwise.hpp"

namespace gamelan::engine::tiles {
namespace {

using Kind = Instruction::Kind;
using protocol::Dtype;
using protocol::size_of;

// An alarm may be false in every tile (NaN has this effect in some vector functions), so the number of
// attributions is limited, for each combination of kinds: a rare error must not be lost behind a frequent
// one.
constexpr int most_attributions = 64;
// So many elements of a step are copied before they are overwritten, though flags may be enough.
constexpr std::int64_t most_copied = 16'384;

/// Kinds that an instruction can be the cause of.
unsigned possible_flags(const Program& program, const Instruction& each) {
  if (each.command < 0) return 0;
  if (each.kind == Kind::compute) return reliable_flags(each.op, each.loop);
  if (each.kind == Kind::cast)
    return reliable_flags_of_cast(program.registers[static_cast<std::size_t>(each.in[0])], each.loop);
  return each.kind == Kind::load
             ? reliable_flags_of_cast(program.operands[static_cast<std::size_t>(each.operand)], each.loop)
             : 0;
}

bool is_by_values(const Program& program, const Instruction& each) {
  if (each.kind == Kind::compute) return needs_values(each.op, each.loop);
  if (each.kind == Kind::cast)
    return cast_needs_values(program.registers[static_cast<std::size_t>(each.in[0])], each.loop);
  return each.kind == Kind::load &&
         cast_needs_values(program.operands[static_cast<std::size_t>(each.operand)], each.loop);
}

/// True when the instruction reads one of these operands or registers.
bool depends_on(const Instruction& each, const std::vector<bool>& operands,
                const std::vector<bool>& registers) {
  if (each.kind == Kind::load) return operands[static_cast<std::size_t>(each.operand)];
  return std::any_of(each.in.begin(), each.in.end(),
                     [&](int in) { return in >= 0 && registers[static_cast<std::size_t>(in)]; });
}

}  // namespace

ErrorAttribution::ErrorAttribution(const Program& program)
    : program_(program),
      is_read_(program.operands.size()),
      is_written_(program.operands.size()),
      kept_(program.operands.size()) {
  attributions_left_.fill(most_attributions);
  for (const auto& each : program.code) {
    may_err_ =
        may_err_ || possible_flags(program, each) != 0 || (each.command >= 0 && is_by_values(program, each));
    const bool is_sure =
        each.kind == Kind::compute ? has_reliable_flags(each.op, each.loop) : !is_by_values(program, each);
    has_reliable_flags_ = has_reliable_flags_ && is_sure;
    if (each.kind == Kind::load) is_read_[static_cast<std::size_t>(each.operand)] = true;
    if (each.kind == Kind::store) is_written_[static_cast<std::size_t>(each.operand)] = true;
  }
}

ErrorAttribution::~ErrorAttribution() {
  for (unsigned kind = 1; kind <= protocol::all_float_errors; kind *= 2)
    if (const auto& doubt = doubts_[kind]; doubt.first >= 0 && !doubt.is_found)
      float_errors().note(kind, doubt.first, doubt.last);
}

bool ErrorAttribution::begin(const Geometry& geometry) {
  if (!may_err_ || float_errors().watched() == 0) return false;
  is_overwritten_.assign(is_read_.size(), false);
  for (std::size_t read = 0; read < is_read_.size(); ++read)
    for (std::size_t written = 0; written < is_read_.size() && is_read_[read]; ++written)
      if (is_written_[written] && geometry.addresses[read] == geometry.addresses[written])
        is_overwritten_[read] = true;
  is_in_place_ = std::find(is_overwritten_.begin(), is_overwritten_.end(), true) != is_overwritten_.end();
  has_several_lines_ = is_in_place_ && may_be_of_several_lines();
  cell_elements_ = geometry.elements(geometry.extents);
  begin_again();
  return true;
}

/// True when two lines may meet the same kind of error, and flags would not tell which: where the operands of
/// one are lost.
bool ErrorAttribution::may_be_of_several_lines() const {
  std::vector<bool> is_lost(program_.registers.size(), false);
  std::array<int, protocol::all_float_errors + 1> line_of_kind;
  std::array<bool, protocol::all_float_errors + 1> is_kind_lost{}, has_several{};
  line_of_kind.fill(-1);
  for (const auto& each : program_.code) {
    if (each.kind == Kind::store) continue;
    const bool loses = depends_on(each, is_overwritten_, is_lost);
    is_lost[static_cast<std::size_t>(each.out)] = loses;
    const unsigned may = possible_flags(program_, each) & float_errors().watched();
    for (unsigned kind = 1; kind <= protocol::all_float_errors; kind *= 2) {
      if ((may & kind) == 0) continue;
      const int line = float_errors().line_of(each.command);
      has_several[kind] = has_several[kind] || (line_of_kind[kind] >= 0 && line_of_kind[kind] != line);
      line_of_kind[kind] = line;
      is_kind_lost[kind] = is_kind_lost[kind] || loses;
      if (has_several[kind] && is_kind_lost[kind]) return true;
    }
  }
  return false;
}

void ErrorAttribution::begin_again() {
  for (auto& each : kept_) each.clear();
  begun_ += cell_elements_;
  float_errors().clear();
}

bool ErrorAttribution::keeps_operands(const Tile& tile) const {
  const bool may_confuse_lines = has_several_lines_ && (has_alarm_ || begun_ <= most_copied);
  return is_in_place_ && (!has_reliable_flags_ || may_confuse_lines || tile.geometry->row_pitch != 0);
}

void ErrorAttribution::keep_operands(const Tile& tile) {
  if (!keeps_operands(tile)) return;
  for (std::size_t operand = 0; operand < kept_.size(); ++operand)
    if (is_overwritten_[operand]) gather(tile, operand, kept_[operand]);
}

void ErrorAttribution::attribute(const Tile& tile, bool are_operands_whole) {
  const unsigned alarm = float_errors().look();
  if (alarm == 0) return;
  if (int& left = attributions_left_[alarm]; left > 0 && !is_all_known(alarm)) {
    --left;
    is_operand_lost_.assign(program_.operands.size(), false);
    if (!are_operands_whole && is_in_place_ && !keeps_operands(tile)) is_operand_lost_ = is_overwritten_;
    const unsigned found = replay(tile, alarm);
    for (unsigned kind = 1; kind <= protocol::all_float_errors; kind *= 2)
      if ((found & kind) != 0) doubts_[kind].is_found = true;
    note_lost(alarm & ~found);
    has_alarm_ = true;
  }
  float_errors().clear();
}

bool ErrorAttribution::is_all_known(unsigned alarm) const {
  return std::all_of(program_.code.begin(), program_.code.end(), [&](const Instruction& each) {
    if (each.command < 0) return true;
    const unsigned may =
        is_by_values(program_, each) ? protocol::all_float_errors : possible_flags(program_, each);
    return (may & alarm) == 0 || float_errors().is_known(may & alarm, each.command);
  });
}

/// Of the instructions whose operands are lost only the flags are known, and they are reliable. Notes the one
/// command that may have raised them, or the first and the last of several. Where these are of several lines,
/// later tiles may tell, whose operands are kept.
void ErrorAttribution::note_lost(unsigned alarm) {
  for (const unsigned kind :
       {protocol::float_divide, protocol::float_over, protocol::float_under, protocol::float_invalid}) {
    int first = -1, last = -1;
    for (const Instruction* each : lost_) {
      if ((alarm & kind & possible_flags(program_, *each)) == 0) continue;
      if (first < 0) first = last = each->command;
      first = std::min(first, each->command);
      last = std::max(last, each->command);
    }
    if (first < 0) continue;
    if (has_several_lines_ && float_errors().line_of(first) != float_errors().line_of(last))
      doubts_[kind].first = first, doubts_[kind].last = last;
    else
      float_errors().note(kind, first, last);
  }
}

void ErrorAttribution::gather(const Tile& tile, std::size_t operand, Buffer& elements) const {
  const Dtype dtype = program_.operands[operand];
  const auto item = static_cast<std::int64_t>(size_of(dtype));
  elements.resize(static_cast<std::size_t>(tile.geometry->elements(*tile.extents) * item));
  const Runs runs(*tile.extents, tile.geometry->axis_count, tile.geometry->strides[operand], item, 0);
  const auto copy = find_cast(dtype, dtype);
  runs.each([&](std::int64_t from, std::int64_t to) {
    copy(tile.places[operand] + from, runs.run[0].operand_stride, elements.data() + to,
         runs.run[0].tile_stride, static_cast<std::size_t>(runs.run[0].extent));
  });
}

void ErrorAttribution::compute_nullary(const Instruction& instruction, const Tile& tile, Buffer& out) const {
  alignas(16) std::array<std::byte, 16> first{}, second{};
  find_cast(instruction.scalar.dtype, instruction.loop)(instruction.scalar.bytes.data(), 0, first.data(), 0,
                                                        1);
  find_cast(instruction.scalar_b.dtype, instruction.loop)(instruction.scalar_b.bytes.data(), 0, second.data(),
                                                          0, 1);
  const Runs runs(*tile.extents, tile.geometry->axis_count, tile.geometry->index_steps,
                  static_cast<std::int64_t>(size_of(instruction.loop)), 0);
  NullaryParams params{first.data(),
                       second.data(),
                       static_cast<std::uint64_t>(instruction.ints[0]),
                       instruction.ints[1],
                       0,
                       runs.run[0].operand_stride};
  runs.each([&](std::int64_t index, std::int64_t to) {
    params.index = tile.index + index;
    find_loop(instruction.op, instruction.loop)(nullptr, out.data() + to,
                                                static_cast<std::size_t>(runs.run[0].extent), &params);
  });
}

unsigned ErrorAttribution::replay(const Tile& tile, unsigned alarm) {
  unsigned found = 0;
  lost_.clear();
  is_lost_.assign(program_.registers.size(), false);
  std::size_t count = 1;
  for (int axis = 0; axis < tile.geometry->axis_count; ++axis)
    count *= static_cast<std::size_t>((*tile.extents)[static_cast<std::size_t>(axis)]);
  registers_.resize(program_.registers.size());
  for (const auto& each : program_.code) {
    if (each.kind == Kind::store) continue;
    const bool is_lost = depends_on(each, is_operand_lost_, is_lost_);
    is_lost_[static_cast<std::size_t>(each.out)] = is_lost;
    if (is_lost) {
      lost_.push_back(&each);
      continue;
    }
    const bool is_compute = each.kind == Kind::compute;
    Buffer out(count * size_of(is_compute ? result_dtype(each.op, each.loop) : each.loop));
    unsigned met = 0;
    const auto convert = [&](Dtype from, const std::byte* values) {
      float_errors().clear();
      find_cast(from, each.loop)(values, static_cast<std::ptrdiff_t>(size_of(from)), out.data(),
                                 static_cast<std::ptrdiff_t>(size_of(each.loop)), count);
      met = (float_errors().look() & reliable_flags_of_cast(from, each.loop)) |
            errors_of_cast_values(from, each.loop, values, count);
    };
    if (each.kind == Kind::load) {
      const auto operand = static_cast<std::size_t>(each.operand);
      if (kept_[operand].empty()) gather(tile, operand, gathered_);
      convert(program_.operands[operand], (kept_[operand].empty() ? gathered_ : kept_[operand]).data());
    } else if (each.kind == Kind::cast) {
      const auto from = static_cast<std::size_t>(each.in[0]);
      convert(program_.registers[from], registers_[from].data());
    } else if (each.kind == Kind::constant) {
      find_cast(each.scalar.dtype, each.loop)(each.scalar.bytes.data(), 0, out.data(),
                                              static_cast<std::ptrdiff_t>(size_of(each.loop)), count);
    } else if (each.in[0] < 0) {
      compute_nullary(each, tile, out);
    } else {
      const void* in[3] = {};
      for (std::size_t k = 0; k < 3; ++k)
        if (each.in[k] >= 0) in[k] = registers_[static_cast<std::size_t>(each.in[k])].data();
      float_errors().clear();
      find_loop(each.op, each.loop)(in, out.data(), count, nullptr);
      met = (float_errors().look() & reliable_flags(each.op, each.loop)) |
            errors_of_values(each.op, each.loop, in, out.data(), count);
    }
    if (met &= alarm; met != 0 && each.command >= 0) {
      found |= met;
      float_errors().note(met, each.command, each.command);
    }
    registers_[static_cast<std::size_t>(each.out)] = std::move(out);
  }
  return found;
}

}  // namespace gamelan::engine::tiles
