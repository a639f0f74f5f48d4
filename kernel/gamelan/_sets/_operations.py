# SPDX-License-Identifier: BSD-3-Clause
"""Intersection, union and differences of two arrays taken as sets."""

import numpy

from .._creation._filled import filled
from .._creation._from_data import asarray
from .._indexing._positions import positions_of
from .._indexing._take_put import take
from .._local import call_numpy, has_distributed
from .._sorting._sort import argsort, sort
from .._views._join import concatenate
from .._views._reshape import ravel
from ._membership import in1d
from ._neighbours import is_new, on_engines
from ._unique import unique

__all__ = ["intersect1d", "setdiff1d", "setxor1d", "union1d"]


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The sorted unique elements that both arrays contain.

    Triggers evaluation: the extent of the result depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> np.intersect1d([3, 1, 2], [2, 3, 5]).tolist()
    [2, 3]
    """
    if not has_distributed((ar1, ar2)):
        return call_numpy(numpy.intersect1d, "intersect1d", (ar1, ar2, assume_unique, return_indices), {})
    ar1, ar2 = on_engines(ar1), on_engines(ar2)
    if not assume_unique and return_indices:
        ar1, first = unique(ar1, return_index=True)
        ar2, second = unique(ar2, return_index=True)
    elif not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    both = concatenate((ar1, ar2))
    if both.size < 2:
        nothing = filled((0,), numpy.intp, 0)
        return (both[:0], nothing, nothing) if return_indices else both[:0]
    if not return_indices:
        ordered = sort(both)
        return ordered[:-1][ordered[1:] == ordered[:-1]]
    places = argsort(both)
    ordered = take(both, places)
    at = positions_of(ordered[1:] == ordered[:-1])
    one, other = take(places[:-1], at), take(places[1:], at) - ar1.size
    if not assume_unique:
        one, other = take(first, one), take(second, other)
    return take(ordered[:-1], at), one, other


def union1d(ar1, ar2):
    """The sorted unique elements that at least one of the arrays contains.

    Triggers evaluation: the extent of the result depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> np.union1d([3, 1], [2, 3]).tolist()
    [1, 2, 3]
    """
    return unique(concatenate((asarray(ar1), asarray(ar2)), None))


def setdiff1d(ar1, ar2, assume_unique=False):
    """The unique elements of the first array that the second does not contain.

    Triggers evaluation: the extent of the result depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> np.setdiff1d([1, 2, 3, 2], [2]).tolist()
    [1, 3]
    """
    if not has_distributed((ar1, ar2)):
        return call_numpy(numpy.setdiff1d, "setdiff1d", (ar1, ar2, assume_unique), {})
    if assume_unique:
        ar1 = ravel(asarray(ar1))
    else:
        ar1, ar2 = unique(on_engines(ar1)), unique(ar2)
    ar1 = on_engines(ar1)
    return ar1[in1d(ar1, ar2, assume_unique=True, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """The sorted unique elements that exactly one of the arrays contains.

    Triggers evaluation: the extent of the result depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> np.setxor1d([1, 2], [2, 3]).tolist()
    [1, 3]
    """
    if not has_distributed((ar1, ar2)):
        return call_numpy(numpy.setxor1d, "setxor1d", (ar1, ar2, assume_unique), {})
    ar1, ar2 = on_engines(ar1), on_engines(ar2)
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    ordered = sort(concatenate((ar1, ar2)))
    if ordered.size == 0:
        return ordered
    flag = filled((ordered.size + 1,), bool, True)
    flag[:-1] = is_new(ordered)
    return ordered[flag[1:] & flag[:-1]]
