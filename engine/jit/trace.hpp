// SPDX-License-Identifier: BSD-3-Clause
// What the compiled tier compiles: straight-line code of nodes, each with one value, which is run for every
// element of some pieces of memory. It has no loops, shapes or strides: whatever makes a trace ensures that
// its places are contiguous.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/jit/registers.hpp"
#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::jit {

using protocol::Dtype;
using protocol::Op;

/// The number of a node is also the number of its value. Nodes read values of lower numbers. Bools are bytes
/// 0 and 1 in memory.
struct Node {
  enum class Kind : std::uint8_t {
    load,     ///< element i of a place
    repeat,   ///< element 0 of a place, for every i
    compute,  ///< op over values of dtype `from` (the condition of `where`: bool)
    convert,  ///< a value of dtype `from`, with NumPy's rules of astype
    store,    ///< in[0] to element i of a place; has no value
  };
  Kind kind{};
  Op op{};
  Dtype dtype{};  ///< of the value (store: of what is stored)
  Dtype from{};
  std::array<int, 3> in{-1, -1, -1};
  int place = -1;
  bool streams = false;  ///< store: past the cache; load: asked for ahead
  int part = 0;  ///< load, store: of which vector of elements, when several are computed side by side (widen)
};

/// How many elements a place has that wraps: a reduction adds to them again and again.
inline constexpr int wrapped_elements = 32;

/// A trace. Two places share no byte, unless `alias` has the same number for both: then they are the same
/// memory.
struct Trace {
  std::vector<Node> nodes;
  std::vector<int> alias;     ///< by place
  std::vector<bool> wraps{};  ///< by place: element i is that at i % wrapped_elements; empty: of no place
};
bool has_wraps(const Trace& trace);

/// Which dtypes a trace can hold, which ops it can compute, and which values it can convert, in instructions
/// of a set.
bool holds(Dtype dtype, InstructionSet set);
bool computes(Op op, Dtype loop, InstructionSet set);
bool converts(Dtype from, Dtype to, InstructionSet set);

/// How wide the numbers of a trace are: of one byte, or wider. No trace has both; bools are in either.
enum class Width : std::uint8_t { any, byte, wide };
Width width_of(Dtype dtype);
/// True when the trace has bools and numbers of one byte only.
bool has_bytes_only(const Trace& trace);

/// The number of elements in a vector: as many of the trace's widest dtype as fit into these bytes, where no
/// element takes less than `least_bytes`.
int lanes(const Trace& trace, int vector_bytes, std::size_t least_bytes);

/// The trace for `parts` vectors side by side, node by node. In a chain each operation waits for the one
/// before; meanwhile the processor can work on other elements. Value v of part p is node `places[v][p]`.
struct Widened {
  Trace trace;
  std::vector<std::array<int, 4>> places;
};
Widened widen(const Trace& trace, int parts);

/// The largest number of values that are alive at once: vectors (without repeated elements), masks, and both
/// together.
struct Pressure {
  int vectors = 0, masks = 0, all = 0;
};
Pressure pressure(const Trace& trace);

}  // namespace gamelan::engine::jit
