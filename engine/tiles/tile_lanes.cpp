// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_lanes.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace gamelan::engine::tiles {

using Kind = Instruction::Kind;
using protocol::Dtype;
using protocol::Op;

namespace {

std::atomic<std::uint64_t> folded{0};

/// True where `neutral` is a number of the dtype.
bool has_neutral(Op op, Dtype dtype) {
  return neutral(op) &&
         (dtype == Dtype::float64 || dtype == Dtype::float32 || (dtype == Dtype::int64 && op == Op::add));
}

/// The program that adds to the elements of the folds' operands instead of storing to them, and converts
/// nothing where it loads.
Program with_lanes(const Program& program, std::span<const LaneFold> folds) {
  Program result{{}, program.registers, program.operands};
  for (const LaneFold& fold : folds) result.operands[static_cast<std::size_t>(fold.operand)] = fold.dtype;
  const auto add_register = [&](Dtype dtype) {
    result.registers.push_back(dtype);
    return static_cast<int>(result.registers.size()) - 1;
  };
  for (Instruction each : program.code) {
    if (each.kind == Kind::load && each.loop != program.operands[static_cast<std::size_t>(each.operand)]) {
      Instruction plain = each;  // a trace converts what is in a register
      plain.loop = program.operands[static_cast<std::size_t>(each.operand)];
      plain.out = add_register(plain.loop);
      result.code.push_back(plain);
      each = {.kind = Kind::cast, .loop = each.loop, .out = each.out, .in = {plain.out, -1, -1}};
    }
    const auto fold = std::find_if(folds.begin(), folds.end(),
                                   [&](const LaneFold& one) { return one.operand == each.operand; });
    if (each.kind != Kind::store || fold == folds.end()) {
      result.code.push_back(each);
      continue;
    }
    const Dtype dtype = fold->dtype;
    const int lane = add_register(dtype), value = add_register(dtype), sum = add_register(dtype);
    result.code.push_back({.kind = Kind::load, .loop = dtype, .out = lane, .operand = each.operand});
    result.code.push_back({.kind = Kind::cast, .loop = dtype, .out = value, .in = {each.in[0], -1, -1}});
    result.code.push_back(
        {.kind = Kind::compute, .op = fold->op, .loop = dtype, .out = sum, .in = {lane, value, -1}});
    result.code.push_back({.kind = Kind::store, .in = {sum, -1, -1}, .operand = each.operand});
  }
  return result;
}

std::shared_ptr<Translation> translation_in_lanes(const Program& program, std::span<const LaneFold> folds) {
  if (program.in_lanes == nullptr || !program.in_lanes->suits())
    program.in_lanes = Translation::known(with_lanes(program, folds));
  return program.in_lanes;
}

}  // namespace

std::optional<double> neutral(Op op) {
  switch (op) {
    case Op::add:
      return -0.0;
    case Op::multiply:
      return 1.0;
    case Op::maximum:
      return -std::numeric_limits<double>::infinity();
    case Op::minimum:
      return std::numeric_limits<double>::infinity();
    default:
      return std::nullopt;
  }
}

std::uint64_t cells_folded_at_once() { return folded; }

bool suits_lanes(const Program& program, std::span<const LaneFold> folds) {
  const auto set = Translation::of(program)->instructions();
  if (!set || compiling() == Compiling::off || folds.empty()) return false;
  for (const LaneFold& fold : folds)
    if (!has_neutral(fold.op, fold.dtype)) return false;
  const auto dtype_of = [&](int number) { return program.registers[static_cast<std::size_t>(number)]; };
  const auto is_wide = [](Dtype dtype) { return jit::width_of(dtype) != jit::Width::byte; };
  if (!std::all_of(program.registers.begin(), program.registers.end(), is_wide)) return false;
  return std::all_of(program.code.begin(), program.code.end(), [&](const Instruction& each) {
    switch (each.kind) {
      case Kind::load: {
        const Dtype from = program.operands[static_cast<std::size_t>(each.operand)];
        return is_wide(from) && jit::holds(from, *set) && jit::converts(from, each.loop, *set);
      }
      case Kind::constant:
        return jit::holds(each.loop, *set);
      case Kind::cast:
        return jit::converts(dtype_of(each.in[0]), each.loop, *set);
      case Kind::compute:
        return protocol::info(each.op).kind != protocol::RowKind::nullary &&
               jit::computes(each.op, each.loop, *set);
      case Kind::store: {
        const Dtype from = dtype_of(each.in[0]);
        const auto fold = std::find_if(folds.begin(), folds.end(),
                                       [&](const LaneFold& one) { return one.operand == each.operand; });
        return fold != folds.end() ? jit::converts(from, fold->dtype, *set)
                                   : from == program.operands[static_cast<std::size_t>(each.operand)];
      }
    }
    return false;
  });
}

