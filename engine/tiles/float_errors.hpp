// SPDX-License-Identifier: BSD-3-Clause
// Floating-point errors as NumPy tells them, met while a batch is computed. The processor's flags are the
// alarm: they are read after each tile, which costs nothing, and may have been raised for nothing (vector
// functions, gaps between rows, lanes that are not wanted). Which command has raised one is found out
// afterwards (tile_attribution.hpp). One per process.
#pragma once
#include <xmmintrin.h>

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::engine::tiles {

class FloatErrors {
 public:
  /// A batch begins, of which these kinds are to be told; 0: nothing is done.
  void watch(unsigned kinds);
  unsigned watched() const { return watched_; }
  /// Forgets flags that were raised by what nobody asks about.
  void clear() {
    if ((_mm_getcsr() & alarm_) != 0) _mm_setcsr(_mm_getcsr() & ~flags);
  }
  /// Watched kinds that were raised since the last look or clear().
  unsigned look() { return (_mm_getcsr() & alarm_) == 0 ? 0 : take(); }

  /// Commands of the batch, of which one has met these kinds; nothing is kept twice.
  void note(unsigned kinds, int first, int last);
  bool is_known(unsigned kinds, int command) const;
  /// Has anything been noted since tell()?
  bool is_new() const { return is_new_; }
  /// All that was noted in this batch.
  std::span<const protocol::FloatErrors> tell();

 private:
  static constexpr unsigned flags = 0x3d;  // invalid, divide, overflow, underflow, inexact
  unsigned take();

  unsigned watched_ = 0, alarm_ = 0;
  bool is_new_ = false;
  std::map<std::pair<int, int>, unsigned> noted_;
  std::vector<protocol::FloatErrors> told_;
};

FloatErrors& float_errors();

/// Notes what a fold with `op` in `loop` has raised since the last look.
void note_fold(protocol::Op op, protocol::Dtype loop, int command);

}  // namespace gamelan::engine::tiles
