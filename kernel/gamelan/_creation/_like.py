# SPDX-License-Identifier: BSD-3-Clause
"""Arrays like another one: its shape and dtype, unless others are asked for, and where it lives."""

import numpy

from .. import _arguments
from .._local import is_distributed, unwrap, wrap
from .._promotion import is_supported
from . import _memory_order
from ._filled import filled, shape_of
from ._from_data import asarray, source_of

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]


def _like(prototype, dtype, order, subok, shape, value):
    _arguments.flag(subok)
    prototype = asarray(prototype)
    if not is_distributed(prototype):
        return None
    extents = prototype.shape if shape is None else shape_of(shape)
    dtype = prototype.dtype if dtype is None else numpy.dtype(dtype)
    if not is_supported(dtype):
        return None
    axes = _memory_order.axes_for(prototype, order, len(extents))
    if axes is None:
        return filled(extents, dtype, value)
    return _memory_order.restored(filled(tuple(extents[axis] for axis in axes), dtype, value), axes)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None):
    """An array of zeros with the shape and dtype of another array.

    Distributed when the other array is. Lazy.
    """
    result = _like(a, dtype, order, subok, shape, 0)
    return wrap(numpy.zeros_like(unwrap(a), dtype, order, shape=shape)) if result is None else result


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None):
    """An array like another one, whose elements are not initialised.

    Distributed arrays begin as zeros. Lazy.
    """
    result = _like(prototype, dtype, order, subok, shape, 0)
    return wrap(numpy.empty_like(unwrap(prototype), dtype, order, shape=shape)) if result is None else result


def ones_like(a, dtype=None, order="K", subok=True, shape=None):
    """An array of ones with the shape and dtype of another array.

    Distributed when the other array is. Lazy.
    """
    result = _like(a, dtype, order, subok, shape, 1)
    return wrap(numpy.ones_like(unwrap(a), dtype, order, shape=shape)) if result is None else result


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """An array of a value, with the shape and dtype of another array.

    Distributed when the other array is. Lazy, but a distributed value in a small array triggers evaluation.
    """
    result = _like(a, dtype, order, subok, shape, 0)
    if result is None:
        return wrap(numpy.full_like(unwrap(a), unwrap(fill_value), dtype, order, shape=shape))
    result[...] = source_of(fill_value, result.dtype, "unsafe")
    return result
