# SPDX-License-Identifier: BSD-3-Clause
"""take and put: elements along an axis, or of the flattened array, by number."""

import math
import warnings

import numpy

from .. import _core
from .._arguments import axis_in
from .._creation._from_data import asarray, values_for
from .._creation._ranges import arange
from .._folds._bounds import require_inside
from .._imported_numpy import (
    NUMBERS_ARE_WEAK,
    TAKEN_IS_CAST,
    TAKES_ALONG_THE_LAST_AXIS,
    WIDE_INDICES,
    normalize_axis_index,
)
from .._local import as_output, as_value, call_numpy, gathered, has_distributed, is_distributed, is_value, stays_here, write_here
from .._ufuncs._clip import clip
from .._views._reshape import ravel, reshape
from ._gather import distributed, put_flat, require_writeable, take_along

__all__ = ["put", "put_along_axis", "take", "take_along_axis"]

_OTHER_KIND = (
    "Implicit casting of output to a different kind is deprecated. In a future version, this will result in an error. "
    "(Deprecated NumPy 2.5)"
)


def require_whole(dtype, may_be_wide=False):
    """NumPy's TypeError for an array of a dtype that no array of indices may have."""
    if not numpy.can_cast(dtype, numpy.intp, "same_kind" if may_be_wide and WIDE_INDICES and dtype.kind == "u" else "safe"):
        raise TypeError(f"Cannot cast array data from {dtype!r} to {numpy.dtype(numpy.intp)!r} according to the rule 'safe'")


def mode_of(mode):
    """What is done with an index that lies outside: raise, wrap or clip; NumPy's errors and warnings."""
    if mode in ("raise", "wrap", "clip"):
        return mode
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        numpy.empty(1).take([0], mode=mode)
    for warning in told:
        _core.warn(warning.category, str(warning.message))
    return (
        {0: "clip", 1: "wrap", 2: "raise", None: "raise"}[mode]
        if not isinstance(mode, str)
        else {"c": "clip", "w": "wrap", "r": "raise"}[mode[0].lower()]
    )


def _numbers(indices, mode, extent, may_be_wide=False):
    """The argument `indices` of take and put as an array of integers inside the axis, or not yet looked at. NumPy takes the
    whole part of a float that is no array, also in a list."""
    mode = mode_of(mode)
    if is_distributed(indices) and is_value(indices):
        indices = _core.value(indices)
    if isinstance(indices, (_core.Array, numpy.ndarray)):
        require_whole(indices.dtype, may_be_wide)
        index = asarray(indices)
    else:
        index = asarray(indices) if has_distributed((indices,)) else numpy.array(indices, numpy.intp)
    if not is_distributed(index):
        index = numpy.asarray(index).astype(numpy.intp, copy=False)
    elif index.dtype.kind not in "iu":
        index = index.astype(numpy.intp)
    if mode == "wrap":
        return index % extent
    return clip(index, 0, extent - 1) if mode == "clip" else index


