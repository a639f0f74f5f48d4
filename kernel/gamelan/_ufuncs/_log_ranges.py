# SPDX-License-Identifier: BSD-3-Clause
"""Numbers spaced evenly on a logarithmic scale: powers of linspace."""

import math
import operator

import numpy

from .. import _core
from .._creation._ranges import linspace
from .._errors import unimplemented
from .._local import is_distributed, wrap_here
from .._views._plain import moveaxis
from ._objects import UFUNCS

__all__ = ["logspace", "geomspace"]


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Numbers that are evenly spaced on a logarithmic scale.

    Examples
    --------
    >>> import gamelan as np
    >>> np.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    values = UFUNCS["power"](base, linspace(start, stop, num, endpoint, axis=axis))
    return values if dtype is None else values.astype(dtype, copy=False)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers in a geometric progression.

    Lazy. The ends may be arrays, but not distributed ones.

    Examples
    --------
    >>> import gamelan as np
    >>> np.geomspace(1, 256, 9, dtype=int)[-1].item()
    256
    """
    num = operator.index(num)
    if any(is_distributed(end) and end.ndim for end in (start, stop)):
        raise unimplemented("geomspace", "with distributed arrays as ends")
    start, stop = (numpy.asarray(end) for end in (start, stop))
    shape = numpy.broadcast_shapes(start.shape, stop.shape)
    if num < 0 or num * math.prod(shape) < _core.threshold():
        return wrap_here(numpy.geomspace(start, stop, num, endpoint, dtype, axis))
    if numpy.any(start == 0) or numpy.any(stop == 0):
        raise ValueError("Geometric sequence cannot include zero")
    working = numpy.result_type(start, stop, float(num), numpy.zeros((), dtype))
    start, stop = numpy.broadcast_arrays(start.astype(working), stop.astype(working))
    # Signs are taken out, so that the logarithms are those of positive numbers wherever they can be.
    sign = numpy.ones(shape, working)
    if working.kind == "c":
        is_imaginary = (start.real == 0) & (stop.real == 0)
        sign = numpy.where(is_imaginary, 1j, sign)
        start, stop = (numpy.where(is_imaginary, end.imag, end).astype(working) for end in (start, stop))
    is_negative = (numpy.sign(start) == -1) & (numpy.sign(stop) == -1)
    sign = numpy.where(is_negative, -sign, sign).astype(working)
    start, stop = (numpy.where(is_negative, -end, end) for end in (start, stop))
    values = logspace(numpy.log10(start), numpy.log10(stop), num, endpoint, dtype=working)
    if num > 0:
        values[0] = start
    if num > 1 and endpoint:
        values[-1] = stop
    values = values * sign if numpy.any(sign != 1) else values
    if axis != 0:
        values = moveaxis(values, 0, axis)
    return values.astype(working if dtype is None else dtype, copy=False)
