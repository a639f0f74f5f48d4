// SPDX-License-Identifier: BSD-3-Clause
// Machine code of a trace: one loop, every value in a register. AVX-512 only; where that is missing, or where
// no page may be made executable, there is no code and the caller goes on interpreting. The bits are those of
// the loops of engine/tiles/loops: each operation is rounded alone, none is contracted or moved.
#pragma once
#include <memory>

#include "engine/jit/trace.hpp"

namespace gamelan::engine::jit {

class Code {
 public:
  virtual ~Code() = default;
  /// Does the trace for elements 0 <= i < count. `places[p]`: where element 0 of place p is, aligned to its
  /// size.
  virtual void run(std::byte* const* places, std::size_t count) const = 0;
};

/// Whether this processor runs what compile() makes.
bool is_available();
/// Some microseconds per node of the trace. nullptr when the system gives no executable memory;
/// Error{internal} or Xbyak::Error for a trace that is not well formed.
std::shared_ptr<const Code> compile(const Trace& trace);

}  // namespace gamelan::engine::jit
