# SPDX-License-Identifier: BSD-3-Clause
"""Functions that read or write through a mask: compress, extract, place, putmask."""

import numpy

from .. import _core
from .._arguments import axis_in
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._local import call_numpy, gathered, has_distributed, is_distributed, stays_here, write_here
from .._promotion import OPS, dtype_number
from .._ufuncs._logic import truth_of
from .._views._reshape import ravel, reshape
from ._gather import distributed, put_flat, require_writeable, take_along
from ._positions import count_of, positions_of, selected
from ._take_put import first_of, repeated, take, taken_into

__all__ = ["compress", "extract", "place", "putmask"]


def compress(condition, a, axis=None, out=None):
    """The slices along an axis, or the elements of the flattened array, where a condition is true.

    Triggers evaluation when the condition is distributed: the extent of the result depends on it. Otherwise lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.compress([False, True], [[1, 2], [3, 4]], axis=0).tolist()
    [[3, 4]]
    """
    condition, a = asarray(condition), asarray(a)
    if stays_here(a):
        condition = gathered(condition)
    if not has_distributed((condition, a, out)):
        result = call_numpy(numpy.compress, "compress", (condition, a, axis, out), {})
        return result if out is None else out
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if axis is None:
        a, axis = ravel(a), 0
    axis, a = axis_in(axis, a)
    extent = a.shape[axis]
    flags = truth_of(condition[:extent])
    if condition.shape[0] > extent and (count := count_of(truth_of(condition[extent:]))):
        raise IndexError(f"{count} true conditions are out of bounds for axis {axis} with size {extent}")
    if axis == 0 and flags.size == extent:
        result = selected(distributed(a), flags)
    else:
        result = take_along(distributed(a), positions_of(flags), axis)
    return (
        result
        if out is None
        else taken_into(out, result, a.dtype, ValueError("output array does not match result of ndarray.compress"))
    )


def extract(condition, arr):
    """The elements of an array where a condition is true.

    Triggers evaluation: the extent of the result depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> np.extract([True, False, True], [1, 2, 3]).tolist()
    [1, 3]
    """
    if stays_here(arr):
        condition = gathered(condition)
    if not has_distributed((condition, arr)):
        return call_numpy(numpy.extract, "extract", (condition, arr), {})
    arr, condition = ravel(arr), truth_of(ravel(asarray(condition)))
    if is_distributed(arr) and arr.size == condition.size:
        return selected(arr, condition)
    return take(arr, positions_of(condition))


def place(arr, mask, vals):
    """Write values in turn to the elements where a mask is true.

    Triggers evaluation: how many values are needed depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.arange(5)
    >>> np.place(a, a > 1, [7, 8])
    >>> a.tolist()
    [0, 1, 7, 8, 7]
    """
    if not _core.is_ours(arr):
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(arr).__name__}")
    if not is_distributed(arr):
        _require_size("place", mask, arr)
        write_here(numpy.place, arr, mask, first_of(vals, arr.size))
        return
    mask = truth_of(asarray(mask))
    _require_size("place", mask, arr)
    vals = ravel(_safely(vals, arr.dtype))
    require_writeable(arr)
    positions = positions_of(mask)
    if positions.size == 0:
        return
    if vals.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    put_flat(arr, positions, repeated(vals, positions.size))


def putmask(a, mask, values):
    """Write values to the elements where a mask is true.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.arange(5)
    >>> np.putmask(a, a > 1, [7, 8])
    >>> a.tolist()
    [0, 1, 7, 8, 7]
    """
    if not isinstance(a, (_core.Array, numpy.ndarray)):
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(a).__name__}")
    if not is_distributed(a):
        _require_size("putmask", mask, a)
        write_here(numpy.putmask, a, mask, first_of(values, a.size))
        return
    mask = truth_of(asarray(mask))
    _require_size("putmask", mask, a)
    values = _safely(values, a.dtype)
    require_writeable(a)
    if values.size == 0 or a.size == 0:
        return
    if values.size == 1:
        values = reshape(values, ())
    elif values.shape != a.shape:
        values = ravel(values)
        if values.size < a.size:
            values = take_along(distributed(values), arange(a.size) % values.size, 0)
        values = reshape(values[: a.size], a.shape)
    number = dtype_number(a.dtype)
    _core.apply(OPS["where"], number, number, (reshape(mask, a.shape), values, a), a)


def _require_size(name, mask, array):
    """NumPy's error for a mask of another size; one that is no array NumPy looks at."""
    if _core.is_ours(mask) and mask.size != array.size:
        raise ValueError(f"{name}: mask and data must be the same size")


def _safely(values, dtype):
    """Values as an array of a dtype: numbers and lists are converted, arrays only cast where nothing is lost."""
    if not isinstance(values, (_core.Array, numpy.ndarray)) and not has_distributed((values,)):
        return asarray(numpy.array(values, dtype))
    values = asarray(values)
    if not numpy.can_cast(values.dtype, dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {dtype!r} according to the rule 'safe'")
    return values
