// SPDX-License-Identifier: BSD-3-Clause
// How a command and a group depend on each other: which elements both touch, and whether at the same
// iterations. Pure questions about views; used by fuse.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// True when `read` reads elements of `write` at other iterations than those that write them.
bool is_misaligned(const View& read, const View& write);
/// True when the command reads its own result at other iterations.
bool overlaps_itself(const protocol::Command& command);
/// True when a write in place must go to a fresh version: something reads its array at other iterations in
/// the same pass, or a copy waits for the old version.
bool needs_version(const Group& group, const Node& node);
/// True when `command` must come after the group.
bool depends_on(const protocol::Command& command, const Group& group);
/// True when `view`, over all iterations of the group, is exactly what the group's i-th node writes (for a
/// node that runs over the interior only: inside the interior).
bool is_written_by(const Group& group, std::size_t i, const View& view, const Context& context);
/// True when a node of the group writes elements of `view` at other iterations.
bool is_misread(const Group& group, const View& view, const Context& context);
/// True when the command reads what the group computes.
bool continues(const Group& group, const protocol::Command& command, const Context& context);

}  // namespace gamelan::engine::plan
