# SPDX-License-Identifier: BSD-3-Clause
"""Names that NumPy 2 took over from the array-API standard: other names of old functions, and short compositions of them. With
NumPy 1 the package does not show them."""

import builtins
from typing import Any, NamedTuple

import numpy

from . import _core
from ._arguments import check_device, checked_axis
from ._creation._casting import astype as cast_to
from ._creation._filled import filled
from ._creation._from_data import asarray
from ._folds import _scans
from ._imported_numpy import normalize_axis_index
from ._local import as_output, call_numpy, has_distributed, is_distributed
from ._sets._unique import unique
from ._ufuncs._objects import PUBLIC
from ._views._join import concatenate
from ._views._plain import atleast_1d, moveaxis, transpose
from .linalg import _standard

__all__ = [
    "astype",
    "bitwise_count",
    "concat",
    "cumulative_prod",
    "cumulative_sum",
    "matrix_transpose",
    "permute_dims",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
]

concat, permute_dims = concatenate, transpose


class UniqueAllResult(NamedTuple):
    """What `unique_all` answers."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` answers."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` answers."""

    values: Any
    inverse_indices: Any


def unique_all(x):
    """The distinct elements, where they come first, which one every element is, and how many there are.

    Triggers evaluation: the extents of the results depend on the data. Every NaN is a value of its own.
    """
    x = asarray(x)
    values, indices, inverse, counts = unique(x, True, True, True, equal_nan=False)
    return UniqueAllResult(values, indices, inverse.reshape(x.shape), counts)


def unique_counts(x):
    """The distinct elements and how many there are of each.

    Triggers evaluation: the extents of the results depend on the data. Every NaN is a value of its own.
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """The distinct elements and which of them every element is.

    Triggers evaluation: the extents of the results depend on the data. Every NaN is a value of its own.
    """
    x = asarray(x)
    values, inverse = unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(values, inverse.reshape(x.shape))


def unique_values(x):
    """The distinct elements, in order.

    Triggers evaluation: the extent of the result depends on the data. Every NaN is a value of its own.
    """
    x = asarray(x)
    if not is_distributed(x):
        return call_numpy(numpy.unique_values, "unique_values", (x,), {})
    return unique(x, equal_nan=False)


def astype(x, dtype, /, *, copy=True, device=None):
    """The array cast to another dtype.

    Lazy when the array is distributed.
    """
    check_device(device)
    if _core.is_ours(x):
        return cast_to(x, dtype, copy=copy)
    if not isinstance(x, numpy.ndarray) and not numpy.isscalar(x):
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    return cast_to(asarray(x), dtype, copy=copy) if isinstance(x, numpy.ndarray) else x.astype(dtype, copy=copy)


def matrix_transpose(x, /):
    """The last two axes exchanged, a view."""
    return _standard.matrix_transpose(x)


def unstack(x, /, *, axis=0):
    """The parts of an array along an axis, views."""
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))


def _cumulative(name, x, axis, dtype, out, include_initial):
    x = atleast_1d(asarray(x))
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if not include_initial:
        return _scans.RUNNING[name](x, axis, dtype, out)
    axis = normalize_axis_index(checked_axis(axis), x.ndim)
    before, after = ((builtins.slice(None),) * axis + (part,) for part in (slice(0, 1), slice(1, None)))
    first = 0 if name == "cumsum" else 1
    if out is not None:
        out = as_output(out)
        _scans.RUNNING[name](x, axis, dtype, out[after])
        out[before] = first
        return out
    result = _scans.RUNNING[name](x, axis, dtype)
    shape = tuple(1 if place == axis else extent for place, extent in enumerate(result.shape))
    initial = numpy.full(shape, first, result.dtype)
    return concatenate((filled(shape, result.dtype, first) if is_distributed(result) else initial, result), axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running sums along an axis, behind a zero if asked for."""
    return _cumulative("cumsum", x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running products along an axis, behind a one if asked for."""
    return _cumulative("cumprod", x, axis, dtype, out, include_initial)


def bitwise_count(x, /, out=None, **keywords):
    """How many bits of the absolute value of each element are 1.

    A few additions and shifts of all elements, which become one pass.
    """
    x = asarray(x)
    if not has_distributed((x, out, *keywords.values())):
        result = call_numpy(numpy.bitwise_count, "bitwise_count", (x,), {"out": out, **keywords})
        return result if out is None else out
    numpy.bitwise_count(numpy.empty(0, x.dtype), **{key: value for key, value in keywords.items() if key != "where"})
    size = x.dtype.itemsize
    wide = numpy.dtype(f"u{size}")
    if x.dtype.kind == "i":
        x = PUBLIC["absolute"](x)  # of the smallest number itself, whose bits are right
    x = cast_to(x, wide)
    # Sums of neighbours: of single bits, of pairs, of fours; then all bytes are added up by one multiplication.
    every = [wide.type(int.from_bytes(bytes([byte]) * size, "little")) for byte in (0x55, 0x33, 0x0F, 0x01)]
    one, two, four = (wide.type(shift) for shift in (1, 2, 4))
    x = x - ((x >> one) & every[0])
    x = (x & every[1]) + ((x >> two) & every[1])
    x = (x + (x >> four)) & every[2]
    x = (x * every[3]) >> wide.type(8 * (size - 1))
    result = cast_to(x, numpy.uint8)
    return PUBLIC["positive"](result, out=out, **keywords) if out is not None or keywords else result
