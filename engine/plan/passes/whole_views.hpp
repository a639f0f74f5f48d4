// SPDX-License-Identifier: BSD-3-Clause
// Views of a whole array, in whatever shape: what canonical.cpp and choose_extents.cpp ask before an
// operation runs over the extents in which an array is stored. None of it depends on the number of ranks.
#pragma once
#include <algorithm>

#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// True for all elements of the array, in its C order.
inline bool is_whole(const View& view, const ArrayInfo& base) {
  return view.offset == 0 && view.dtype == base.dtype && protocol::is_contiguous(view) &&
         protocol::element_count(view.extents) == protocol::element_count(base.extents);
}

/// True for a number that is broadcast to all axes.
inline bool is_one_element_everywhere(const View& view) {
  for (std::size_t k = 0; k < view.extents.size(); ++k)
    if (view.extents[k] > 1 && view.strides[k] != 0) return false;
  return true;
}

/// True for a whole view, of at least two axes, that takes some axes of its array for one, where the array
/// can be cut along its first axis into many blocks that lie in memory as the view sees them. An operation
/// then keeps the view's shape: what is computed from its result has that shape, too.
inline bool fits_as_seen(const View& view, const ArrayInfo& base) {
  return view.extents.size() > 1 && base.extents.size() > view.extents.size() &&
         distribution::can_be_cut_for(base.extents, base.dtype, view, 1);
}

/// True when the command can run over any extents with the same C order: no operand is a proper part of its
/// base.
inline bool is_shapeless(const Context& context, const protocol::Command& command) {
  return std::all_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
    const auto* view = std::get_if<View>(&operand);
    return !view || is_one_element_everywhere(*view) || is_whole(*view, context.arrays.at(view->base));
  });
}

/// True for extents that differ by axes of extent 1 at most.
inline bool are_alike(const Shape& one, const Shape& other) {
  const auto without_units = [](const Shape& extents) {
    Shape kept;
    std::copy_if(extents.begin(), extents.end(), std::back_inserter(kept),
                 [](auto each) { return each != 1; });
    return kept;
  };
  return without_units(one) == without_units(other);
}

/// Of such a command that makes an array: the extents of the first operand that is stored otherwise than the
/// user sees it. The command then runs over these. Null where all are stored as they are seen, but for axes
/// of extent 1.
/// `extents_of(id)`: in which an array is, or will be, stored.
template <class ExtentsOf>
const Shape* stored_extents(const Context& context, const protocol::Command& command, ExtentsOf extents_of) {
  for (const auto& operand : command.in) {
    const auto* view = std::get_if<View>(&operand);
    if (!view || is_one_element_everywhere(*view)) continue;
    const Shape& extents = extents_of(view->base);
    if (!are_alike(extents, command.out.extents) && extents.size() >= command.out.extents.size() &&
        !fits_as_seen(*view, context.arrays.at(view->base)))
      return &extents;
  }
  return nullptr;
}

}  // namespace gamelan::engine::plan
