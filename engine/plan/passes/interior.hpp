// SPDX-License-Identifier: BSD-3-Clause
// A pass with an interior: its first nodes write a box of an array (the interior of a grid), and later nodes
// read all of it. Inside the box all nodes run, and what was written is in registers. Around the box only the
// later nodes run.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// The part [first, first + extents) of a view.
View part_of(const View& view, const Shape& first, const Shape& extents);
/// The same part of every view of a command.
protocol::Command part_of(protocol::Command command, const Shape& first, const Shape& extents);
/// Where `inner` begins in `outer`, if it is a box of it, axis by axis and element by element; nullopt
/// otherwise. Both are boxes of `base`.
std::optional<Shape> origin_in(const View& inner, const View& outer, const ArrayInfo& base);
/// The group as the interior of a pass over the iterations of `node`, which reads more of an array than the
/// group writes. nullopt when it reads no such array, cannot run in parts, or would prevent others from
/// sharing a pass. (An axis of extent 1 is not an axis of a base, so a box with one is no interior.)
std::optional<Group> as_interior(const Context& context, const Group& group, const Node& node);

}  // namespace gamelan::engine::plan
