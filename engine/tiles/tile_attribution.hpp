// SPDX-License-Identifier: BSD-3-Clause
// Which commands of a tile program have met floating-point errors, once the alarm (float_errors.hpp) has been
// raised: the tile is computed again, one instruction after the other, on the wanted elements alone and with
// every value kept. Used by the tile interpreter only; a program in which nothing goes wrong never comes
// here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/tiles/tile_geometry.hpp"
#include "engine/tiles/tile_program.hpp"
#include "engine/tiles/tile_runs.hpp"

namespace gamelan::engine::tiles {

class ErrorAttribution {
 public:
  /// The program must live as long as this, if commands of a batch stand in it.
  explicit ErrorAttribution(const Program& program);

  /// A cell begins: is anybody to be told of its errors?
  bool begin(const Geometry& geometry);
  /// Is an operand that is read written by the same tile?
  bool is_in_place() const { return is_in_place_; }

  /// The tile whose errors are looked for: where its operands begin, and the linear index of its first
  /// element.
  struct Tile {
    const Geometry* geometry;
    const Axes* extents;
    std::byte* const* places;
    std::int64_t index;
  };
  /// Before a tile is computed: keeps operands that will be overwritten, if flags alone may be false.
  void keep_operands(const Tile& tile);
  /// Notes errors of the commands of the tile since the last look. `are_operands_whole`: none has been
  /// overwritten yet.
  void attribute(const Tile& tile, bool are_operands_whole);

 private:
  using Buffer = std::vector<std::byte>;
  Buffer gather(const Tile& tile, std::size_t operand) const;
  void replay(const Tile& tile, unsigned alarm);
  void compute_nullary(const Instruction& instruction, const Tile& tile, Buffer& out) const;
  void note_candidates(unsigned alarm) const;
  bool is_all_known(unsigned alarm) const;
  bool keeps_operands(const Tile& tile) const {
    return is_in_place_ && !has_reliable_flags_ && tile.geometry->row_pitch == 0;
  }

  const Program& program_;
  bool has_commands_ = false, has_reliable_flags_ = true, is_in_place_ = false;
  std::vector<bool> is_read_, is_written_,
      is_overwritten_;        // by operand; the last in this cell, though it is read
  std::vector<Buffer> kept_;  // by operand: elements before they were overwritten
  std::vector<Buffer> registers_;
  int attributions_left_;
};

}  // namespace gamelan::engine::tiles
