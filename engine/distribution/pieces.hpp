// SPDX-License-Identifier: BSD-3-Clause
// From a box of iterations and the layouts of its operands to *cells*: sub-boxes in which every operand is
// one strided block in the memory of one rank. Halos come about here: a shifted view makes thin cells along
// the borders of blocks, whose operand lies with a neighbour. Pure arithmetic; the executor decides who reads
// that memory, and when.
#pragma once
#include <functional>
#include <optional>
#include <span>

#include "engine/distribution/layout.hpp"

namespace gamelan::engine::distribution {

/// A view as a box of its base. Its elements may be parts of the base's elements (`.real` of a complex
/// array): `within` is then the offset of the part in bytes.
struct BoxOfBase {
  protocol::AxisWise map;
  std::int64_t within = 0;
};
/// The view as a box of a base of `base_extents` and `base_dtype`; nullopt when it is none.
std::optional<BoxOfBase> box_of_base(const protocol::View& view, const Shape& base_extents,
                                     protocol::Dtype base_dtype);

/// How one operand of a step is distributed: the layout of its base array, and the view as a box of that
/// base.
struct Placement {
  Layout base;                 ///< of the whole array
  protocol::AxisWise map;      ///< iteration axis -> base axis
  Layout iterations;           ///< layout_of_view(base, map, iteration extents)
  std::size_t item_bytes = 8;  ///< of the base's elements
  std::int64_t within = 0;
};
Placement place(const Layout& base, const BoxOfBase& box, const Shape& extents, std::size_t item_bytes);

/// One operand in one cell: the owner, and the offset in bytes from the start of the owner's block.
struct Piece {
  int owner = 0;
  std::int64_t offset = 0;
  Shape strides;  ///< bytes per iteration axis inside the owner's block
};

/// The place of the view's element at `index` (in iterations), and the strides around it. `self` owns
/// elements that are replicated.
Piece locate(const Placement& placement, const Shape& index, int self);
/// The same, written into an existing piece so that its memory is used again.
void locate(const Placement& placement, const Shape& index, int self, Piece& piece);

/// Calls `visit(cell, pieces)` for every cell of `box`, in C order of the cells; pieces[i] belongs to
/// operands[i].
void for_each_cell(const Box& box, std::span<const Placement* const> operands, int self,
                   const std::function<void(const Box&, std::span<const Piece>)>& visit);

/// The place of element `index` of a whole array, for views that are no box of their base.
Piece locate_element(const Layout& base, const Shape& index, int self, std::size_t item_bytes);

}  // namespace gamelan::engine::distribution
