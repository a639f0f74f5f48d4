# SPDX-License-Identifier: BSD-3-Clause
"""isin and in1d: which elements of one array occur in another. Few of them are compared one by one. Whole numbers in a
narrow range are looked up in a table, others of which every engine can have a copy are searched for. Many are sorted
together with the others, and a run of equal ones tells its elements what it begins with."""

import math

import numpy

from .._creation._filled import filled
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._folds._bounds import extremes
from .._indexing._gather import put_along, take_along
from .._indexing._take_put import take
from .._local import call_numpy, has_distributed, is_distributed
from .._sorting._search import search
from .._sorting._sort import argsort, sort
from .._ufuncs._objects import UFUNCS
from .._ufuncs._where import either
from .._views._join import concatenate
from .._views._reshape import reshape
from ._neighbours import is_new, on_engines, short

__all__ = ["in1d", "isin"]

_LONG_TABLE, _LONG_ROW = 1 << 20, 1 << 18
_FEW = 16  # comparisons with so many are one pass over memory


def _check_kind(kind, *arrays):
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    if kind == "table" and any(array.dtype.kind not in "iub" for array in arrays):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )


def _is_member(elements, others, invert):
    if elements.size == 0 or others.size == 0:
        return filled(elements.shape, bool, bool(invert))
    if not is_distributed(others) and others.size <= _FEW:
        elements = on_engines(elements)
        result = filled(elements.shape, bool, bool(invert))
        for other in numpy.asarray(others).reshape(-1):
            result = result & (elements != other) if invert else result | (elements == other)
        return result
    elements = on_engines(elements)
    if (found := _in_table(elements, others)) is not None or (found := _by_search(elements, others)) is not None:
        return ~found if invert else found
    first = on_engines(others)
    both = concatenate((first, on_engines(elements)))
    size = both.size
    places = short(argsort(both), size, 2 * size + 2)
    new = is_new(take(both, places))
    del both  # what has no name any more makes room within the batch
    # Sorting is stable: a run begins with one of the others if it has any.
    dtype = places.dtype
    begins = UFUNCS["maximum"].accumulate(new * (arange(1, size + 1, dtype=dtype) * dtype.type(2) + (places < first.size)))
    found = filled((size,), bool, False)
    found[places] = (begins & 1) == (0 if invert else 1)
    return found[first.size :]


def _in_table(elements, others):
    """By a table of the numbers between the least and the greatest of the others; None if they are too far apart."""
    if elements.dtype.kind not in "biu" or others.dtype.kind not in "biu" or "L" in (elements.dtype.char, others.dtype.char):
        return None
    if is_distributed(others):
        low, high = extremes(others, math.inf)
    else:
        low, high = int(numpy.min(numpy.asarray(others))), int(numpy.max(numpy.asarray(others)))
    extent = high - low + 1
    if extent > max(_LONG_TABLE, 6 * (elements.size + others.size)):
        return None
    wide, others = elements.astype(numpy.int64), reshape(others, (others.size,)).astype(numpy.int64)
    table = filled((extent + 1,), bool, False)  # the last is for all that are outside
    if is_distributed(others) or is_distributed(table):
        put_along(table if is_distributed(table) else on_engines(table), on_engines(others - low), numpy.bool_(True), 0)
    else:
        table[others - low] = True
    return take_along(table, either((wide >= low) & (wide <= high), wide - low, extent), 0)


def _by_search(elements, others):
    """By a search in the sorted others; None if they are too many for a copy on every engine."""
    dtype = numpy.result_type(elements.dtype, others.dtype)
    if others.size > _LONG_ROW or others.size * 4 > elements.size or dtype.kind == "c":
        return None
    ordered = sort(reshape(others, (others.size,)).astype(dtype))
    elements = elements.astype(dtype)
    place = UFUNCS["minimum"](search(ordered, elements, "left", dtype), ordered.size - 1)
    return take_along(ordered, place, 0) == elements


def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    """Test for each element of the flattened first array whether the second contains it.

    Lazy; triggers evaluation when more than a few whole numbers of the engines are sought, for their range.
    """
    ar1, ar2 = asarray(ar1), asarray(ar2)
    if not has_distributed((ar1, ar2)):
        return call_numpy(numpy.isin, "in1d", (reshape(ar1, -1), ar2, assume_unique, invert), {"kind": kind})
    _check_kind(kind, ar1, ar2)
    return _is_member(reshape(ar1, -1), ar2, invert)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Test for each element of the first array whether the second contains it.

    Lazy; triggers evaluation when more than a few whole numbers of the engines are sought, for their range.

    Examples
    --------
    >>> import gamelan as np
    >>> np.isin([[1, 2], [3, 4]], [2, 4]).tolist()
    [[False, True], [False, True]]
    """
    element = asarray(element)
    return in1d(element, test_elements, assume_unique, invert, kind=kind).reshape(element.shape)
