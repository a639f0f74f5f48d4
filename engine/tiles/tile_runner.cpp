// SPDX-License-Identifier: BSD-3-Clause
// Runs a tile program over a cell, tile by tile (tile_runner.hpp). tile_geometry and tile_storage have made
// all decisions. This file goes over the tiles, copies between strided memory and register tiles, and calls
// the loops.
#include "engine/tiles/tile_runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "engine/tiles/loops/split_columns.hpp"
#include "engine/tiles/tile_attribution.hpp"
#include "engine/tiles/tile_form.hpp"
#include "engine/tiles/tile_geometry.hpp"
#include "engine/tiles/tile_instances.hpp"
#include "engine/tiles/tile_memory.hpp"
#include "engine/tiles/tile_panels.hpp"
#include "engine/tiles/tile_runs.hpp"
#include "engine/tiles/tile_spread.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::tiles {

using Kind = Instruction::Kind;

class Runner::State {
 public:
  explicit State(const Program& program)
      : translation_(Translation::of(program)),
        renamed_(translation_->renamed()),
        rules_(translation_->rules()),
        attribution_(program),
        instances_(translation_) {}

  void run(const Cell& cell) {
    if (cell.operands.size() != translation_->operands()) {
      throw protocol::Error(protocol::ErrorKind::internal,
                            "[tile] operands of a cell: got " + std::to_string(cell.operands.size()) +
                                ", expected " + std::to_string(translation_->operands()));
    }
    if (last_ != nullptr && form_.move_to(cell, geometry_)) {
      if (is_watched_) attribution_.begin_again();
      return run_planned(*last_);
    }
    last_ = nullptr;
    if (panels_.find(cell, rules_)) {
      panels_.each([&](const Cell& part) { run_part(part); });
      return;
    }
    Instance* instance = run_part(cell);
    if (instance == nullptr || rules_.needs_index) return;
    form_.keep(cell, geometry_);
    last_ = instance;
  }

 private:
  Instance* run_part(const Cell& cell) {
    plan_cell(cell, rules_, geometry_);
    if (geometry_.is_empty) return nullptr;
    Instance& instance = find_instance();
    is_watched_ = attribution_.begin(geometry_);
    run_planned(instance);
    return &instance;
  }

  void run_planned(Instance& instance) {
    extents_ = geometry_.tile;
    gather_repeated(instance);
    translation_->note_elements(*instance.of, geometry_.elements(geometry_.extents));
    first_store_ = is_watched_ && attribution_.is_in_place() ? find_first_store(instance) : 0;
    walk(instance);
    if (translation_->streams()) settle_streams();
  }

  std::int64_t item_bytes(int value) const {
    return static_cast<std::int64_t>(
        protocol::size_of(renamed_.values[static_cast<std::size_t>(value)].dtype));
  }

  Instance& find_instance() {
    traits_.resize(translation_->operands());
    for (std::size_t k = 0; k < traits_.size(); ++k) {
      traits_[k] = {};
      if (!translation_->is_used(k)) continue;
      traits_[k].is_contiguous = geometry_.is_contiguous(k, rules_.item_bytes[k]);
      traits_[k].has_gaps = geometry_.row_pitch > 0;
      traits_[k].is_scalar = geometry_.is_scalar(k);
      traits_[k].is_single = geometry_.is_single(k);
      traits_[k].is_invariant = geometry_.is_invariant(k);
      const auto first =
          std::find(geometry_.addresses.begin(), geometry_.addresses.end(), geometry_.addresses[k]);
      traits_[k].alias = static_cast<int>(first - geometry_.addresses.begin());
    }
    return instances_.find(traits_);
  }

  /// Fills in what every tile reads, in the form of the present tile's extents.
  void gather_repeated(const Instance& instance) const {
    for (const StorageAssignment::Move& move : instance.of->storage.repeated) {
      const Step& step = renamed_.steps[static_cast<std::size_t>(move.step)];
      const auto* from = geometry_.addresses[static_cast<std::size_t>(step.operand)];
      auto* to = instance.at(move.out);
      if (instance.slot(move.out).is_element)
        step.cast(from, 0, to, item_bytes(step.out), 1);
      else
        gather(step, from, to);
    }
  }

