# SPDX-License-Identifier: BSD-3-Clause
"""Lines of a distributed array that one engine can hold, each transformed by one (op `fourier`); and which are too long or
too few for that."""

import math

import numpy

from .. import _core
from .._creation._filled import filled
from .._promotion import OPS, dtype_number

FORWARD, BACKWARD, REAL_FORWARD, REAL_BACKWARD = range(4)

# A line of at least so many elements is cut when there are fewer lines than would keep many engines busy.
long_line = 1 << 14
few_lines = 256


def needed(kind, n):
    """How many elements of a line the transform of length n reads."""
    return n // 2 + 1 if kind == REAL_BACKWARD else n


def result_length(kind, n):
    """How many it writes."""
    return n // 2 + 1 if kind == REAL_FORWARD else n


def record(a, n, axis, kind, factor=1.0, period=0):
    """The op itself: lines of `a`, none longer than needed (what is missing is zero), transformed and times a number.
    `period`: element k of a line at place j of the next axis is multiplied by exp(-+2 pi i k j / period), too."""
    shape = a.shape[:axis] + (result_length(kind, n),) + a.shape[axis + 1 :]
    dtype = numpy.dtype(float if kind == REAL_BACKWARD else complex)
    if 0 in shape or a.shape[axis] == 0:
        return filled(shape, dtype, 0)
    if not (shape[axis] == math.prod(shape) and a.ndim > 1):
        result = _core.empty(shape, dtype_number(dtype))
        _core.record(OPS["fourier"], dtype_number(float), result, True, (a, float(factor)), (axis, kind, n, period))
        return result
    flat = record(a[tuple(slice(None) if k == axis else 0 for k in range(a.ndim))], n, 0, kind, factor)
    return _core.reshape_view(flat, shape)
