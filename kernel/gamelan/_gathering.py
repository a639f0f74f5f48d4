# SPDX-License-Identifier: BSD-3-Clause
"""Elements of distributed arrays brought here whole, if `config.gather_limit` allows it. A hook of `_core`, and what every
floor above calls that must see the elements; a number alone is `_core.value`."""

import math

import numpy

from . import _core
from ._config import config

_PAGE = 4096  # bytes
_MOST_TOUCHED = 16 << 20  # bytes of pages that a copy with gaps may fill: more take longer than the elements do


def copy_here(array):
    """The elements of a distributed array as a NumPy array that nobody else holds."""
    if array.size > config.gather_limit:
        raise ValueError(
            f"gamelan: this would bring {array.size} elements ({array.nbytes} bytes) to the notebook, more than "
            f"np.config.gather_limit = {config.gather_limit}; reduce it on the engines first, or raise the limit"
        )
    (data,) = _core.fetch([array])
    return data


def here(array):
    """The elements as a NumPy array: the data of a local array, a read-only copy of a distributed one."""
    if array._b is None:
        return array._a
    data = copy_here(array)
    data.flags.writeable = False
    return data


def as_it_lies(array):
    """The same with the strides that the array says it has: other libraries compute places from `x.strides` in what NumPy makes
    of `x` (`as_strided`). Between the elements of a view are zeros, and not the other elements of its array. Elements that lie
    apart in a row, or in many pages, are handed over side by side."""
    if array._b is None or array.flags.c_contiguous or array.size == 0:
        return here(array)
    axes = [axis for axis, extent in enumerate(array.shape) if extent > 1]
    axes.sort(key=lambda axis: -abs(array.strides[axis]))
    steps = [abs(array.strides[axis]) for axis in axes]
    extents = [array.shape[axis] for axis in axes]
    span = array.itemsize + sum((extent - 1) * step for extent, step in zip(extents, steps))
    backwards, once = slice(None, None, -1), slice(1)
    forward = tuple(backwards if stride < 0 else slice(None) if stride else once for stride in array.strides)
    stored = array[forward].transpose(axes + [axis for axis in range(array.ndim) if axis not in axes])
    if stored.flags.c_contiguous:
        memory = copy_here(stored)
    elif len(axes) < 2 or min(span, math.prod(extents[:-1]) * (extents[-1] * steps[-1] + _PAGE)) > _MOST_TOUCHED:
        return here(array)
    else:
        memory = numpy.zeros(span, numpy.uint8)
        numpy.ndarray(stored.shape, array.dtype, memory, 0, stored.strides)[...] = copy_here(stored)
    first = sum((extent - 1) * -array.strides[axis] for axis, extent in zip(axes, extents) if array.strides[axis] < 0)
    data = numpy.ndarray(array.shape, array.dtype, memory, first, array.strides)
    data.flags.writeable = False
    return data


_core.set_gather_hook(as_it_lies)
