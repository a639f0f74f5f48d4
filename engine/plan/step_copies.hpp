// SPDX-License-Identifier: BSD-3-Clause
// General copies, for views that are no box of their base.
#pragma once
#include "engine/plan/slot.hpp"

namespace gamelan::engine::plan {

/// A view that is a box under no extents that its base can have is copied to a new array.
struct Gather {
  int from = -1, to = -1;
  View view;  ///< of `from`; `to` is the whole of a new array
};

/// The whole of `from` is written to the elements of a view of `to`.
struct Scatter {
  int from = -1, to = -1;
  View view;                ///< of `to`
  bool to_replica = false;  ///< every rank holds the target, and writes all of it
};

}  // namespace gamelan::engine::plan
