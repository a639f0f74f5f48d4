# SPDX-License-Identifier: BSD-3-Clause
"""A user's function over the lines of an array, and over one axis after another. A function that takes an axis itself is
called once for all lines; any other, being Python, once for each: then what it records is computed on the engines, and how
many lines there may be is bounded."""

import math

import numpy

from .. import _package
from .._creation._from_data import asarray
from .._errors import unimplemented
from .._imported_numpy import normalize_axis_index
from .._local import call_numpy, has_distributed
from .._views._join import stack
from .._views._plain import expand_dims, moveaxis, transpose
from .._views._reshape import reshape

__all__ = ["apply_along_axis", "apply_over_axes"]

_LINES = 10_000
# Functions of NumPy, and so of gamelan, of which f(line) for every line is f(array, axis=axis).
_TAKE_AXIS = """all any amax amin argmax argmin argsort count_nonzero cumprod cumsum diff flip max mean median min nanargmax
nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar prod ptp sort std sum var""".split()


def _takes_axis(function, arguments, keywords):
    name = getattr(function, "__name__", "")
    is_known = name in _TAKE_AXIS and (function is getattr(_package.public, name) or function is getattr(numpy, name))
    return is_known and not arguments and not {"axis", "out", "keepdims"} & set(keywords)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Call a function of one-dimensional arrays for each line along an axis.

    Of a distributed array the lines are distributed, too. A reduction or a sort of NumPy's is lazy: it is computed for all
    lines at once. Another function is called once for each line, of which there may be 10,000; it may trigger evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> np.apply_along_axis(lambda line: line[::-1] - line[0], 1, np.array([[1, 2], [3, 5]])).tolist()
    [[1, 0], [2, 0]]
    """
    arr = asarray(arr)
    if not has_distributed((arr, args, kwargs)):
        return call_numpy(numpy.apply_along_axis, "apply_along_axis", (func1d, axis, arr, *args), kwargs)
    axis = normalize_axis_index(axis, arr.ndim)
    lines = moveaxis(arr, axis, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    if _takes_axis(func1d, args, kwargs):
        return getattr(_package.public, func1d.__name__)(arr, axis=axis, **kwargs)
    if math.prod(outer) > _LINES:
        raise unimplemented(
            "apply_along_axis",
            f"it would call the function for each of {math.prod(outer)} lines, {_LINES} at most; " "write it for the whole array",
        )
    results = [asarray(func1d(lines[index], *args, **kwargs)) for index in numpy.ndindex(outer)]
    dims, dtype = results[0].ndim, results[0].dtype
    joined = reshape(stack([result.astype(dtype, copy=False) for result in results]), outer + results[0].shape)
    places = list(range(joined.ndim))
    return transpose(joined, places[:axis] + places[len(outer) :] + places[axis : len(outer)]) if dims else joined


def apply_over_axes(func, a, axes):
    """Call a function of an array and an axis for one axis after another.

    Examples
    --------
    >>> import gamelan as np
    >>> np.apply_over_axes(np.sum, np.ones((2, 3, 4)), [0, 2]).tolist()
    [[[8.0], [8.0], [8.0]]]
    """
    result = asarray(a)
    if not has_distributed((result,)):
        return call_numpy(numpy.apply_over_axes, "apply_over_axes", (func, result, axes), {})
    dims = result.ndim
    for axis in (axes,) if numpy.ndim(axes) == 0 else axes:
        axis = dims + axis if axis < 0 else axis
        value = asarray(func(result, axis))
        if value.ndim != result.ndim:
            value = expand_dims(value, axis)
        if value.ndim != result.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        result = value
    return result
