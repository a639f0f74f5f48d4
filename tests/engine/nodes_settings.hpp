// SPDX-License-Identifier: BSD-3-Clause
// The tree of nodes that a test was registered with: four lonely ranks make one of depth two or three.
#pragma once
#include <cstdlib>

#include "engine/nodes/settings.hpp"

namespace gamelan::testing {

/// GAMELAN_NODE_FANOUT=k, as the engine has it.
inline engine::nodes::Settings nodes_settings() {
  engine::nodes::Settings settings;
  if (const char* fanout = std::getenv("GAMELAN_NODE_FANOUT")) settings.fanout = std::atoi(fanout);
  return settings;
}

}  // namespace gamelan::testing
