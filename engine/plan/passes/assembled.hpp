// SPDX-License-Identifier: BSD-3-Clause
// Assembled arrays: temporaries that copies of disjoint boxes fill, and element-wise commands read as a whole
// (np.roll, np.concatenate, np.pad, np.stack). Finds them and says which part of which source a box is. What
// is done with them is split_assembled.cpp's business.
#pragma once
#include <optional>

#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// An array that need not be made: its parts are read where they come from.
struct Assembled {
  struct Part {
    Shape first, extents;  ///< the box
    protocol::Operand source;
  };
  Shape extents;
  std::vector<Part> parts;
  std::vector<std::size_t> makers;   ///< nodes that fill it
  std::vector<std::size_t> readers;  ///< nodes

  /// What to read for a box that lies within one part.
  protocol::Operand source_of(const Shape& first, const Shape& box) const;
};

/// True for nodes that make a new array, whole, of operands of the same extents, which can be read in parts.
bool can_be_split(const Context& context, const Node& node);

/// By array.
std::unordered_map<ArrayId, Assembled> find_assembled(const Context& context);

}  // namespace gamelan::engine::plan
