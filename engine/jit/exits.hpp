// SPDX-License-Identifier: BSD-3-Clause
// Where a trace may be left early, because nothing changes any more. In
//     inside = abs(z) <= 2; z = where(inside, z * z + c, z); count = count + inside
// nothing changes once `inside` is false for all present elements, however often the loop around it is
// unrolled.
#pragma once
#include <vector>

#include "engine/jit/trace.hpp"

namespace gamelan::engine::jit {

/// When value `condition` is false for all present elements, only stores are left to do after it: they store
/// values that were known before it to the places of the given store nodes. In a trace of two parts also
/// value `other`, of the first part, must be false.
struct Exit {
  static constexpr int zero = -2;  ///< as a value: false, or the integer 0
  struct Store {
    int value, node;
  };
  int condition = -1, other = -1;
  std::vector<Store> stores;
};

/// All exits, in order of `condition`. They come from partial evaluation of what follows a condition of a
/// `where`, under the assumption that it is false: selections take their other side, integers to which false
/// is added stay, and what is computed from known values is known.
std::vector<Exit> find_exits(const Trace& trace);
/// The exits of a trace in its widened form, two parts at most.
std::vector<Exit> widen(const std::vector<Exit>& exits, const Widened& wide, int parts);

}  // namespace gamelan::engine::jit
