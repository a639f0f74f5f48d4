// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets that traces are compiled for, and what a schedule must know of one.
#pragma once
#include <cstdint>

namespace gamelan::engine::jit {

enum class InstructionSet : std::uint8_t { avx2, avx512 };

/// The registers of a set that hold values; its instructions use the others. Vector registers count from 0.
/// Without mask registers, bools are kept in vector registers, too.
struct Registers {
  int vector_bytes = 0;
  int vectors = 0;
  int first_mask = 0, masks = 0;
  int most_alive = 0;  ///< values of two vectors of elements that are computed side by side
};
const Registers& registers_of(InstructionSet set);

}  // namespace gamelan::engine::jit
