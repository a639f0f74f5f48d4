# SPDX-License-Identifier: BSD-3-Clause
"""Are the numbers of an index array inside an axis? NumPy raises at the line that indexes, so what lives on the engines is
looked at before: least and greatest element, in one round trip. They are remembered until the array is written, so that
an index that is used again costs nothing, nor the edges of a second histogram. What is remembered is of all the array's
elements, so only a view that has each of them once may tell it or use it."""

import math

import numpy

from .. import _core
from .._creation._ranges import arange
from .._local import is_distributed
from .._ufuncs._where import either
from ._reductions import reduce


def remember(array, low, high, are_exact=False):
    """Numbers outside of which a distributed array has no element; `are_exact`: its least and its greatest element."""
    array._b.index_range = (array._b.version, array.dtype.num, low, high, are_exact)


def _known(array, extent=math.inf):
    """What is remembered; `extent` as for `extremes`."""
    known = array._b.index_range
    if known is None or known[:2] != (array._b.version, array.dtype.num):
        return None
    low, high, are_exact = known[2:]
    return (low, high) if are_exact or (low >= 0 and high < extent) else None


def extremes(array, extent=0):
    """The least and the greatest element of an array of integers. Numbers of [0, extent) outside of which it has no element do
    as well. Triggers evaluation, unless they are remembered."""
    known = _known(array, extent) if is_whole(array) else None
    return _measured(array) if known is None else known


def is_whole(array):
    """True when a distributed array has every element of its base, each once; in any order of the axes."""
    proxy = array._a
    if proxy.nbytes != array._b.nbytes:
        return False
    dense = proxy.itemsize
    for stride, extent in sorted((abs(stride), extent) for stride, extent in zip(proxy.strides, proxy.shape) if extent > 1):
        if stride != dense:
            return False
        dense *= extent
    return True


def _measured(array):
    (ends,) = ends_of([array])
    return int(ends[0]), int(ends[1])  # bools are 0 and 1


def ends_of(arrays):
    """The least and the greatest element of each of some distributed arrays, in its dtype. Triggers evaluation, unless all are
    remembered."""
    found = [_known(array, 0) if is_whole(array) else None for array in arrays]
    if unknown := [k for k, pair in enumerate(found) if pair is None]:
        fetched = _core.fetch([reduce(name, arrays[k]) for k in unknown for name in ("min", "max")])
        for k, low, high in zip(unknown, fetched[::2], fetched[1::2]):
            found[k] = low.item(), high.item()  # numbers of Python's, whose differences do not overflow
            if is_whole(arrays[k]):
                remember(arrays[k], *found[k], are_exact=True)
    return [numpy.array(pair, array.dtype) for pair, array in zip(found, arrays)]


def require_inside(index, axis, extent):
    """NumPy's IndexError unless all numbers of `index` lie in [-extent, extent). Triggers evaluation, the first time."""
    if index.size == 0:
        return
    if not is_distributed(index):
        low, high = int(index.min()), int(index.max())
    else:
        low, high = _known(index) or _measured(index)
        if low < -extent or high >= extent:  # of the whole array, perhaps: this may be a part of it
            low, high = _measured(index)
    if low >= -extent and high < extent:
        return
    raise IndexError(f"index {_first_outside(index, extent)} is out of bounds for axis {axis} with size {extent}")


def _first_outside(index, extent):
    """The first such number in C order, which is the one that NumPy names."""
    flat = index.reshape(-1)
    outside = flat >= extent
    if index.dtype.kind == "i":
        outside = outside | (flat < -extent)
    if not is_distributed(index):
        return int(flat[int(numpy.argmax(numpy.asarray(outside)))])
    return int(flat[int(either(outside, arange(flat.size), flat.size).min())])
