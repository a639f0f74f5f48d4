# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of a given shape: zeros, ones, one value everywhere. `order` decides how the axes of a large array step through
its virtual memory; how it is cut into blocks it does not decide."""

import math
import sys

import numpy

from .. import _arguments, _core
from .._local import is_distributed, unwrap, wrap_here
from .._promotion import OPS, dtype_number, is_supported
from . import _memory_order

__all__ = ["empty", "full", "ones", "zeros"]


def shape_of(shape):
    """The argument `shape` as a tuple; NumPy's TypeError for what is none."""
    return numpy.empty(shape).shape if shape is None else _arguments.shape(shape)  # NumPy's answer to None, and its warning


def is_large(shape, dtype):
    """True when an array of that shape and dtype lives on the engines, which hold numbers only."""
    # A negative extent, or one that no index reaches, makes no large array: NumPy then raises its error on the local path.
    return (
        math.prod(shape) >= _core.threshold()
        and (not shape or min(shape) >= 0 and max(shape) <= sys.maxsize)
        and is_supported(numpy.dtype(dtype))
    )


def filled(shape, dtype, value):
    """A distributed array with the same number everywhere."""
    number = dtype_number(dtype)
    cell = numpy.empty((), dtype)
    cell[...] = value  # NumPy's conversion and its errors
    result = _core.empty(shape, number)
    _core.record(OPS["copy"], number, result, True, (cell,), ())
    return result


def _in_order(shape, order, make):
    if not _memory_order.is_fortran(order):
        return make(shape)
    result = make(shape[::-1])
    return _core.view(result, result._a.T)


def zeros(shape, dtype=float, order="C", *, like=None):
    """An array of zeros.

    Examples
    --------
    >>> import gamelan as np
    >>> np.zeros((2, 3)).shape
    (2, 3)
    """
    if type(shape) is int and 0 <= shape < _core.threshold():
        return wrap_here(numpy.zeros(shape, dtype, order))
    shape = shape_of(shape)
    if is_large(shape, dtype):
        return _in_order(shape, order, lambda extents: filled(extents, numpy.dtype(dtype), 0))
    return wrap_here(numpy.zeros(shape, dtype, order))


def empty(shape, dtype=float, order="C", *, like=None):
    """An array whose elements are not initialised.

    Distributed arrays begin as zeros. Lazy.
    """
    shape = shape_of(shape)
    return zeros(shape, dtype, order) if is_large(shape, dtype) else wrap_here(numpy.empty(shape, dtype, order))


def ones(shape, dtype=None, order="C", *, like=None):
    """An array of ones."""
    return full(shape, 1, float if dtype is None else dtype, order)


def full(shape, fill_value, dtype=None, order="C", *, like=None):
    """An array filled with a value that broadcasts."""
    shape = shape_of(shape)
    if dtype is None:
        dtype = fill_value.dtype if hasattr(fill_value, "dtype") else numpy.asarray(fill_value).dtype
    if not is_large(shape, dtype):
        value = numpy.asarray(fill_value) if _core.is_ours(fill_value) else fill_value
        return wrap_here(numpy.full(shape, value, dtype, order))
    dtype = numpy.dtype(dtype)
    if not is_distributed(fill_value) and numpy.ndim(unwrap(fill_value)) == 0:
        value = numpy.full((), unwrap(fill_value), dtype)[()]
        return _in_order(shape, order, lambda extents: filled(extents, dtype, value))
    result = _in_order(shape, order, lambda extents: filled(extents, dtype, 0))
    _core.assign(result, fill_value)
    return result
