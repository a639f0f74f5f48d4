// SPDX-License-Identifier: BSD-3-Clause
// The tile interpreter. A step makes one Runner for its program and runs it on cells. It knows neither ranks
// nor arrays, nor where memory comes from.
#pragma once
#include <memory>

#include "engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {

/// Runs one program. Owns the register tiles; constants are filled in once. Uses the loops of the
/// instruction-set level that is set when it is made. Not for two threads at once.
class Runner {
 public:
  /// Throws Error{internal} for a program that is not well formed.
  explicit Runner(const Program& program);
  ~Runner();
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;

  /// Computes every element of the cell; does nothing for an empty one.
  void run(const Cell& cell);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gamelan::engine::tiles
