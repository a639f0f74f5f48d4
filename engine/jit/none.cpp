// SPDX-License-Identifier: BSD-3-Clause
// In place of compile.cpp where Xbyak is not installed: no machine code, as on a processor without AVX2.
#include "engine/jit/compile.hpp"

namespace gamelan::engine::jit {

bool runs(InstructionSet) { return false; }
std::shared_ptr<const Code> compile(const Trace&, InstructionSet) { return nullptr; }

}  // namespace gamelan::engine::jit
