// SPDX-License-Identifier: BSD-3-Clause
// Machine code of a trace: one loop, with every value in a register. AVX-512 only. Where that is missing, or
// where the system allows no executable page, there is no code and the caller goes on interpreting. The bits
// are those of the loops of engine/tiles/loops: each operation is rounded by itself, and none is contracted
// or moved.
#pragma once
#include <memory>

#include "engine/jit/trace.hpp"

namespace gamelan::engine::jit {

/// A compiled trace. Owns its memory pages.
class Code {
 public:
  virtual ~Code() = default;
  /// Runs the trace for elements 0 <= i < count. `places[p]`: the address of element 0 of place p, aligned to
  /// its size.
  virtual void run(std::byte* const* places, std::size_t count) const = 0;
};

/// True when this processor can run what compile() makes.
bool is_available();
/// Takes some microseconds per node of the trace. Returns nullptr when the system gives no executable memory.
/// Throws Error{internal} or Xbyak::Error for a trace that is not well formed.
std::shared_ptr<const Code> compile(const Trace& trace);

}  // namespace gamelan::engine::jit
