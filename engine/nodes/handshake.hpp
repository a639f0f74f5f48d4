// SPDX-License-Identifier: BSD-3-Clause
// How the leaders of the nodes find each other: each listens for its children, all learn through MPI where the others
// listen and a secret, each connects to its parent and shows the secret. Nobody listens any more afterwards.
#pragma once
#include <memory>
#include <vector>

#include "engine/comm.hpp"
#include "engine/nodes/link.hpp"

namespace gamelan::engine::nodes {

struct Neighbours {
  std::unique_ptr<Link> parent;  ///< null at the root
  std::vector<std::unique_ptr<Link>> children;
};

/// Node n's parent is (n - 1) / fanout. Collective on comm.leaders(); throws Error{os}.
Neighbours connect_leaders(Comm& comm, int fanout);

}  // namespace gamelan::engine::nodes
