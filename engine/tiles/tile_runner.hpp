// SPDX-License-Identifier: BSD-3-Clause
// The tile interpreter. A step makes one Runner for its program and runs it on cells; nothing here knows of
// ranks, arrays or where memory comes from.
#pragma once
#include <memory>

#include "engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {

/// Runs one program. Owns the register tiles; constants are filled once. Loops are those of the
/// instruction-set level in use when it is made. Not for two threads at once.
class Runner {
 public:
  /// Throws Error{internal} for a program that is not well formed.
  explicit Runner(const Program& program);
  ~Runner();
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;

  /// Computes every element of the cell; nothing happens on an empty one.
  void run(const Cell& cell);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gamelan::engine::tiles
