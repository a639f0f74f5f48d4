# SPDX-License-Identifier: BSD-3-Clause
"""Arrays put beside each other: concatenate and its kin."""

import numpy

from .. import _core
from .._arguments import axis_of
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._imported_numpy import STACKS_TAKE_SEQUENCES, normalize_axis_index
from .._local import as_output, call_numpy, has_distributed, has_own_class
from .._promotion import promoted_as
from ._plain import atleast_1d, atleast_2d, atleast_3d
from ._reshape import ravel

__all__ = ["column_stack", "concatenate", "dstack", "hstack", "row_stack", "stack", "vstack"]


def _join_dtype(given, arrays, dtype, casting):
    if dtype is None:
        # Of numbers among arrays NumPy 1 looks at the value.
        kinds = (array.dtype if array.ndim else numpy.asarray(array) for array in arrays)
        dtype = numpy.result_type(*map(promoted_as, given, kinds))
    result = numpy.dtype(dtype)
    for array in arrays:
        if not numpy.can_cast(array.dtype, result, casting):
            raise TypeError(f"Cannot cast array data from {array.dtype!r} to {result!r} according to the rule {casting!r}")
    return result


def concatenate(arrays, axis=0, out=None, dtype=None, casting="same_kind"):
    """Join arrays along an existing axis.

    The result is a new array: it takes as much memory as its parts. Lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.concatenate(([1, 2], [3])).tolist()
    [1, 2, 3]
    """
    if not hasattr(type(arrays), "__getitem__") or isinstance(arrays, dict):
        raise TypeError("The first input argument needs to be a sequence")
    given = list(arrays)
    arrays = [asarray(array) for array in given]
    total = sum(array.size for array in arrays)
    is_here = not has_distributed((*arrays, out))
    if is_here and (total < _core.threshold() or any(has_own_class(array._a) for array in arrays)) or not arrays:
        keywords = {"dtype": dtype, "casting": casting} if dtype is not None else {"casting": casting}
        result = call_numpy(
            numpy.concatenate, "concatenate", ([*map(promoted_as, given, arrays)], axis), {"out": out, **keywords}
        )
        return result if out is None else out
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    if out is not None:
        out = as_output(out)
    is_flat = axis is None
    joined = _join_dtype(given, arrays, dtype, casting) if is_flat and out is None else None
    if is_flat:
        arrays, axis = [ravel(array) for array in arrays], 0
    dims = arrays[0].ndim
    if dims == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(axis, dims)
    for index, array in enumerate(arrays):
        if array.ndim != dims:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{dims} dimension(s) and the array at index {index} has {array.ndim} dimension(s)"
            )
        for other in range(dims):
            if other != axis and array.shape[other] != arrays[0].shape[other]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {other}, the array at index 0 has size {arrays[0].shape[other]} and the array at index "
                    f"{index} has size {array.shape[other]}"
                )
    shape = list(arrays[0].shape)
    shape[axis] = sum(array.shape[axis] for array in arrays)
    if joined is None:
        joined = _join_dtype(given, arrays, dtype if out is None else out.dtype, casting)
    result = out if out is not None else filled(tuple(shape), joined, 0)
    if result.shape != tuple(shape):
        raise ValueError("Output array is the wrong shape")
    start = 0
    for array in arrays:
        stop = start + array.shape[axis]
        result[(slice(None),) * axis + (slice(start, stop),)] = array
        start = stop
    return result


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays along a new axis."""
    arrays = [asarray(array) for array in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, arrays[0].ndim + 1)
    key = (slice(None),) * axis + (None,)
    return concatenate([array[key] for array in arrays], axis, out, dtype, casting)


def _each(arrays):
    """The arrays to stack; NumPy 2's error for an iterator."""
    if STACKS_TAKE_SEQUENCES and not hasattr(arrays, "__getitem__"):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return arrays


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays as rows, along the first axis."""
    return concatenate([atleast_2d(array) for array in _each(tup)], 0, None, dtype, casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays along the second axis, and one-dimensional ones along the first."""
    arrays = [atleast_1d(array) for array in _each(tup)]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, None, dtype, casting)


def dstack(tup):
    """Join arrays along the third axis."""
    return concatenate([atleast_3d(array) for array in _each(tup)], 2)


row_stack = vstack


def column_stack(tup):
    """Join one-dimensional arrays as the columns of a matrix."""
    arrays = [asarray(array) for array in _each(tup)]
    return concatenate([array if array.ndim > 1 else atleast_2d(array).T for array in arrays], 1)
