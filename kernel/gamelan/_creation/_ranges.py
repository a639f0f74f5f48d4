# SPDX-License-Identifier: BSD-3-Clause
"""Evenly spaced numbers: arange, linspace. Each element is made where it lies, of its index, with NumPy's rounding."""

import math
import operator
import sys

import numpy

from .. import _core
from .._local import is_distributed, unwrap, wrap, wrap_here
from .._promotion import OPS, dtype_number
from ._from_data import asarray

__all__ = ["arange", "linspace"]


def sequence(shape, dtype, first, delta):
    """first + i * delta for the index i of each element in C order, distributed."""
    number = dtype_number(dtype)
    result = _core.empty(shape, number)
    _core.record(OPS["sequence"], number, result, True, (first, delta), ())
    return result


def arange(start=None, stop=None, step=1, dtype=None, *, like=None):
    """Evenly spaced numbers in [start, stop).

    Examples
    --------
    >>> import gamelan as np
    >>> np.arange(3).tolist()
    [0, 1, 2]
    """
    is_alone = start is None or stop is None
    if stop is None:
        start, stop = 0, start
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
    if start is None:
        start = 0
    if step is None:
        step = 1
    if type(start) is int and type(stop) is int and step == 1 and stop - start < _core.threshold():
        return _here(is_alone, start, stop, step, dtype)
    start, stop, step = map(unwrap, (start, stop, step))
    try:
        length = max(0, math.ceil((stop - start) / step))
    except (TypeError, ZeroDivisionError, OverflowError, ValueError):
        length = -1  # dates, or NumPy knows what to say
    if length < _core.threshold() or length < 0 or length > sys.maxsize:
        return _here(is_alone, start, stop, step, dtype)
    if dtype is None:
        # As NumPy: at least the default integer.
        kinds = [numpy.asarray(value).dtype for value in (start, stop, step)]
        dtype = numpy.result_type(numpy.dtype(int), *kinds)
    dtype = numpy.dtype(dtype)
    if is_alone and dtype.kind == "M":
        numpy.arange(1, dtype=dtype)  # NumPy's error
    if dtype == bool:
        return wrap(numpy.arange(start, stop, step, dtype=dtype))
    # NumPy stores the first two elements and continues with their difference.
    ends = numpy.empty(2, dtype)
    ends[0], ends[1] = start, start + step
    with numpy.errstate(over="ignore"):
        delta = ends[1] - ends[0]
    return sequence((length,), dtype, ends[0], delta)


def _here(is_alone, start, stop, step, dtype):
    """NumPy's range, which of dates wants both ends."""
    return wrap_here(numpy.arange(stop, None, step, dtype) if is_alone else numpy.arange(start, stop, step, dtype))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Evenly spaced numbers over an interval.

    Lazy. The last number is exactly `stop`. Distributed ends trigger evaluation once, because a step of zero is computed
    otherwise.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linspace(0, 1, 3).tolist()
    [0.0, 0.5, 1.0]
    """
    num = operator.index(num)
    ends = [value if _core.is_ours(value) else numpy.asanyarray(value) for value in (start, stop)]
    ends = [_value_here(value) for value in ends]
    shape = numpy.broadcast_shapes(*(value.shape for value in ends))
    is_here = not any(map(is_distributed, ends))
    if num < 0 or is_here and num * math.prod(shape) < _core.threshold():
        ends = [numpy.empty(value.shape, value.dtype) if is_distributed(value) else numpy.asarray(value) for value in ends]
        result = numpy.linspace(*ends, num, endpoint, retstep, dtype, axis)
        return (wrap_here(result[0]), _step_here(result[1])) if retstep else wrap_here(result)
    intervals = num - 1 if endpoint else num
    first, last = (value * 1.0 for value in ends)
    working = numpy.result_type(*(_kind(value) for value in (first, last)), float(num))
    delta = last - first
    step = numpy.nan if intervals <= 0 else delta / intervals
    values = _spaced(num, working, first, delta, step, intervals, shape)
    if endpoint and num > 1:
        values[-1, ...] = last
    if dtype is not None and numpy.dtype(dtype) != working:
        if numpy.issubdtype(dtype, numpy.integer):
            values = _core.evaluate(OPS["floor"], values)
        values = values.astype(dtype)
    if axis != 0:
        values = _core.view(values, numpy.moveaxis(values._a, 0, axis))
    return (values, numpy.float64(step) if step is numpy.nan else _step_here(step)) if retstep else values


def _value_here(value):
    """A 0-d array of the engines as a NumPy one: its dtype promotes by its value."""
    return numpy.asarray(value) if _core.is_ours(value) and (value.ndim == 0 or not is_distributed(value)) else value


def _step_here(step):
    is_theirs = isinstance(step, numpy.ndarray) and not _core.is_ours(step)
    return wrap_here(step) if is_theirs and step.ndim else step


def _kind(value):
    return value.dtype if _core.is_ours(value) else value


def _spaced(num, working, first, delta, step, intervals, shape):
    """first + i * step, in NumPy's order of roundings; where a step is too small for a number NumPy divides i instead."""
    is_zero = intervals > 0 and bool((step == 0).any() if numpy.ndim(step) or is_distributed(step) else step == 0)
    if not shape and not is_zero:
        return sequence((num,), working, working.type(first), working.type(delta if intervals <= 0 else step))
    values = asarray(sequence((num,), working, working.type(0), working.type(1))).reshape((num,) + (1,) * len(shape))
    if is_zero:
        values = values / working.type(intervals) * delta
    else:
        values = values * (delta if intervals <= 0 else step)
    return (values + first).astype(working, copy=False)
