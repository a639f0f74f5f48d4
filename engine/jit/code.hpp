// SPDX-License-Identifier: BSD-3-Clause
// What compiling a trace gives.
#pragma once
#include <cstddef>

namespace gamelan::engine::jit {

/// A compiled trace. Owns its memory pages.
class Code {
 public:
  virtual ~Code() = default;
  /// Runs the trace for elements 0 <= i < count. `places[p]`: the address of element 0 of place p, aligned to
  /// its size.
  virtual void run(std::byte* const* places, std::size_t count) const = 0;
};

}  // namespace gamelan::engine::jit
