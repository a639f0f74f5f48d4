// SPDX-License-Identifier: BSD-3-Clause
// Which register holds which value of a trace, and when. The trace is straight-line code, so the best rule is
// known: when registers run out, the value that is needed last leaves its register (Belady, "A study of
// replacement algorithms", 1966).
#pragma once
#include <array>
#include <vector>

#include "engine/jit/exits.hpp"
#include "engine/jit/registers.hpp"
#include "engine/jit/trace.hpp"

namespace gamelan::engine::jit {

/// Where an instruction finds a value.
struct Source {
  enum class Kind : std::uint8_t {
    none,     ///< for a store: zero
    vector,   ///< vector register `number`
    mask,     ///< register `number`, of masks if there are such: bools
    spill,    ///< slot `number` of the frame
    element,  ///< element i of place `number`
    repeat,   ///< element 0 of place `number`
  };
  Kind kind = Kind::none;
  int number = -1;
};

/// One action of the machine code, on the present elements.
struct Action {
  enum class Kind : std::uint8_t {
    fetch,    ///< in[0] -> out
    spill,    ///< in[0] -> out, a slot
    compute,  ///< what `node` says of `in` -> out; in[1] may be in memory where the op allows it
    store,    ///< in[0] -> place of `node`
    leave,    ///< unless one of the conditions in[0], in[1] holds for some element: `exit`
  };
  Kind kind{};
  int node = -1;
  Dtype dtype{};  ///< of what is moved
  Source out;
  std::array<Source, 3> in{};
  int exit = -1;
};

/// All actions of a trace, in order.
struct Schedule {
  struct Stub {  ///< of an exit: what is stored where
    Source from;
    int node;
  };
  std::vector<Action> once;     ///< before the first element: what keeps its register
  std::vector<Action> actions;  ///< for every vector of elements
  std::vector<Action> last;     ///< behind the last element: stores of what kept its register
  std::vector<std::vector<Stub>> exits;
  int spill_slots = 0;  ///< of a vector each
};

/// `keeps_wrapped`: the vectors side by side are all elements of the places that wrap. What is folded into
/// such a place then keeps its registers as long as there are elements, if there are enough.
Schedule make_schedule(const Trace& trace, const std::vector<Exit>& exits, const Registers& registers,
                       bool keeps_wrapped = false);
/// True when the node's instruction can read its second operand from memory.
bool takes_memory(const Node& node);

}  // namespace gamelan::engine::jit