LaneRunner::LaneRunner(const Program& program, std::span<const LaneFold> folds)
    : folds_(folds.begin(), folds.end()),
      translation_(translation_in_lanes(program, folds)),
      instances_(translation_),
      is_read_(program.operands.size()),
      is_written_(program.operands.size()),
      is_fold_(program.operands.size()),
      traits_(program.operands.size()),
      steps_(program.operands.size()),
      rows_(program.operands.size()) {
  for (const LaneFold& fold : folds_) is_fold_[static_cast<std::size_t>(fold.operand)] = true;
  for (const Instruction& each : program.code) {
    if (each.kind == Kind::load) is_read_[static_cast<std::size_t>(each.operand)] = true;
    if (each.kind == Kind::store) is_written_[static_cast<std::size_t>(each.operand)] = true;
  }
}

/// False where the elements of a row are neither adjacent nor one element.
bool LaneRunner::find_rows(const Cell& cell, std::size_t row_axis) {
  const auto dims = cell.extents.size();
  row_length_ = row_count_ = 1;
  for (std::size_t k = 0; k < dims; ++k) (k < row_axis ? row_count_ : row_length_) *= cell.extents[k];
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    OperandTraits& traits = traits_[i] = {};
    steps_[i] = is_fold_[i] ? translation_->rules().item_bytes[i] : 0;
    rows_[i] = cell.operands[i].address;
    if (is_fold_[i]) {
      traits.is_contiguous = traits.wraps = true;
    } else if (translation_->is_used(i)) {
      const auto* strides = cell.operands[i].strides;
      std::int64_t packed = translation_->rules().item_bytes[i];
      bool is_packed = true, is_one = true;
      for (std::size_t k = dims; k-- > row_axis;) {
        if (cell.extents[k] == 1) continue;
        is_packed = is_packed && strides[k] == packed;
        is_one = is_one && strides[k] == 0;
        packed *= cell.extents[k];
      }
      if (!is_packed && !is_one) return false;
      traits.is_contiguous = is_packed;
      traits.is_single = is_one;
      traits.is_scalar = is_one;
      for (std::size_t k = 0; k < row_axis; ++k)
        traits.is_scalar = traits.is_scalar && (cell.extents[k] == 1 || strides[k] == 0);
      steps_[i] = is_packed ? translation_->rules().item_bytes[i] : 0;
    }
    traits.alias = static_cast<int>(std::find(rows_.begin(), rows_.end(), rows_[i]) - rows_.begin());
  }
  return true;
}

/// True when the program writes over what it reads: it could not be run again.
bool LaneRunner::is_in_place(const Cell& cell) const {
  for (std::size_t written = 0; written < is_written_.size(); ++written)
    for (std::size_t read = 0; read < is_read_.size() && is_written_[written]; ++read)
      if (is_read_[read] && cell.operands[read].address == cell.operands[written].address) return true;
  return false;
}

