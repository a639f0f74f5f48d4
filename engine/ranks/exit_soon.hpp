// SPDX-License-Identifier: BSD-3-Clause
// The last resort of a rank that must end: a call of MPI (MPI_Abort too) may wait for a node that will never
// answer.
#pragma once

namespace gamelan::engine {

/// Ends this process in three seconds, whatever its other threads are waiting for. Time for its last words,
/// and for the other ranks of the node to find out by themselves.
void exit_soon();

}  // namespace gamelan::engine
