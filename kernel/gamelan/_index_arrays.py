# SPDX-License-Identifier: BSD-3-Clause
"""Elements named by arrays of integers: a[index], a[index] = value, take, put. The engines do it along one axis of the
array, with the index as one row of integers; here keys become that."""
import math
import operator

import numpy
from numpy.core.numeric import normalize_axis_index

from . import _core
from ._bounds import require_inside
from ._creation import arange, asarray, filled
from ._errors import unimplemented
from ._local import call_numpy, has_distributed, is_distributed
from ._manipulation import broadcast_to, clip, copy_of, moveaxis, ravel, reshape
from ._promotion import OPS, dtype_number


def _index_of(part):
    """The part of a key as an array of integers, None when it is none; NumPy's IndexError for other arrays."""
    if isinstance(part, (list, tuple)):
        part = _listed(part)
    if not isinstance(part, (_core.Array, numpy.ndarray)) or part.ndim == 0 and part.dtype != bool:
        return None
    if part.dtype == bool:
        raise unimplemented("ndarray.__getitem__ with a mask or index array", "numpy.asarray brings the array here; a mask can be assigned to")
    if part.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return part


def _listed(values):
    """A list of indices as an array; an empty one holds integers, as NumPy takes it."""
    if has_distributed((values,)):
        return asarray(values)
    array = numpy.asarray(values)
    return array if array.size else array.astype(numpy.intp)


class _Key:
    """A key with one index array: the view that its other parts make, and the axis of it that is indexed."""

    def __init__(self, array, key):
        parts = key if type(key) is tuple else (key,)
        parts = [part if (index := _index_of(part)) is None else index for part in parts]
        places = [place for place, part in enumerate(parts) if isinstance(part, (_core.Array, numpy.ndarray)) and part.ndim]
        if len(places) != 1:
            raise unimplemented("ndarray indexing with several index arrays", "index one axis after the other, or a flat view")
        (self.place,) = places
        self.index = parts[self.place]
        plain = [self._plain(part) for part in parts]
        plain[self.place] = slice(None)
        if Ellipsis not in plain:
            plain.append(Ellipsis)
        self.view = _core.view(array, array._a[tuple(plain)])
        consumed = sum(part is not None and part is not Ellipsis for part in plain)
        dims = {type(Ellipsis): array.ndim - consumed, type(None): 1, slice: 1}
        before = plain[: self.place]
        self.axis = sum(dims.get(type(part), 0) for part in before)
        self.array_axis = sum(array.ndim - consumed if part is Ellipsis else part is not None for part in before)
        # NumPy takes integers beside an index array for index arrays, too: apart from each other they come first.
        advanced = [place for place, part in enumerate(plain) if isinstance(part, int) or place == self.place]
        self.is_first = advanced[-1] - advanced[0] >= len(advanced)
        self.extent = self.view.shape[self.axis]

    @staticmethod
    def _plain(part):
        if part is None or part is Ellipsis or isinstance(part, (slice, _core.Array, numpy.ndarray)) and getattr(part, "ndim", 1):
            return part
        if isinstance(part, (bool, numpy.bool_)):
            raise unimplemented("ndarray indexing with a bool beside an index array")
        return operator.index(part)

    @property
    def result_axis(self):
        """Where the axes of the index stand in the result."""
        return 0 if self.is_first else self.axis


def _flat(index):
    return index if index.ndim == 1 else reshape(asarray(index), (index.size,))


def _take(array, index, axis):
    """array.take(index, axis) on the engines; the numbers of the index are known to be inside."""
    shape = array.shape[:axis] + index.shape + array.shape[axis + 1 :]
    number = dtype_number(array.dtype)
    if 0 in shape:
        return filled(shape, array.dtype, 0)
    result = _core.empty(array.shape[:axis] + (index.size,) + array.shape[axis + 1 :], number)
    _core.record(OPS["take"], number, result, True, (_distributed(array), _flat(index)), (axis,))
    return result if index.ndim == 1 else _core.reshape_view(result, shape)


def _distributed(array):
    return array if is_distributed(array) else _core.upload(numpy.asarray(array))


def _put(target, index, values, axis):
    """target[..., index, ...] = values along an axis; `values` have the axes of the index first, or are a number."""
    target = moveaxis(target, axis, 0)
    if index.size == 0 or target.size == 0:
        return
    number = dtype_number(target.dtype)
    if values.ndim:
        values = reshape(values, (index.size,) + target.shape[1:]) if index.ndim != 1 else values
    _core.record(OPS["put"], number, target, False, (_flat(index), values), ())