def taken_into(out, result, dtype, complaint):
    """The result in `out`, as of NumPy's functions that take: the cast that they check leads from `out` to what was taken of.
    Since NumPy 2.5 it leads to `out`, and may be any."""
    out = as_output(out)
    if out.shape != result.shape:
        raise complaint
    if TAKEN_IS_CAST:
        if not numpy.can_cast(dtype, out.dtype, "same_kind"):
            _core.warn(DeprecationWarning, _OTHER_KIND)
    elif not numpy.can_cast(out.dtype, dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {out.dtype!r} to {dtype!r} according to the rule 'safe'")
    out[...] = result
    return out


def take(a, indices, axis=None, out=None, mode="raise"):
    """Take elements along an axis, or of the flattened array.

    Triggers evaluation the first time an index array is used, because an index outside must raise here. The result itself is
    lazy, and distributed when `a` is.

    Examples
    --------
    >>> import gamelan as np
    >>> np.take([10, 20, 30], [2, 0, -1]).tolist()
    [30, 10, 30]
    """
    if stays_here(a):
        indices = gathered(indices)
    if not has_distributed((a, indices, out)):
        result = call_numpy(numpy.take, "take", (a, indices), {"axis": axis, "out": out, "mode": mode})
        return result if out is None else out
    a = distributed(asarray(a))
    if axis is None:
        a, axis = ravel(a), 0
    axis, a = axis_in(axis, a)
    index = _numbers(indices, mode, max(a.shape[axis], 1), may_be_wide=True)
    if a.shape[axis] == 0 and math.prod(a.shape[:axis] + index.shape + a.shape[axis + 1 :]):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    require_inside(index, axis, a.shape[axis])
    if index.ndim == 0:
        result = take_along(a, reshape(asarray(index), (1,)), axis)
        result = as_value(_core.reshape_view(result, a.shape[:axis] + a.shape[axis + 1 :]))
    else:
        result = take_along(a, index, axis)
    return (
        result
        if out is None
        else taken_into(out, result, a.dtype, ValueError("output array does not match result of ndarray.take"))
    )


def put(a, ind, v, mode="raise"):
    """Write values to elements of the flattened array that integers name.

    Triggers evaluation the first time an index array is used, because an index outside must raise here. The writing itself is
    lazy. Of equal indices the last one wins.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.arange(5)
    >>> np.put(a, [0, -1], [7, 8])
    >>> a.tolist()
    [7, 1, 2, 3, 8]
    """
    if not is_distributed(a):
        write_here(numpy.put, a, ind, first_of(v, ind.size) if _core.is_ours(ind) else v, mode)
        return
    if not a._a.flags.writeable:
        raise ValueError("put: output array is read-only")
    index = ravel(_numbers(ind, mode, max(a.size, 1)))
    values = ravel(values_for(a.dtype, v))
    if index.size == 0 or values.size == 0:
        return
    require_inside(index, 0, a.size)
    put_flat(a, index, repeated(values, index.size))


def first_of(values, count):
    """The elements of values on the engines that go into so many places; other values as they are."""
    return ravel(values)[:count] if is_distributed(values) and values.ndim else values


def repeated(values, count):
    """The first `count` of a row of values that is begun again and again; a number when there is one value."""
    if values.size == 1:
        return values[0] if is_distributed(values) else numpy.asarray(values)[0]
    if values.size >= count:
        return values[:count]
    return take_along(distributed(values), arange(count) % values.size, 0)


def _grid_key(indices, axis, shape):
    """The key that names the elements: `indices` along the axis, every position along the others."""
    key = [arange(extent).reshape((extent,) + (1,) * (len(shape) - number - 1)) for number, extent in enumerate(shape)]
    key[axis] = indices
    return tuple(key)


def _along_axis(arr, indices, axis):
    if NUMBERS_ARE_WEAK and axis is None and indices.ndim != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if indices.ndim != (1 if axis is None else arr.ndim):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if axis is None:
        return (indices,)
    return _grid_key(indices, axis, arr.shape)


def take_along_axis(arr, indices, axis):
    """Take elements along an axis by an array of indices, as `argsort` returns it.

    Triggers evaluation the first time an index array is used, because an index outside must raise here. The result itself is
    lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.array([[30, 10, 20]])
    >>> np.take_along_axis(a, np.argsort(a, axis=1), axis=1).tolist()
    [[10, 20, 30]]
    """
    arr, indices = asarray(arr), asarray(indices)
    if not has_distributed((arr, indices)):
        return call_numpy(numpy.take_along_axis, "take_along_axis", (arr, indices, axis), {})
    if axis is None:
        arr = ravel(arr)
    else:
        axis = normalize_axis_index(axis, arr.ndim)
    return distributed(arr)[_along_axis(arr, indices, axis)]


if TAKES_ALONG_THE_LAST_AXIS:
    take_along_axis.__defaults__ = (-1,)


def put_along_axis(arr, indices, values, axis):
    """Write the elements that `take_along_axis` takes.

    Triggers evaluation the first time an index array is used, because an index outside must raise here. The writing itself is
    lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.array([[30, 10, 20]])
    >>> np.put_along_axis(a, np.argmax(a, axis=1)[:, None], 99, axis=1)
    >>> a.tolist()
    [[99, 10, 20]]
    """
    indices = asarray(indices)
    if not is_distributed(arr):
        write_here(numpy.put_along_axis, arr, indices, values, axis)
        return
    if axis is None:
        (indices,) = _along_axis(arr, indices, None)
        require_writeable(arr)
        require_inside(indices, 0, arr.size)
        values = ravel(values_for(arr.dtype, values))
        if indices.size and values.size:
            put_flat(arr, indices, repeated(values, indices.size))
    else:
        axis = normalize_axis_index(axis, arr.ndim)
        arr[_along_axis(arr, indices, axis)] = values
