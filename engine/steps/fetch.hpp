// SPDX-License-Identifier: BSD-3-Clause
// Brings the elements of a view to one rank: those that rank 0 sends to the client, and those that a step
// needs as a whole.
#pragma once
#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// Brings the elements of a view that lie on other nodes into ghost buffers of rank `reader`. Collective when
/// there are several nodes. Throws what went wrong on this rank, or FollowsFailure.
void bring_near(const StepContext& context, int slot, const protocol::View& view, int reader);
/// Copies the elements of any view, in C order, to `target`. Local to the calling rank: it reads other ranks'
/// blocks in place, and those of other nodes in their ghost buffers.
void fetch(const StepContext& context, int slot, const protocol::View& view, std::byte* target);

}  // namespace gamelan::engine::steps
