// SPDX-License-Identifier: BSD-3-Clause
// Finds the commands of a tile program that have met floating-point errors, after the alarm
// (float_errors.hpp). The tile is computed again, one instruction after the other, on the wanted elements
// alone, and every value is kept. Used by the tile interpreter only, and only after an alarm.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/tiles/tile_geometry.hpp"
#include "engine/tiles/tile_program.hpp"
#include "engine/tiles/tile_runs.hpp"

namespace gamelan::engine::tiles {

class ErrorAttribution {
 public:
  /// The program must outlive this object, if any of its instructions belongs to a command.
  explicit ErrorAttribution(const Program& program);
  /// Notes what could not be told apart.
  ~ErrorAttribution();
  ErrorAttribution(const ErrorAttribution&) = delete;
  ErrorAttribution& operator=(const ErrorAttribution&) = delete;

  /// To be called when a cell begins. True when it may have errors, and they are to be reported.
  bool begin(const Geometry& geometry);
  /// The same where begin() said true for a cell of the same form (tile_form.hpp).
  void begin_again();
  /// True when a tile writes to an operand that it also reads.
  bool is_in_place() const { return is_in_place_; }

  /// The tile in question: where its operands begin, and the linear index of its first element.
  struct Tile {
    const Geometry* geometry;
    const Axes* extents;
    std::byte* const* places;
    std::int64_t index;
  };
  /// To be called before a tile is computed: keeps copies of operands that will be overwritten, where flags
  /// alone would not tell: functions raise false ones, so do the gaps between rows, and flags do not say
  /// which of several lines.
  void keep_operands(const Tile& tile);
  /// Notes the errors of the tile's commands since the last look. `are_operands_whole`: no operand has been
  /// overwritten yet.
  void attribute(const Tile& tile, bool are_operands_whole);

 private:
  using Buffer = std::vector<std::byte>;
  void gather(const Tile& tile, std::size_t operand, Buffer& elements) const;
  /// Computes again what does not depend on lost operands. Returns the kinds of errors that it has noted.
  unsigned replay(const Tile& tile, unsigned alarm);
  void compute_nullary(const Instruction& instruction, const Tile& tile, Buffer& out) const;
  void note_lost(unsigned alarm);
  bool is_all_known(unsigned alarm) const;
  bool may_be_of_several_lines() const;
  bool keeps_operands(const Tile& tile) const;

  const Program& program_;
  bool may_err_ = false, has_reliable_flags_ = true, is_in_place_ = false;
  bool has_several_lines_ = false;              // that flags would not tell apart
  std::int64_t cell_elements_ = 0, begun_ = 0;  // elements of this cell; of all that have begun
  bool has_alarm_ = false;  // while operands were lost: from the next tile on they are kept
  struct Doubt {
    int first = -1, last = -1;  // commands of several lines, one of which has met the error
    bool is_found = false;      // in another tile
  };
  std::array<Doubt, protocol::all_float_errors + 1> doubts_;  // by kind
  std::vector<bool> is_read_, is_written_,
      is_overwritten_;        // by operand; the last: read and also written in this cell
  std::vector<Buffer> kept_;  // by operand: elements before they were overwritten
  std::vector<Buffer> registers_;
  Buffer gathered_;
  std::vector<bool> is_operand_lost_, is_lost_;  // in this tile: by operand, by register
  std::vector<const Instruction*> lost_;         // they depend on lost operands
  std::array<int, protocol::all_float_errors + 1> attributions_left_;  // by the kinds of the alarm
};

}  // namespace gamelan::engine::tiles
