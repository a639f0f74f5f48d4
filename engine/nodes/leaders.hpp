// SPDX-License-Identifier: BSD-3-Clause
// The leaders of all nodes tell each other through MPI where they listen, and the job's secret; then each
// shakes hands with its neighbours in the tree. Nobody listens any more afterwards.
#pragma once
#include "engine/nodes/handshake.hpp"
#include "engine/ranks/comm.hpp"

namespace gamelan::engine::nodes {

/// Node n's parent is (n - 1) / fanout. Collective on comm.leaders(), but does not agree: throws Error{os} on
/// the leaders that miss a neighbour.
Neighbours connect_leaders(Comm& comm, const Settings& settings);

}  // namespace gamelan::engine::nodes
