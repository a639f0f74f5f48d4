// SPDX-License-Identifier: BSD-3-Clause
// Arrays may be kept alive only by cycles of Python objects: for example by the traceback of a cell that
// failed. Python collects cycles after many objects were made. It does not know of the engines' memory, which
// a few large arrays can fill. So this class asks Python to collect while that memory fills, before an array
// is made for which there might be no room. One object for each session; all functions need the GIL.
#pragma once
#include <cstdint>
#include <limits>

#include "protocol/view.hpp"

namespace gamelan::kernel {

class Garbage {
 public:
  /// Sets the heap of all engines together, in bytes.
  void set_heap(std::int64_t bytes);
  /// To be called before an array of so many bytes is made. May run Python's collector, and with it
  /// finalizers of any object.
  void make_way(std::int64_t bytes) {
    if (live_ + bytes > collect_above_) collect(bytes);
  }
  void add(std::int64_t bytes) {
    live_ += bytes;
    unsettled_ += bytes;
  }
  void drop(std::int64_t bytes, protocol::ArrayId id) noexcept {
    live_ -= bytes;
    if (id > last_settled_) unsettled_ -= bytes;
  }
  /// Collects now. `coming` bytes count as in use when the time of the next collection is decided. Keeps the
  /// Python error.
  void collect(std::int64_t coming = 0);
  /// True when what was made since `note_settled`, unless it is little, may not fit into the engines' memory.
  /// The array of `coming` bytes is made, and its command is not recorded yet.
  bool may_not_fit(std::int64_t coming) const {
    return heap_ > 0 && live_ - coming > heap_ - heap_ / 16 && unsettled_ - coming > heap_ / 64;
  }
  /// The same for `bytes` that the engines would need beside all arrays.
  bool may_not_fit_beside(std::int64_t bytes) const { return may_not_fit(-bytes); }
  /// The engines have computed, or refused, all arrays up to this one. An array of `coming` bytes is made,
  /// and its command is not recorded yet.
  void note_settled(protocol::ArrayId last, std::int64_t coming = 0) {
    last_settled_ = last;
    unsettled_ = coming;
  }
  /// To be called when a cell has ended, or the program has waited for everything: temporary arrays are gone
  /// then.
  void rest();

 private:
  std::int64_t next_after(std::int64_t live) const;

  std::int64_t heap_ = 0;
  std::int64_t live_ = 0;       // bytes of arrays that have a name
  std::int64_t unsettled_ = 0;  // of those among them that may not be computed yet
  protocol::ArrayId last_settled_ = 0;
  std::int64_t collect_above_ = std::numeric_limits<std::int64_t>::max();
  int fruitless_ = 0;           // collections in a row that found little
  int rests_to_come_ = 0;       // calls of rest() that will change nothing
  bool is_collecting_ = false;  // its finalizers may make arrays
};

}  // namespace gamelan::kernel
