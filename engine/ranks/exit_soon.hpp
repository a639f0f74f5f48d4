// SPDX-License-Identifier: BSD-3-Clause
// Ends a process in which any call of MPI, MPI_Abort too, might wait for ever for a node that does not
// answer.
#pragma once

namespace gamelan::engine {

/// Ends this process in three seconds, whatever its other threads wait for. That is enough time for its last
/// messages, and for the other ranks of the node to notice by themselves.
void exit_soon();

}  // namespace gamelan::engine
