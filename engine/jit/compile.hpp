// SPDX-License-Identifier: BSD-3-Clause
// Machine code of a trace: one loop, with every value in a register. Where the processor has no instruction
// set for it, or the system allows no executable page, there is no code and the caller goes on interpreting.
// The bits are those of the loops of engine/tiles/loops: each operation is rounded by itself, and none is
// contracted or moved.
#pragma once
#include <memory>

#include "engine/jit/code.hpp"
#include "engine/jit/registers.hpp"
#include "engine/jit/trace.hpp"

namespace gamelan::engine::jit {

/// True when this processor can run what compile() makes in these instructions.
bool runs(InstructionSet set);
/// Takes some microseconds per node of the trace. Returns nullptr when the system gives no executable memory.
/// Throws Error{internal} or Xbyak::Error for a trace that is not well formed.
std::shared_ptr<const Code> compile(const Trace& trace, InstructionSet set);

}  // namespace gamelan::engine::jit
