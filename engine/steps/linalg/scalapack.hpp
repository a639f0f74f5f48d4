// SPDX-License-Identifier: BSD-3-Clause
// The routines of protocol/linalg.hpp on one matrix that a grid of ranks shares, by ScaLAPACK. Every rank of
// the grid calls `compute_together`, which uses a communicator of its own. A missing rank would leave the
// others waiting, so the executor lets all ranks agree first. Knows no arrays.
#pragma once
#include <cstdint>

#include "engine/distribution/cyclic.hpp"
#include "engine/ranks/comm.hpp"
#include "protocol/linalg.hpp"

namespace gamelan::engine::steps {

/// What is to be computed. The memory is this rank's part of each matrix.
struct BlockedTask {
  protocol::Linalg routine{};
  protocol::Dtype loop{};
  bool flag = false;  ///< eigh: the lower triangle counts
  distribution::Cyclic a_blocks = {}, b_blocks = {};
  void* a = nullptr;  ///< destroyed, or the result (inverse, cholesky, R)
  void* b = nullptr;  ///< right-hand sides, then solutions
  /// Further results: Q; U, V conjugated and transposed, values; vectors, values; sign and logarithm.
  void* made[3] = {};
  distribution::Cyclic made_blocks[3] = {};
};
/// Collective over all ranks, also those outside the grid. Throws Error{linalg} where NumPy raises
/// LinAlgError, and std::bad_alloc when one has no memory: on all ranks.
void compute_together(Comm& comm, const BlockedTask& task);

}  // namespace gamelan::engine::steps