def _values_for(value, dtype, shape):
    """The value as an array of that dtype that broadcasts to that shape, or as a number; with NumPy's errors."""
    if isinstance(value, _core.Array) or has_distributed((value,)):
        value = asarray(value)
    if not is_distributed(value):
        value = numpy.asarray(value) if isinstance(value, _core.Array) else value
        converted = numpy.empty(numpy.shape(value), dtype)
        converted[...] = value  # NumPy's conversion, with its errors and warnings
        value = converted
    if value.ndim == 0 and not is_distributed(value):
        return value
    own = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    if value.ndim > len(shape) or any(mine not in (1, extent) for mine, extent in zip(value.shape[::-1], shape[::-1])):
        raise ValueError(f"shape mismatch: value array of shape {_text(own)} could not be broadcast to indexing result of shape {_text(shape)}")
    if value.dtype != dtype:
        converted = filled(value.shape, dtype, 0)
        converted[...] = value
        value = converted
    return broadcast_to(value, shape)


def _text(shape):
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def get(array, key):
    """array[key] for a key with one array of integers: a new array."""
    if not is_distributed(array):
        array = _core.upload(array._a)
    key = _Key(array, key)
    require_inside(key.index, key.array_axis, key.extent)
    result = _take(key.view, key.index, key.axis)
    if key.is_first and key.axis:
        dims = key.index.ndim
        result = moveaxis(result, tuple(range(key.axis, key.axis + dims)), tuple(range(dims)))
    return result


def set(array, key, value):
    """array[key] = value for a key with one array of integers; of equal indices the last wins."""
    key = _Key(array, key)
    if not key.view._a.flags.writeable:
        raise ValueError("assignment destination is read-only")
    rest = key.view.shape[: key.axis] + key.view.shape[key.axis + 1 :]
    at, dims = key.result_axis, key.index.ndim
    values = _values_for(value, key.view.dtype, rest[:at] + key.index.shape + rest[at:])
    require_inside(key.index, key.array_axis, key.extent)
    if values.ndim and at:
        values = moveaxis(values, tuple(range(at, at + dims)), tuple(range(dims)))
    _put(key.view, key.index, values, key.axis)


def _numbers(indices, mode, extent):
    """The argument `indices` of take and put as an array of integers inside the axis, or not yet looked at."""
    index = _listed(indices) if isinstance(indices, (list, tuple)) else asarray(indices)
    if not is_distributed(index):
        index = numpy.asarray(index).astype(numpy.intp, casting="same_kind")
    elif index.dtype.kind not in "iu":
        if index.dtype.kind != "b":
            raise TypeError(f"Cannot cast array data from {index.dtype!r} to {numpy.dtype(numpy.intp)!r} according to the rule 'safe'")
        index = index.astype(numpy.intp)
    if mode == "wrap":
        return index % extent
    if mode == "clip":
        return clip(index, 0, extent - 1)
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return index


def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements along an axis, or of the flattened array, at the places that an array of integers names.

    Of a distributed array the result is distributed; the index is looked at first (one round trip, once per index array),
    because NumPy's IndexError belongs to this line.

    Examples
    --------
    >>> import gamelan as np
    >>> np.take([10, 20, 30], [2, 0, -1]).tolist()
    [30, 10, 30]

    See Also
    --------
    numpy.take
    """
    if not has_distributed((a, indices, out)):
        result = call_numpy(numpy.take, "take", (a, indices), {"axis": axis, "out": out, "mode": mode})
        return result if out is None else out
    a = _distributed(asarray(a))
    if axis is None:
        a, axis = ravel(a), 0
    axis = normalize_axis_index(axis, a.ndim)
    index = _numbers(indices, mode, max(a.shape[axis], 1))
    if a.shape[axis] == 0 and math.prod(a.shape[:axis] + index.shape + a.shape[axis + 1 :]):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    require_inside(index, axis, a.shape[axis])
    if index.ndim == 0:
        result = _take(a, reshape(asarray(index), (1,)), axis)
        result = _core.reshape_view(result, a.shape[:axis] + a.shape[axis + 1 :])
    else:
        result = _take(a, index, axis)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError("output array does not match result of ndarray.take")
    out[...] = result
    return out


def put(a, ind, v, mode="raise"):
    """Writes elements of the flattened array at the places that an array of integers names; of equal ones the last wins.

    Values are repeated when there are fewer than indices.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.arange(5)
    >>> np.put(a, [0, -1], [7, 8])
    >>> a.tolist()
    [7, 1, 2, 3, 8]

    See Also
    --------
    numpy.put
    """
    if not is_distributed(a):
        call_numpy(lambda data, *rest: numpy.put(data, *rest), "put", (a, ind, v, mode), {})
        return
    index = ravel(_numbers(ind, mode, max(a.size, 1)))
    values = ravel(asarray(v))
    if index.size == 0 or values.size == 0:
        return
    require_inside(index, 0, a.size)
    if values.size == 1:
        values = values[0] if is_distributed(values) else numpy.asarray(values)[0]
    elif values.size < index.size:
        values = take(_distributed(values), arange(index.size) % values.size)
    else:
        values = values[: index.size]
    flat = _core.reshape_view(a, (a.size,))
    target = flat if flat is not None else ravel(copy_of(a))
    _put(target, index, _values_for(values, a.dtype, index.shape), 0)
    if flat is None:
        a[...] = reshape(target, a.shape)
