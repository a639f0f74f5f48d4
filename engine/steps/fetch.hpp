// SPDX-License-Identifier: BSD-3-Clause
// The elements of a view for one rank: what rank 0 sends to the client, and what a step needs whole.
#pragma once
#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// What of a view lies with other nodes comes into the ghost buffers of rank `reader`. Collective when there
/// are several nodes; throws what went wrong on this rank, and FollowsFailure.
void bring_near(const StepContext& context, int slot, const protocol::View& view, int reader);
/// The elements of any view, in C order, at `target`. Local to the calling rank: reads other ranks' blocks in
/// place, those of other nodes in their ghost buffers.
void fetch(const StepContext& context, int slot, const protocol::View& view, std::byte* target);

}  // namespace gamelan::engine::steps
