// SPDX-License-Identifier: BSD-3-Clause
// A pass with an interior: its first nodes write a box of an array (the interior of a grid), and what follows
// reads the whole of it. All nodes run over the box, where what was written is in registers; around it only
// those that follow run.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// Indices [first, first + extents) of a view.
View part_of(const View& view, const Shape& first, const Shape& extents);
/// The same part of every view of a command.
protocol::Command part_of(protocol::Command command, const Shape& first, const Shape& extents);
/// Where `inner` begins in `outer`, when it is a box of it, axis by axis and element by element; both are
/// boxes of `base`.
std::optional<Shape> origin_in(const View& inner, const View& outer, const ArrayInfo& base);
/// The group as the interior of a pass over the iterations of `node`, which reads more of an array than the
/// group writes. Nothing when it reads no such array, cannot run in parts, or would keep others from sharing
/// a pass. (An axis of extent 1 has no place in a base, so a box with one is no interior.)
std::optional<Group> as_interior(const Context& context, const Group& group, const Node& node);

}  // namespace gamelan::engine::plan
