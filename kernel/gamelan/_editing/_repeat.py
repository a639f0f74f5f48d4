# SPDX-License-Identifier: BSD-3-Clause
"""repeat and tile: copies of what a broadcast view repeats. Only where each element has a count of its own are there indices,
made on the engines: where each begins is marked, and a running maximum says whose turn it is."""

import math
import operator

import numpy

from .. import _core
from .._arguments import axis_in
from .._creation._filled import filled
from .._creation._from_data import asarray, copy_of
from .._creation._ranges import arange
from .._folds._bounds import remember
from .._indexing._take_put import take
from .._local import call_numpy, has_distributed, is_distributed, wrap_here
from .._ufuncs._objects import UFUNCS
from .._views._plain import broadcast_to
from .._views._reshape import ravel, reshape

__all__ = ["repeat", "tile"]


def repeat(a, repeats, axis=None):
    """Repeat each element along an axis, or of the flattened array.

    Lazy, but a distributed array of counts triggers evaluation: the extent of the result depends on it.

    Examples
    --------
    >>> import gamelan as np
    >>> np.repeat([1, 2, 3], [2, 0, 1]).tolist()
    [1, 1, 3]
    """
    a = asarray(a)
    if not isinstance(repeats, (_core.Array, numpy.ndarray)) and not has_distributed((repeats,)):
        repeats = numpy.array(repeats, numpy.intp)  # of lists and numbers NumPy takes the whole part
    repeats = asarray(repeats)
    if repeats.ndim > 1:
        raise ValueError("object too deep for desired array")
    if not numpy.can_cast(repeats.dtype, numpy.intp, "safe"):
        raise TypeError(
            f"Cannot cast array data from {repeats.dtype!r} to {numpy.dtype(numpy.intp)!r} according to the rule 'safe'"
        )
    count = int(repeats.reshape(-1)[0]) if repeats.size == 1 else None
    is_large = count is not None and a.size * count >= _core.threshold()
    if not has_distributed((a, repeats)) and not is_large:
        return call_numpy(numpy.repeat, "repeat", (a, repeats, axis), {})
    if axis is None:
        a, axis = ravel(a), 0
    axis, a = axis_in(axis, a)
    extent = a.shape[axis]
    if count is not None:
        if count < 0:
            raise ValueError("repeats may not contain negative values.")
        shape = a.shape[: axis + 1] + (count,) + a.shape[axis + 1 :]
        stretched = broadcast_to(a[(slice(None),) * (axis + 1) + (None,)], shape)
        return reshape(_laid_out(stretched), a.shape[:axis] + (extent * count,) + a.shape[axis + 1 :])
    if repeats.size != extent:
        raise ValueError(f"operands could not be broadcast together with shape ({extent},) ({repeats.size},)")
    return _by_counts(a, repeats, axis)


def _laid_out(view):
    """A copy of a view on the engines, also of a small array's."""
    if is_distributed(view):
        return copy_of(view)
    if view.size < _core.threshold():
        return wrap_here(view._a.copy())
    result = filled(view.shape, view.dtype, 0)
    source = view._a
    while source.ndim and source.strides[0] == 0 and source.shape[0]:
        source = source[0]  # what repeats need not travel
    at = tuple(slice(0, 1) if stride == 0 and extent else slice(None) for extent, stride in zip(source.shape, source.strides))
    result[...] = source[at]
    return result


def _by_counts(a, repeats, axis):
    repeats = asarray(repeats, numpy.intp)
    if not is_distributed(repeats):
        repeats = _core.upload(numpy.asarray(repeats))
    total, lowest = (int(value) for value in _core.fetch([repeats.sum(), repeats.min()])) if repeats.size else (0, 0)
    if lowest < 0:
        raise ValueError("repeats may not contain negative values.")
    if total == 0 or a.size == 0:
        return filled(a.shape[:axis] + (total,) + a.shape[axis + 1 :], a.dtype, 0)
    dtype = numpy.dtype(numpy.int32 if max(total, repeats.size) < 2**31 - 1 else numpy.intp)  # half the memory
    starts = (repeats.cumsum() - repeats).astype(dtype)
    remember(starts, 0, total)
    turns = filled((total + 1,), dtype, 0)  # one more: where elements without a turn begin at the end
    turns.put(starts, arange(repeats.size, dtype=dtype))  # of equal starts the last wins, and that one has a turn
    del starts
    turns = UFUNCS["maximum"].accumulate(turns)
    remember(turns, 0, repeats.size - 1)
    return take(a, turns[:total], axis)


def tile(A, reps):
    """Repeat an array along each axis.

    Examples
    --------
    >>> import gamelan as np
    >>> np.tile([1, 2], (2, 2)).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    A = asarray(A)
    try:
        counts = tuple(operator.index(count) for count in reps)
    except TypeError:
        counts = (operator.index(reps),)
    size = A.size * math.prod(counts)
    if not is_distributed(A) and size < _core.threshold():
        return call_numpy(numpy.tile, "tile", (A, counts), {})
    dims = max(A.ndim, len(counts))
    if any(count < 0 for count in counts):
        raise ValueError("negative dimensions are not allowed")
    counts = (1,) * (dims - len(counts)) + counts
    extents = (1,) * (dims - A.ndim) + A.shape
    view = reshape(A, tuple(part for extent in extents for part in (1, extent)))
    view = broadcast_to(view, tuple(part for pair in zip(counts, extents) for part in pair))
    return reshape(_laid_out(view), tuple(count * extent for count, extent in zip(counts, extents)))
