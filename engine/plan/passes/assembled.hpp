// SPDX-License-Identifier: BSD-3-Clause
// Assembled arrays: temporaries that copies of disjoint boxes fill, and element-wise commands read as a whole
// (np.roll, np.concatenate, np.pad, np.stack), or copies into other assembled arrays do (a roll of a roll).
// Finds them and says which part of which source a box is. What is done with them is split_assembled.cpp's
// business.
#pragma once
#include <optional>

#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// An array that need not be made: its parts are read where they come from.
struct Assembled {
  struct Part {
    Shape first, extents;      ///< the box
    protocol::Operand source;  ///< of no assembled array
    std::size_t maker;         ///< the node at which the source is read
  };
  Shape extents;
  std::vector<Part> parts;
  std::vector<std::size_t> makers;   ///< nodes that fill it
  std::vector<std::size_t> readers;  ///< nodes
  std::vector<std::size_t> copiers;  ///< nodes that copy a box of it into another assembled array
  std::vector<ArrayId> through;      ///< assembled arrays that its makers read; its parts are theirs

  /// What to read for a box that lies within one part.
  protocol::Operand source_of(const Shape& first, const Shape& box) const;
};

/// True for nodes that make a new array, whole, of operands of the same extents, which can be read in parts.
bool can_be_split(const Context& context, const Node& node);

/// Where a dense box of an array begins; nullopt when the view is none.
std::optional<Shape> first_of(const View& view, const ArrayInfo& info);
/// True for two boxes, by where they begin and their extents, that have no element in common.
bool are_disjoint(const Shape& left, const Shape& left_extents, const Shape& right,
                  const Shape& right_extents);

/// By array.
using AssembledArrays = std::unordered_map<ArrayId, Assembled>;
AssembledArrays find_assembled(const Context& context);

/// Takes an array out, which will be made after all; and those that its makers read.
void take_out(AssembledArrays& arrays, ArrayId id);

}  // namespace gamelan::engine::plan
