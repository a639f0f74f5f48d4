# SPDX-License-Identifier: BSD-3-Clause
"""New arrays with rows more or fewer than an old one: append, insert, delete, trim_zeros."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray, copy_of, values_for
from .._creation._ranges import arange
from .._folds._arg_reductions import argmax
from .._folds._bounds import require_inside
from .._folds._scans import cumsum
from .._imported_numpy import INSERT_TAKES_MASKS, TRIM_TAKES_AXES, normalize_axis_index, normalize_axis_tuple
from .._indexing._positions import positions_of
from .._indexing._take_put import take
from .._local import call_numpy, gathered, has_distributed, is_distributed
from .._sorting._sort import argsort
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._join import concatenate
from .._views._plain import moveaxis
from .._views._reshape import ravel

__all__ = ["append", "delete", "insert", "trim_zeros"]

_FEW = 16  # what is between so many is joined as slices


def append(arr, values, axis=None):
    """A new array with values appended at its end."""
    arr, values = asarray(arr), asarray(values)
    if axis is None:
        arr, values, axis = ravel(arr), ravel(values), 0
    return concatenate((arr, values), axis)


def _prepared(arr, axis):
    if axis is None:
        return ravel(arr), 0
    return arr, normalize_axis_index(axis, arr.ndim)


def _inside(number, extent, axis, limit):
    if not -extent <= number < limit:
        raise IndexError(f"index {number} is out of bounds for axis {axis} with size {extent}")
    return number + extent if number < 0 else number


def _at(axis, part):
    return (slice(None),) * axis + (part,)


def delete(arr, obj, axis=None):
    """A new array without the parts that an index, a slice, integers or a mask name.

    Triggers evaluation when `obj` is an array or a list: the extent of the result depends on it. Otherwise lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.delete([1, 2, 3, 4], [0, -1]).tolist()
    [2, 3]
    """
    arr = asarray(arr)
    if not is_distributed(arr):
        return call_numpy(numpy.delete, "delete", (arr, gathered(obj), axis), {})
    arr, axis = _prepared(arr, axis)
    extent = arr.shape[axis]
    if isinstance(obj, slice):
        places = range(*obj.indices(extent))
        if not places:
            return copy_of(arr)
        first, last, step = sorted((places[0], places[-1])) + [abs(places.step)]
        if step == 1:
            return concatenate((arr[_at(axis, slice(None, first))], arr[_at(axis, slice(last + 1, None))]), axis)
        keep = filled((extent,), bool, True)
        keep[first : last + 1 : step] = False
        return _rows_where(arr, keep, axis)
    is_list = not isinstance(obj, (_core.Array, numpy.ndarray))
    if is_list and not has_distributed((obj,)) and numpy.asarray(obj).dtype.kind not in "biufc":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    obj = asarray(obj)
    if obj.size == 1 and obj.dtype != bool and not (obj.size == 0):
        if obj.dtype.kind not in "iu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        place = _inside(int(obj.reshape(-1)[0]), extent, axis, extent)
        return concatenate((arr[_at(axis, slice(None, place))], arr[_at(axis, slice(place + 1, None))]), axis)
    if obj.dtype == bool:
        if obj.shape != (extent,):
            raise ValueError(
                f"boolean array argument obj to delete must be one dimensional and match the axis length of {extent}"
            )
        return _rows_where(arr, ~obj, axis)
    if obj.size == 0:
        if not is_list and obj.dtype.kind not in "iu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        return copy_of(arr)
    if not is_distributed(obj) and obj.size <= _FEW and obj.dtype.kind in "iu":
        places = sorted({_inside(int(place), extent, axis, extent) for place in numpy.asarray(obj).reshape(-1)})
        ends = zip([-1, *places], [*places, extent])
        return concatenate([arr[_at(axis, slice(before + 1, place))] for before, place in ends], axis)
    keep = filled((extent,), bool, True)
    keep[ravel(obj)] = False
    return _rows_where(arr, keep, axis)


def _rows_where(arr, keep, axis):
    return take(arr, positions_of(keep), axis)


def insert(arr, obj, values, axis=None):
    """A new array with values inserted before the indices.

    Triggers evaluation when `obj` is an array on the engines, to check the indices. Otherwise lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.insert([1, 2, 3], [0, 2], [8, 9]).tolist()
    [8, 1, 2, 9, 3]
    """
    if not has_distributed((arr, obj, values)):
        return call_numpy(numpy.insert, "insert", (arr, obj, values, axis), {})
    arr = asarray(arr)
    arr, axis = _prepared(arr, axis)
    extent = arr.shape[axis]
    if isinstance(obj, slice):
        obj = numpy.arange(*obj.indices(extent), dtype=numpy.intp)
    places = asarray(obj)
    if places.dtype == bool and INSERT_TAKES_MASKS:
        if places.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        places = positions_of(places) if is_distributed(places) else asarray(numpy.flatnonzero(numpy.asarray(places)))
    elif places.dtype == bool:
        _core.warn(FutureWarning, "in the future insert will treat boolean arrays and array-likes as a boolean index")
        places = places.astype(numpy.intp)
    elif places.size == 0 and not isinstance(obj, (_core.Array, numpy.ndarray)):
        places = places.astype(numpy.intp)
    if places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if places.dtype.kind not in "iu":
        if places.size == 1:
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    values = values_for(arr.dtype, values)
    if values.ndim < arr.ndim:
        values = values[(None,) * (arr.ndim - values.ndim)]
    if places.size == 1:
        place = _inside(int(places.reshape(-1)[0]), extent, axis, extent + 1)
        if places.ndim == 0:
            values = moveaxis(values, 0, axis)
        shape = arr.shape[:axis] + (values.shape[axis],) + arr.shape[axis + 1 :]
        between = filled(shape, arr.dtype, 0)
        between[...] = values
        return concatenate((arr[_at(axis, slice(None, place))], between, arr[_at(axis, slice(place, None))]), axis)
    return _inserted(arr, places.astype(numpy.intp), values, axis)


def _inserted(arr, places, values, axis):
    """Every value goes as many rows down as others go before it; of equal places in the order in which they stand."""
    extent, count = arr.shape[axis], places.size
    if count:
        require_inside(places, axis, extent + 1)
        if bool((places < -extent).any()):
            raise IndexError(f"index {int(places.min())} is out of bounds for axis {axis} with size {extent}")
    places = either(places < 0, places + extent, places)
    order = argsort(places, kind="mergesort")
    shape = arr.shape[:axis] + (extent + count,) + arr.shape[axis + 1 :]
    if count <= _FEW and not is_distributed(places):
        new = filled(arr.shape[:axis] + (count,) + arr.shape[axis + 1 :], arr.dtype, 0)
        new[...] = values
        return _joined(arr, numpy.asarray(places).tolist(), new, numpy.asarray(order).tolist(), axis)
    rows = places.copy()
    rows[order] = places[order] + arange(count)
    is_old = filled((extent + count,), bool, True)
    is_old[rows] = False
    if extent:
        # A new row is first the old one before it, or the first.
        result = take(arr, PUBLIC["maximum"](cumsum(is_old) - 1, 0), axis)
    else:
        result = filled(shape, arr.dtype, 0)
    result[_at(axis, rows)] = values
    return result


def _joined(arr, places, new, order, axis):
    """Slices of an array with one new row before each of the places, which are taken in an order."""
    parts, done = [], 0
    for each in order:
        parts += [arr[_at(axis, slice(done, places[each]))], new[_at(axis, slice(each, each + 1))]]
        done = places[each]
    parts.append(arr[_at(axis, slice(done, None))])
    return concatenate([part for part in parts if part.shape[axis]], axis)


def trim_zeros(filt, trim="fb", axis=None):
    """An array without the zeros at its ends.

    Triggers evaluation: the extent of the result depends on the data. Of a distributed array the result is a view.

    Examples
    --------
    >>> import gamelan as np
    >>> np.trim_zeros(np.array([0, 1, 2, 0])).tolist()
    [1, 2]
    """
    if not is_distributed(filt):
        return call_numpy(numpy.trim_zeros, "trim_zeros", (filt, trim), {} if axis is None else {"axis": axis})
    if TRIM_TAKES_AXES:
        return _trimmed(filt, trim, axis)
    if filt.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    if filt.ndim != 1:
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
    if filt.size == 0:
        return filt
    used = filt != 0
    before, after, has_any = (int(value) for value in _core.fetch([argmax(used), argmax(used[::-1]), used.any()]))
    if not has_any:
        return filt[:0]
    trim = trim.upper()
    return filt[before if "F" in trim else 0 : filt.size - (after if "B" in trim else 0)]


def _trimmed(filt, trim, axis):
    """As NumPy 2 has it: along every axis, or some."""
    numpy.trim_zeros(numpy.ones(1), trim)  # for its errors
    axes = tuple(range(filt.ndim)) if axis is None else normalize_axis_tuple(axis, filt.ndim, argname="axis")
    if not axes or filt.size == 0:
        return filt
    used = filt != 0
    lines = [used.any(tuple(other for other in range(filt.ndim) if other != each)) for each in axes]
    wanted = [fact for line in lines for fact in (argmax(line), argmax(line[::-1]))]
    *places, has_any = (int(value) for value in _core.fetch([*wanted, used.any()]))
    key, trim = [slice(None)] * filt.ndim, trim.lower()
    for number, each in enumerate(axes):
        before, after = places[2 * number : 2 * number + 2]
        first, last = (before, filt.shape[each] - after) if has_any else (0, 0)
        key[each] = slice(first if "f" in trim or not has_any else None, last if "b" in trim or not has_any else None)
    return filt[tuple(key)]
