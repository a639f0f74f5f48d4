# SPDX-License-Identifier: BSD-3-Clause
"""The engines' take and put: rows of an array along one axis, by a row of integers that are known to be inside. Also the
value of an assignment, as the array that a put writes."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray, copy_of
from .._local import has_distributed, is_distributed
from .._promotion import OPS, dtype_number
from .._views._plain import broadcast_to, moveaxis
from .._views._reshape import reshape


def distributed(array):
    """The array on the engines."""
    if is_distributed(array):
        return array
    return _core.upload(array._a if _core.is_ours(array) else numpy.asarray(array))


def flat(index):
    """An index in one dimension."""
    return index if index.ndim == 1 else reshape(asarray(index), (index.size,))


def take_along(array, index, axis):
    """array.take(index, axis); the numbers of the index are known to be inside."""
    shape = array.shape[:axis] + index.shape + array.shape[axis + 1 :]
    number = dtype_number(array.dtype)
    if 0 in shape:
        return filled(shape, array.dtype, 0)
    result = _core.empty(array.shape[:axis] + (index.size,) + array.shape[axis + 1 :], number)
    _core.record(OPS["take"], number, result, True, (distributed(array), flat(index)), (axis,))
    return result if index.ndim == 1 else _core.reshape_view(result, shape)


def put_along(target, index, values, axis):
    """target[..., index, ...] = values along an axis; `values` have the axes of the index first, or are a number."""
    target = moveaxis(target, axis, 0)
    if index.size == 0 or target.size == 0:
        return
    number = dtype_number(target.dtype)
    if values.ndim:
        values = reshape(values, (index.size,) + target.shape[1:]) if index.ndim != 1 else values
    _core.record(OPS["put"], number, target, False, (flat(index), values), ())


def put_flat(array, index, values):
    """array.flat[index] = values, for a row of positions; through a copy where the array has no flat view."""
    view = _core.reshape_view(array, (array.size,))
    target = _core.reshape_view(copy_of(array), (array.size,)) if view is None else view
    put_along(target, index, values_for(values, array.dtype, index.shape), 0)
    if view is None:
        array[...] = reshape(target, array.shape)


def require_writeable(array):
    """NumPy's error for a view that must not be written."""
    if not array._a.flags.writeable:
        raise ValueError("assignment destination is read-only")


def values_for(value, dtype, shape):
    """The value as an array of that dtype that broadcasts to that shape, or as a number; with NumPy's errors."""
    if _core.is_ours(value) or has_distributed((value,)):
        value = asarray(value)
    if not is_distributed(value):
        value = numpy.asarray(value) if _core.is_ours(value) else value
        converted = numpy.empty(numpy.shape(value), dtype)
        converted[...] = value  # NumPy's conversion, with its errors and warnings
        value = converted
    if value.ndim == 0 and not is_distributed(value):
        return value
    own = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    if value.ndim > len(shape) or any(mine not in (1, extent) for mine, extent in zip(value.shape[::-1], shape[::-1])):
        raise ValueError(
            f"shape mismatch: value array of shape {text_of(own)} could not be broadcast to indexing result of "
            f"shape {text_of(shape)}"
        )
    if value.dtype != dtype:
        converted = filled(value.shape, dtype, 0)
        converted[...] = value
        value = converted
    return broadcast_to(value, shape)


def text_of(shape):
    """A shape as NumPy's messages show it."""
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
