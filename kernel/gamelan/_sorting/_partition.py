# SPDX-License-Identifier: BSD-3-Clause
"""partition and argpartition. A long row is partitioned at one place by a selection, and so are the lines of an array at
their places. Anything else is sorted, and so partitioned at every place."""

import operator

import numpy

from .. import _core
from .._creation._from_data import asarray, ascontiguousarray
from .._imported_numpy import normalize_axis_index
from .._indexing._gather import take_along
from .._local import call_numpy, is_distributed
from .._views._plain import moveaxis
from .._views._reshape import ravel
from ._selection import partitioned
from ._sort import argsort, selected, sort

__all__ = ["argpartition", "partition"]


def _check(a, kth, axis, kind, order):
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        numpy.partition(numpy.zeros(1), 0, kind=kind)  # NumPy's error for what is none
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    extent = a.shape[normalize_axis_index(axis, a.ndim)]
    places = numpy.asarray(kth)
    if places.dtype.kind not in "iub":
        raise TypeError("Partition index must be integer")
    if places.dtype.kind == "b":
        _core.warn(DeprecationWarning, "Passing booleans as partition index is deprecated (warning added in NumPy 1.22)")
    if places.ndim > 1:
        raise ValueError("kth array must have dimension <= 1")
    for place in map(operator.index, places.reshape(-1).astype(numpy.intp)):
        if a.size and not -extent <= place < extent:
            raise ValueError(f"kth(={place}) out of bounds ({extent})")


def _order(a, kth):
    """The order that partitions a row at a single place; None where it is to be sorted."""
    places = numpy.asarray(kth).reshape(-1)
    if a.ndim != 1 or places.size != 1:
        return None
    return partitioned(a, int(places[0]) % a.size)


def _partitioned(a, kth, axis, name="sort"):
    """The partitioned copy; with the name argsort: its indices."""
    if a.size == 0 or a.ndim < 2:
        return sort(a, axis) if name == "sort" else argsort(a, axis)
    axis = normalize_axis_index(axis, a.ndim)
    places = [int(place) % a.shape[axis] for place in numpy.asarray(kth).reshape(-1)]
    if axis == a.ndim - 1:
        return selected(a, -1, places, name)
    return ascontiguousarray(moveaxis(selected(moveaxis(a, axis, -1), -1, places, name), -1, axis))


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy in which the kth element is where sorting puts it, with smaller elements before it.

    Lazy; triggers evaluation for a long row and a single place. Other distributed rows are sorted, which is a partition, too.

    Examples
    --------
    >>> import gamelan as np
    >>> np.partition([3, 1, 2], 1)[1].item()
    2
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.partition, "partition", (a, kth, axis, kind, order), {})
    if axis is None:
        a, axis = ravel(a), -1
    _check(a, kth, axis, kind, order)
    found = _order(a, kth) if a.size else None
    return _partitioned(a, kth, axis) if found is None else take_along(a, found, 0)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The indices that partition an array.

    Lazy; triggers evaluation for a long row and a single place. Of short lines they are the indices that sort them.

    Examples
    --------
    >>> import gamelan as np
    >>> np.argpartition([3, 1, 2], 0)[0].item()
    1
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.argpartition, "argpartition", (a, kth, axis, kind, order), {})
    if axis is None or a.ndim == 0 and axis in (-1, 0):
        a, axis = ravel(a), -1  # of a number NumPy makes a row
    _check(a, kth, axis, kind, order)
    found = _order(a, kth) if a.size else None
    return _partitioned(a, kth, axis, "argsort") if found is None else found


def partition_in_place(array, kth, axis=-1, kind="introselect", order=None):
    """`array.partition(kth)`."""
    if not is_distributed(array):
        array._a.partition(kth, axis, kind, order)
        return
    _check(array, kth, axis, kind, order)
    found = _order(array, kth) if array.size else None
    array[...] = _partitioned(array, kth, axis) if found is None else take_along(array, found, 0)
