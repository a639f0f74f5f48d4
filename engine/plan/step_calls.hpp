// SPDX-License-Identifier: BSD-3-Clause
// Steps that call a routine: one of the user's, or one that draws random numbers.
#pragma once
#include <optional>
#include <vector>

#include "engine/plan/slot.hpp"

namespace gamelan::engine::plan {

/// Calls a user's routine on arrays where they lie. It may write the first `writes` of them, at any place.
struct Routine {
  int payload = -1;  ///< its name
  std::vector<int> slots;
  int writes = 0;
  std::vector<double> numbers;
};

/// Random numbers of a distribution; each parameter is an operand or a number.
struct Draw {
  struct Parameter {
    std::optional<Operand> operand;
    Dtype dtype{};
    double number = 0;
  };
  int distribution = 0;
  std::uint64_t key = 0, offset = 0;
  std::vector<Parameter> parameters;
  int out = -1;
};

}  // namespace gamelan::engine::plan
