// SPDX-License-Identifier: BSD-3-Clause
// Arrays that only cycles of Python objects hold: what a cell that failed leaves in its traceback. Python
// collects cycles when many objects were made, and knows nothing of the engines' memory, which few large
// arrays fill. Here it is asked to collect while the memory fills, before an array is made that might have no
// room. One for each session; all functions need the GIL.
#pragma once
#include <cstdint>
#include <limits>

namespace gamelan::kernel {

class Garbage {
 public:
  /// The memory of all engines together.
  void set_heap(std::int64_t bytes);
  /// An array of so many bytes is about to be made. May run Python's collector, and with it anybody's
  /// finalizers.
  void make_way(std::int64_t bytes) {
    if (live_ + bytes > collect_above_) collect(bytes);
  }
  void add(std::int64_t bytes) { live_ += bytes; }
  void drop(std::int64_t bytes) noexcept { live_ -= bytes; }
  /// Collects now; `coming` bytes count as if they lived already when it is decided how soon again. Keeps the
  /// Python error.
  void collect(std::int64_t coming = 0);
  /// A cell has ended, or the program waits for all it has asked for: what lived only on the way there is
  /// gone.
  void rest();

 private:
  std::int64_t next_after(std::int64_t live) const;

  std::int64_t heap_ = 0;
  std::int64_t live_ = 0;  // bytes of arrays that have a name
  std::int64_t collect_above_ = std::numeric_limits<std::int64_t>::max();
  int fruitless_ = 0;           // collections in a row that found little
  int rests_to_come_ = 0;       // that change nothing
  bool is_collecting_ = false;  // its finalizers may make arrays
};

}  // namespace gamelan::kernel