/// Finds the pieces of a row that lie in one run each. False where lanes would wrap within such a piece that
/// does not begin with the first of them: a vector would reach over their end.
bool LaneRunner::find_pieces(const LaneRuns& runs) {
  pieces_.clear();
  const auto end = runs.column + row_length_;
  for (auto begin = runs.column; begin < end;) {
    const auto run = begin / runs.run_length, last = std::min((run + 1) * runs.run_length, end);
    const auto from = begin - run * runs.run_length - runs.first_lanes[static_cast<std::size_t>(run)];
    const auto lane = (from + lane_count) % lane_count;
    if (lane != 0 && lane + last - begin > lane_count) return false;
    pieces_.push_back({begin - runs.column, last - begin, run * lane_count + lane});
    begin = last;
  }
  return true;
}

/// True when each row begins a line of the cache wherever it is stored past the cache.
bool LaneRunner::begins_lines(const Cell& cell, std::size_t row_axis) const {
  constexpr std::int64_t line_bytes = 64;
  std::int64_t offsets = 0;  // what all of them have in common is a multiple of a line
  for (const Step& each : translation_->renamed().steps) {
    if (each.kind != Kind::store || !each.streams) continue;
    const auto i = static_cast<std::size_t>(each.operand);
    offsets |= static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(rows_[i]));
    for (std::size_t k = 0; k < row_axis; ++k)
      if (cell.extents[k] > 1) offsets |= cell.operands[i].strides[k];
    for (const Piece& piece : pieces_) offsets |= piece.first * steps_[i];
  }
  return offsets % line_bytes == 0;
}

const jit::Code* LaneRunner::code_for(const Instance& instance) const {
  translation_->note_elements(*instance.of, row_count_ * row_length_);
  const auto& calls = instance.of->calls;
  return calls.size() == 1 ? calls[0].code : nullptr;
}

/// Elements that are the same for all rows are copied to where the code reads them.
bool LaneRunner::fill_repeated(const Instance& instance, const Cell& cell) const {
  for (const StorageAssignment::Move& move : instance.of->storage.repeated) {
    const Step& step = translation_->renamed().steps[static_cast<std::size_t>(move.step)];
    if (!traits_[static_cast<std::size_t>(step.operand)].is_scalar) return false;
    const auto bytes = translation_->rules().item_bytes[static_cast<std::size_t>(step.operand)];
    step.cast(cell.operands[static_cast<std::size_t>(step.operand)].address, 0, instance.at(move.out), bytes,
              1);
  }
  return true;
}

/// The last axes step first. Where one of them steps, those behind it begin again.
void LaneRunner::find_moves(const Cell& cell, std::size_t row_axis) {
  const auto operands = rows_.size();
  moves_.resize(row_axis * operands);
  for (std::size_t i = 0; i < operands; ++i) {
    std::int64_t back = 0;
    for (std::size_t k = row_axis; k-- > 0;) {
      const auto stride = cell.operands[i].strides[k];
      moves_[k * operands + i] = stride - back;
      back += (cell.extents[k] - 1) * stride;
    }
  }
}

bool LaneRunner::run(const Cell& cell, const LaneRuns& runs) {
  if (!find_rows(cell, runs.row_axis) || is_in_place(cell) || !find_pieces(runs) ||
      !begins_lines(cell, runs.row_axis))
    return false;
  Instance& instance = instances_.find(traits_);
  const jit::Code* code = code_for(instance);
  if (code == nullptr || !fill_repeated(instance, cell)) return false;
  ++folded;
  find_moves(cell, runs.row_axis);
  at_.assign(runs.row_axis, 0);
  std::byte** const places = instance.places.data();
  const auto operands = rows_.size();
  for (std::int64_t row = 0; row < row_count_; ++row) {
    if (row > 0) {
      auto k = runs.row_axis - 1;
      for (; ++at_[k] == cell.extents[k]; --k) at_[k] = 0;
      for (std::size_t i = 0; i < operands; ++i) rows_[i] += moves_[k * operands + i];
    }
    for (const Piece& piece : pieces_) {
      for (std::size_t i = 0; i < operands; ++i)
        places[i] = rows_[i] + (is_fold_[i] ? piece.lane : piece.first) * steps_[i];
      code->run(places, static_cast<std::size_t>(piece.count));
    }
  }
  if (translation_->streams()) settle_streams();
  return true;
}

}  // namespace gamelan::engine::tiles
