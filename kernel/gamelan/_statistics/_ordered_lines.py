# SPDX-License-Identifier: BSD-3-Clause
"""The elements over axes in their order: as sorted lines, or, of a long row, only those that are asked for."""

import numpy

from .._folds._reductions import reduce
from .._imported_numpy import normalize_axis_tuple
from .._indexing._gather import take_along
from .._sorting._selection import asarray_of, can_select, elements_at
from .._sorting._sort import selected, sort
from .._ufuncs._objects import PUBLIC
from .._views._join import stack
from .._views._plain import moveaxis
from .._views._reshape import reshape
from ._common import count_along


class Selected:
    """A row of which some elements are known as if it were sorted."""

    def __init__(self, row):
        self._row, self._found = row, {}
        self.ndim, self.shape, self.size = 1, row.shape, row.size

    def find(self, places):
        """Finds the elements at places, all at once; the last one, too."""
        places = sorted({int(place) % self.size for place in places})
        if can_select(self._row, places):
            found = elements_at(self._row, places)
        else:
            found = take_along(sort(self._row), asarray_of(places), 0)
        self._found = {place: found[..., at] for at, place in enumerate(places)}

    def __getitem__(self, key):
        return self._found[int(key[-1]) % self.size]

    def at(self, index):
        """The elements at numbers that are known here."""
        return stack([self._found[int(place)] for place in index]) if len(index) else self._row[:0]


def _row_of(a, axis):
    """All elements as a row, if they are one line; else None."""
    axes = axes_of(a, axis)
    return None if a.size != count_along(a, axes) else reshape(moveaxis(a, axes, range(len(axes))), (a.size,))


def lines_to_read(a, axis, places_of):
    """As sorted_lines, of which only the elements that `places_of(their length)` names may be read."""
    row = _row_of(a, axis)
    if row is not None and can_select(row, places := places_of(row.size)):
        lines = Selected(row)
        lines.find(places)
        return lines, *shapes_over(a, axis)
    return sorted_lines(a, axis, places_of)


def selected_without_nans(a, axis, places_of):
    """For a long row: what Selected finds at places_of(how many are no NaN), and how many that are; else None."""
    row = _row_of(a, axis)
    if row is None or not can_select(row, ()) or (count := int(reduce("sum", ~PUBLIC["isnan"](row), None, numpy.intp))) == 0:
        return None
    places = places_of(count)
    if not places or not can_select(row, places):
        return None
    lines = Selected(row)
    lines.find(places)
    return lines, count


def sorted_lines(a, axis, places_of=None):
    """The elements along the axes as one last axis, sorted; and the shapes of the result without and with kept axes. With
    `places_of` only the elements that it names are where sorting puts them."""
    axes = axes_of(a, axis)
    others = tuple(k for k in range(a.ndim) if k not in axes)
    shape, kept = shapes_over(a, axis)
    lines = reshape(moveaxis(a, others, range(len(others))), (*shape, count_along(a, axes)))
    if places_of is None or lines.size == 0:
        return sort(lines, -1), shape, kept
    return selected(lines, -1, [place % lines.shape[-1] for place in places_of(lines.shape[-1])]), shape, kept


def shapes_over(a, axis):
    """The shapes of a result over axes: without them, and with an extent of 1 in their place."""
    axes = axes_of(a, axis)
    shape = tuple(extent for k, extent in enumerate(a.shape) if k not in axes)
    return shape, tuple(1 if k in axes else extent for k, extent in enumerate(a.shape))


def axes_of(a, axis):
    return tuple(range(a.ndim)) if axis is None else tuple(sorted(normalize_axis_tuple(axis, a.ndim)))  # lists and bools, too
