// SPDX-License-Identifier: BSD-3-Clause
// Reductions over a short last axis, and the commands whose results only they need: together they can be
// written out, one command for each index of the axis (unroll_short_axes.cpp). This file finds them.
#pragma once
#include <optional>
#include <vector>

#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// The length of the last axis when the node reduces that one alone, or looks for its extreme, in a way that
/// a few element-wise commands repeat bit by bit; 0 otherwise.
std::int64_t short_axis_of(const Context& context, const Node& node);

/// A reduction, its root, and what is written out with it.
struct ShortAxisCone {
  std::size_t root = 0;
  std::vector<std::size_t> nodes;                    ///< that make the arrays below, ascending
  std::unordered_map<ArrayId, std::size_t> made_by;  ///< arrays of which the root reads an element at a time
  std::optional<ArrayId> stored;  ///< the one that is read elsewhere, too: it is written element by element
  std::size_t commands = 0;       ///< into which all of them become at most
};
/// The cone of a root; nullopt when it is not worth while. `context.readers` must be known.
std::optional<ShortAxisCone> cone_of(const Context& context, std::size_t root);

}  // namespace gamelan::engine::plan
