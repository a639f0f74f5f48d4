// SPDX-License-Identifier: BSD-3-Clause
// What a rank keeps from step to step. Scratch memory: the next step uses the same pages again, without
// clearing them. Private to a rank, outside the heap of arrays, and never released. So users should ask only
// for what fits a cache (a fold: one region, its lanes, and factors that its rows share).
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace gamelan::engine::steps {

class Workspace {
 public:
  /// Memory of at least `bytes` bytes, aligned to 64, with undefined contents. Valid until the same `number`
  /// is asked for again.
  std::byte* at_least(std::size_t bytes, std::size_t number = 0) {
    if (number >= parts_.size()) parts_.resize(number + 1);
    Part& part = parts_[number];
    if (part.bytes < bytes) {
      part.memory.reset();  // first, so that there are never both
      part.bytes = 0;
      part.memory.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
      part.bytes = bytes;
    }
    return part.memory.get();
  }

  /// True at every second call, one for each pass that may begin at either end of its operand and is
  /// repeated: it begins where the one before has ended, because that is still in cache.
  bool begins_at_the_end() { return begins_at_the_end_ = !begins_at_the_end_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }
  };
  struct Part {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t bytes = 0;
  };
  std::vector<Part> parts_;
  bool begins_at_the_end_ = false;
};

}  // namespace gamelan::engine::steps
