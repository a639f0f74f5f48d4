# SPDX-License-Identifier: BSD-3-Clause
"""unique: sort, compare neighbours, keep the first of each run; whole numbers in a narrow range are counted (_counted). With an
axis, rows are first numbered in their order (_rows), and these numbers are made unique."""

import math

import numpy

from .._creation._filled import filled
from .._creation._from_data import asarray
from .._imported_numpy import normalize_axis_tuple
from .._indexing._positions import positions_of
from .._indexing._take_put import take
from .._local import call_numpy, is_distributed
from .._sorting._sort import argsort, sort
from .._views._plain import moveaxis
from .._views._reshape import ravel, reshape
from ._counted import counted
from ._neighbours import is_new, short
from ._rows import numbered_rows

__all__ = ["unique"]


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The sorted unique elements of an array.

    Triggers evaluation: the extent of the result depends on the data. With `axis` None the array is flattened first.

    Examples
    --------
    >>> import gamelan as np
    >>> np.unique([3, 1, 3, 2]).tolist()
    [1, 2, 3]
    """
    ar = asarray(ar)
    if not is_distributed(ar):
        options = {"axis": axis, "equal_nan": equal_nan} | ({} if sorted else {"sorted": sorted})
        return call_numpy(numpy.unique, "unique", (ar, return_index, return_inverse, return_counts), options)
    wanted = [return_index, return_inverse, return_counts]
    if axis is None:
        values, extras = _distinct(ravel(ar), wanted, equal_nan)
    else:
        values, extras = _distinct_rows(ar, axis, wanted)
    if return_inverse:
        place = 1 if return_index else 0
        extras[place] = reshape(extras[place], _inverse_shape(ar.shape, axis))
    return (values, *extras) if any(wanted) else values


def _inverse_shape(shape, axis):
    """The shape of the inverse: a row, or one from which `take` makes the array again, as the imported NumPy has it."""
    sample = numpy.unique(numpy.zeros((1,) * len(shape)), return_inverse=True, axis=axis)[1]
    if axis is None:
        return shape if sample.ndim == len(shape) else (math.prod(shape),)
    (axis,) = normalize_axis_tuple(axis, len(shape))
    return tuple(
        shape[axis] if place == axis or sample.ndim == 1 else 1 for place in range(len(shape) if sample.ndim != 1 else 1)
    )


def _distinct(row, wanted, equal_nan):
    """The distinct elements of a row of one dimension, and what is wanted of them."""
    if (found := counted(row, wanted)) is not None:
        return found
    return_index, return_inverse, _ = wanted
    if return_index or return_inverse:
        places = argsort(row)
        ordered = take(row, places) if row.size else row
    else:
        places, ordered = None, sort(row)
    new = is_new(ordered, equal_nan)
    at = positions_of(new)
    values = ordered if at.size == new.size else take(ordered, at)  # where all differ, nothing is copied
    return values, _extras(places, new, at, wanted)


def _extras(places, new, at, wanted):
    """`new` marks the first of each run, `at` says where these stand."""
    return_index, return_inverse, return_counts = wanted
    extras = []
    if return_index:
        extras.append(take(places, at))
    if return_inverse:
        extras.append(_inverse(places, new))
    if return_counts:
        ends = filled((at.size + 1,), numpy.intp, new.size)
        ends[:-1] = at
        extras.append(ends[1:] - ends[:-1])
    return extras


def _inverse(places, new):
    """Which run every element is of."""
    if not new.size:
        return filled(new.shape, numpy.intp, 0)
    places = short(places, new.size)
    numbers = new.cumsum(dtype=places.dtype)
    inverse = filled(new.shape, places.dtype, 0)
    inverse[places] = numbers - places.dtype.type(1)
    return inverse.astype(numpy.intp)


def _distinct_rows(ar, axis, wanted):
    numpy.unique(numpy.zeros((1,) * ar.ndim), axis=axis)  # for its errors
    (axis,) = normalize_axis_tuple(axis, ar.ndim)  # also of a tuple of one, in NumPy 1
    rows = moveaxis(ar, axis, 0)
    count = rows.shape[0]
    if rows.size == 0:
        # Rows without elements are all equal; NumPy says what it makes of them.
        results = numpy.unique(numpy.empty(ar.shape, ar.dtype), *wanted, axis=axis)
        values, *extras = map(asarray, results if type(results) is tuple else (results,))
        return values, extras
    numbers, are_alone = numbered_rows(reshape(rows, (count, -1)))
    places = argsort(numbers)
    ordered = take(numbers, places)
    new = is_new(ordered)
    if are_alone is not None:
        new |= take(are_alone, places)
    at = positions_of(new)
    return take(ar, take(places, at), axis), _extras(places, new, at, wanted)
