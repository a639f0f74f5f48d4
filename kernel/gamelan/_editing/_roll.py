# SPDX-License-Identifier: BSD-3-Clause
"""roll: at most two stretches along each axis, copied to where they belong."""

import itertools
import operator

import numpy

from .._creation._filled import filled
from .._creation._from_data import asarray
from .._imported_numpy import ROLL_TAKES_FLOATS, normalize_axis_tuple
from .._local import call_numpy, is_distributed
from .._views._reshape import ravel, reshape

__all__ = ["roll"]


def roll(a, shift, axis=None):
    """Shift the elements along axes; what leaves at one end enters at the other.

    Examples
    --------
    >>> import gamelan as np
    >>> np.roll([1, 2, 3, 4], 1).tolist()
    [4, 1, 2, 3]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.roll, "roll", (a, shift, axis), {})
    if axis is None:
        return reshape(roll(ravel(a), shift, 0), a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    pairs = numpy.broadcast(numpy.asarray(shift), axes)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = dict.fromkeys(range(a.ndim), 0)
    for distance, along in pairs:
        shifts[int(along)] += int(distance) if ROLL_TAKES_FLOATS else distance
    result = filled(a.shape, a.dtype, 0)
    stretches = [
        _stretches(extent, shifts[along] % (extent or 1)) for along, extent in enumerate(a.shape)
    ]  # of whole turns of floats, too
    for choice in itertools.product(*stretches):
        result[tuple(to for to, _ in choice)] = a[tuple(start for _, start in choice)]
    return result


def _stretches(extent, distance):
    """(slice of the result, slice of the source) of each stretch of an axis."""
    if not distance:
        return [(slice(None), slice(None))]
    try:
        distance = operator.index(distance)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None
    return [(slice(distance, None), slice(None, extent - distance)), (slice(None, distance), slice(extent - distance, None))]
