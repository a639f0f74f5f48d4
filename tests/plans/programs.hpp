// SPDX-License-Identifier: BSD-3-Clause
// The programs whose plans are kept as text: small, one idea of the planner each.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "tests/engine/batch_writer.hpp"

namespace gamelan::tests {

struct GoldenProgram {
  std::string name;  ///< of the file, without .plan
  std::string text;  ///< as the notebook has it
  int ranks;
  std::set<std::string> disabled;
  void (*record)(engine::plan::BatchWriter&);
};
const std::vector<GoldenProgram>& golden_programs();

}  // namespace gamelan::tests
