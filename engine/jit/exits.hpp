// SPDX-License-Identifier: BSD-3-Clause
// Where a trace may be left early: programs freeze what is done with. In
//     inside = abs(z) <= 2; z = where(inside, z * z + c, z); count = count + inside
// nothing changes any more once `inside` holds for no element at hand, however often the turn is unrolled.
#pragma once
#include <vector>

#include "engine/jit/trace.hpp"

namespace gamelan::engine::jit {

/// When value `condition` is false for every element at hand, all that is left to do after it is to store:
/// values that were known before it, to the places of the given store nodes. In a trace of two parts also
/// value `other`, the first part's.
struct Exit {
  static constexpr int zero = -2;  ///< as a value: false, or the integer 0
  struct Store {
    int value, node;
  };
  int condition = -1, other = -1;
  std::vector<Store> stores;
};

/// In order of `condition`. Partial evaluation of what follows a condition of some `where`, under the
/// assumption that it is false: selections take their other side, integers that false is added to stay, and
/// what is computed of known values once more is known.
std::vector<Exit> find_exits(const Trace& trace);
/// The exits of a trace in its widened form, two parts at most.
std::vector<Exit> widen(const std::vector<Exit>& exits, const Widened& wide, int parts);

}  // namespace gamelan::engine::jit
