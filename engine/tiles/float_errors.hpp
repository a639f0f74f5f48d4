// SPDX-License-Identifier: BSD-3-Clause
// The floating-point errors, as NumPy reports them, that are met while a batch is computed. The processor's
// flags are the alarm. They are read after each tile, which costs nothing. They may be raised without an
// error that NumPy would report (vector functions, gaps between rows, lanes that are not wanted). Error
// attribution (tile_attribution.hpp) finds the command afterwards. One object per process.
#pragma once
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/tiles/processor_flags.hpp"
#include "protocol/message.hpp"

namespace gamelan::engine::tiles {

class FloatErrors {
 public:
  /// To be called when a batch begins: `kinds` are to be reported; 0: nothing is done. `lines`: by command, a
  /// number for the line that recorded it; empty where nobody knows.
  void watch(unsigned kinds, std::vector<int> lines = {});
  /// The number of the command's line: commands of one line are under the same `errstate`.
  int line_of(int command) const {
    const auto place = static_cast<std::size_t>(command);
    return place < lines_.size() ? lines_[place] : 0;
  }
  unsigned watched() const { return watched_; }
  /// Clears flags that were raised by work whose errors are not reported.
  void clear() {
    if ((processor_flags::raised() & alarm_) != 0) processor_flags::lower();
  }
  /// The watched kinds whose flags were raised since the last look() or clear().
  unsigned look() { return (processor_flags::raised() & alarm_) == 0 ? 0 : take(); }

  /// Notes that one of the commands `first` to `last` of the batch has met these kinds. Nothing is kept
  /// twice.
  void note(unsigned kinds, int first, int last);
  bool is_known(unsigned kinds, int command) const;
  /// True when something has been noted since tell().
  bool is_new() const { return is_new_; }
  /// All that was noted in this batch.
  std::span<const protocol::FloatErrors> tell();

 private:
  unsigned take();

  unsigned watched_ = 0, alarm_ = 0;
  bool is_new_ = false;
  std::vector<int> lines_;
  std::map<std::pair<int, int>, unsigned> noted_;
  std::vector<protocol::FloatErrors> told_;
};

FloatErrors& float_errors();

/// Notes what a fold with `op` in `loop` has raised since the last look.
void note_fold(protocol::Op op, protocol::Dtype loop, int command);

}  // namespace gamelan::engine::tiles