  /// Visits the tiles, and updates the places of operands and `index_`.
  void walk(Instance& instance) {
    const auto axes = static_cast<std::size_t>(geometry_.axis_count);
    const bool is_relaid = geometry_.is_square && !instance.of->storage.repeated.empty();
    Axes position{}, laid_out = extents_;
    std::copy(geometry_.addresses.begin(), geometry_.addresses.end(), instance.places.begin());
    index_ = geometry_.index;
    for (;;) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        extents_[axis] = std::min(geometry_.tile[axis], geometry_.extents[axis] - position[axis]);
      }
      if (is_relaid && extents_ != laid_out) {
        gather_repeated(instance);
        laid_out = extents_;
      }
      run_tile(instance, static_cast<std::size_t>(geometry_.elements(extents_)));
      std::size_t axis = axes;
      while (axis-- > 0) {
        const std::int64_t moved = geometry_.tile[axis];
        position[axis] += moved;
        if (position[axis] < geometry_.extents[axis]) {
          advance(instance, axis, moved);
          break;
        }
        advance(instance, axis, moved - position[axis]);
        position[axis] = 0;
        if (axis == 0) return;
      }
    }
  }

  void advance(Instance& instance, std::size_t axis, std::int64_t elements) {
    for (std::size_t k = 0; k < geometry_.strides.size(); ++k) {
      instance.places[k] += elements * geometry_.strides[k][axis];
    }
    index_ += elements * geometry_.index_steps[axis];
  }

  /// The first call that may write to an operand.
  std::size_t find_first_store(const Instance& instance) const {
    const auto& calls = instance.of->calls;
    const auto stores = [&](const Translation::Call& call) {
      return call.code != nullptr || static_cast<std::size_t>(call.out) < translation_->operands();
    };
    return static_cast<std::size_t>(std::find_if(calls.begin(), calls.end(), stores) - calls.begin());
  }

  void run_tile(const Instance& instance, std::size_t count) {
    const auto calls = std::span(instance.of->calls);
    if (!is_watched_) return run_calls(instance, calls, count);
    const ErrorAttribution::Tile tile{&geometry_, &extents_, instance.places.data(), index_};
    if (attribution_.is_in_place()) {
      attribution_.keep_operands(tile);
      run_calls(instance, calls.first(first_store_), count);
      attribution_.attribute(tile, true);
    }
    run_calls(instance, calls.subspan(first_store_), count);
    attribution_.attribute(tile, false);
  }

  void run_calls(const Instance& instance, std::span<const Translation::Call> calls, std::size_t count) {
    std::byte* const* places = instance.places.data();
    for (std::size_t next = 0; next < calls.size(); ++next) {
      const Translation::Call& call = calls[next];
      if (call.code != nullptr) {
        call.code->run(places, count);
        continue;
      }
      std::byte* out = places[call.out];
      const void* in[] = {places[call.in[0]], places[call.in[1]], places[call.in[2]]};
      switch (call.action) {
        case StorageAssignment::Action::compute:
          if (call.loop != nullptr)
            call.loop(in, out, count, nullptr);
          else
            compute_nullary(call.step, out);
          break;
        case StorageAssignment::Action::gather:
          if (const auto columns = gather_columns(instance, calls.subspan(next)); columns > 0)
            next += columns - 1;
          else
            gather(step_of(call), places[operand_of(call)], out);
          break;
        case StorageAssignment::Action::cast: {
          const Step& step = step_of(call);
          step.cast(places[call.in[0]], item_bytes(step.in[0]), out, item_bytes(step.out), count);
          break;
        }
        case StorageAssignment::Action::scatter:
          scatter(step_of(call), places[call.in[0]], out);
          break;
      }
    }
  }

  void gather(const Step& step, const std::byte* from, std::byte* tile) const {
    const auto operand = static_cast<std::size_t>(step.operand);
    Runs runs(extents_, geometry_.axis_count, geometry_.strides[operand], item_bytes(step.out),
              geometry_.row_pitch);
    if (step.is_same_dtype && runs.is_broadcast_inside(most_copies)) {
      const Run &copies = runs.run[0], &elements = runs.run[1];
      return spread(from, elements.operand_stride, elements.extent, copies.tile_stride, copies.extent, tile);
    }
    runs.choose_inner();
    const Run inner = runs.run[0];
    runs.each([&](std::int64_t operand_offset, std::int64_t tile_offset) {
      step.cast(from + operand_offset, inner.operand_stride, tile + tile_offset, inner.tile_stride,
                static_cast<std::size_t>(inner.extent));
    });
  }

  const Step& step_of(const Translation::Call& call) const {
    return renamed_.steps[static_cast<std::size_t>(call.step)];
  }
  std::size_t operand_of(const Translation::Call& call) const {
    return static_cast<std::size_t>(step_of(call).operand);
  }

  /// How many calls, from the first on, gather from one table with the same strides, no further apart than
  /// columns that are split together. `offsets`: of each from the first, in elements.
  std::size_t find_columns(std::span<std::byte* const> places, std::span<const Translation::Call> calls,
                           std::span<std::ptrdiff_t, most_split_columns> offsets) const {
    const auto first = operand_of(calls[0]);
    const auto& strides = geometry_.strides[first];
    const auto item = item_bytes(step_of(calls[0]).out);
    std::size_t columns = 0;
    for (; columns < std::min(calls.size(), most_split_columns); ++columns) {
      const Translation::Call& call = calls[columns];
      if (call.code != nullptr || call.action != StorageAssignment::Action::gather) break;
      const auto& others = geometry_.strides[operand_of(call)];
      const auto bytes = places[operand_of(call)] - places[first];
      if (!step_of(call).is_same_dtype || item_bytes(step_of(call).out) != item || bytes % item != 0 ||
          std::abs(bytes / item) >= static_cast<std::ptrdiff_t>(most_split_columns) ||
          !std::equal(strides.begin(), strides.begin() + geometry_.axis_count, others.begin()))
        break;
      offsets[columns] = bytes / item;
    }
    return columns;
  }

  /// Gathers neighbouring columns of one table, of which each row is then read once. How many of the calls
  /// have been done, from the first on; 0 where there are no such columns.
  std::size_t gather_columns(const Instance& instance, std::span<const Translation::Call> calls) const {
    std::array<std::ptrdiff_t, most_split_columns> offsets;
    auto columns = find_columns(instance.places, calls, offsets);
    std::array<std::byte*, most_split_columns> to;
    std::ptrdiff_t lowest = 0;
    const auto are_neighbours = [&] {
      lowest = *std::min_element(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(columns));
      to.fill(nullptr);
      for (std::size_t k = 0; k < columns; ++k) {
        const auto column = static_cast<std::size_t>(offsets[k] - lowest);
        if (column >= columns || to[column] != nullptr) return false;
        to[column] = instance.places[calls[k].out];
      }
      return true;
    };
    while (columns > 1 && !are_neighbours()) --columns;
    const auto operand = operand_of(calls[0]);
    const auto item = item_bytes(step_of(calls[0]).out);
    const auto split = find_split_columns(item, columns);
    const Runs runs(extents_, geometry_.axis_count, geometry_.strides[operand], item, geometry_.row_pitch);
    const Run& only = runs.run[0];
    if (split == nullptr || runs.count > 1 || only.operand_stride <= item || only.tile_stride != item)
      return 0;
    split(instance.places[operand] + lowest * item, only.operand_stride, only.extent, to.data());
    return columns;
  }

  void scatter(const Step& step, const std::byte* tile, std::byte* to) const {
    const auto operand = static_cast<std::size_t>(step.operand);
    Runs runs(extents_, geometry_.axis_count, geometry_.strides[operand], item_bytes(step.in[0]),
              geometry_.row_pitch);
    runs.choose_inner();
    const Run inner = runs.run[0];
    if (step.streams && step.is_same_dtype && inner.operand_stride == inner.tile_stride) {
      runs.each([&](std::int64_t operand_offset, std::int64_t tile_offset) {
        stream(tile + tile_offset, to + operand_offset, inner.extent * inner.tile_stride);
      });
      return;
    }
    runs.each([&](std::int64_t operand_offset, std::int64_t tile_offset) {
      step.cast(tile + tile_offset, inner.tile_stride, to + operand_offset, inner.operand_stride,
                static_cast<std::size_t>(inner.extent));
    });
  }

  void compute_nullary(int number, std::byte* out) const {
    const Step& step = renamed_.steps[static_cast<std::size_t>(number)];
    const Translation::Parameters& own = translation_->parameters(number);
    NullaryParams params = own.params;
    params.first = own.first.data();
    params.second = own.second.data();
    const Runs runs(extents_, geometry_.axis_count, geometry_.index_steps, item_bytes(step.out),
                    geometry_.row_pitch);
    params.step = runs.run[0].operand_stride;
    runs.each([&](std::int64_t index_offset, std::int64_t tile_offset) {
      params.index = index_ + index_offset;
      step.loop(nullptr, out + tile_offset, static_cast<std::size_t>(runs.run[0].extent), &params);
    });
  }

  const std::shared_ptr<Translation> translation_;
  const Renamed& renamed_;
  const GeometryRules& rules_;
  ErrorAttribution attribution_;
  Instances instances_;
  Panels panels_;
  // The present cell and tile.
  Geometry geometry_;
  CellForm form_;  // of the last cell, when `last_` is given: its instance
  Instance* last_ = nullptr;
  std::vector<OperandTraits> traits_;
  Axes extents_{};
  std::int64_t index_ = 0;
  bool is_watched_ = false;
  std::size_t first_store_ = 0;
};

Runner::Runner(const Program& program) : state_(std::make_unique<State>(program)) {}
Runner::~Runner() = default;
Runner::Runner(Runner&&) noexcept = default;
Runner& Runner::operator=(Runner&&) noexcept = default;

void Runner::run(const Cell& cell) { state_->run(cell); }

}  // namespace gamelan::engine::tiles
