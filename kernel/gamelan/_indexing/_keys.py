# SPDX-License-Identifier: BSD-3-Clause
"""What stands in the brackets: integers, slices, Ellipsis and newaxis make a view; arrays of integers, masks and bools
pick among the elements of that view. Here a key is taken apart, with NumPy's errors; nothing is read but single bools."""

import operator

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._local import has_distributed, is_value

_INVALID = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"


def listed(values):
    """A sequence of indices as an array; an empty one holds integers, as NumPy takes it."""
    if isinstance(values, (list, tuple)):
        is_there = has_distributed(values)
    else:
        is_there = hasattr(values, "distributed_elements") or hasattr(type(values), "__gamelan_array__")
    if is_there:
        return asarray(values)
    array = numpy.arange(values.start, values.stop, values.step) if isinstance(values, range) else numpy.asarray(values)
    return array if array.size or array.dtype == bool else array.astype(numpy.intp)


def parts_of(key):
    """What stands in the brackets, in a plain tuple; a tuple of another class is one, too."""
    return key if type(key) is tuple else tuple(key) if isinstance(key, tuple) else (key,)


def _is_array(part):
    return isinstance(part, (_core.Array, numpy.ndarray))


def basic_or_array(part):
    """A part of a key as NumPy understands it: None, Ellipsis, a slice, an int, or an array of integers or bools. What is no
    number is a sequence of indices: a list, a range, a buffer."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, (bool, numpy.bool_)):
        return numpy.asarray(part)
    if isinstance(part, (list, tuple)):
        part = listed(part)
    elif not _is_array(part):
        try:
            return operator.index(part)
        except TypeError:
            part = listed(part)
    if part.dtype == bool:
        return numpy.asarray(bool(part)) if part.ndim == 0 else part
    if part.dtype.kind not in "iu":
        raise IndexError(_INVALID if part.ndim == 0 else "arrays used as indices must be of integer (or boolean) type")
    return operator.index(part) if part.ndim == 0 else part


class Picked:
    """An array of a key: along which axes of the view it stands (several for a mask), and along which axis of the array."""

    def __init__(self, array, axis, array_axis):
        self.is_mask = array.dtype == bool
        if self.is_mask and array.ndim == 0:  # a bool makes an axis, of which it takes all or nothing
            self.is_mask, array = False, numpy.zeros(int(bool(array)), numpy.intp)
            self.is_bool = True
        else:
            self.is_bool = False
        self.array, self.axis, self.array_axis = array, axis, array_axis
        self.dims = array.ndim if self.is_mask else 1


class Key:
    """A key with arrays: `view`, what its other parts make of the array; `picked`, its arrays; `at`, the axis of the
    result at which the axes of the index stand."""

    def __init__(self, array, key):
        parts = [basic_or_array(part) for part in parts_of(key)]
        consumed = sum(_consumed(part) for part in parts)
        if consumed > array.ndim:
            raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {consumed} were indexed")
        if not any(part is Ellipsis for part in parts):
            parts.append(Ellipsis)
        rest = array.ndim - consumed
        self.picked, plain, advanced = [], [], []
        axis = array_axis = 0
        for place, part in enumerate(parts):
            if _is_array(part):
                picked = Picked(part, axis, array_axis)
                if picked.is_mask:
                    _require_shape(part, array, array_axis)
                self.picked.append(picked)
                plain += [None] if picked.is_bool else [slice(None)] * picked.dims
                axis += picked.dims
            else:
                plain.append(part)
                axis += rest if part is Ellipsis else 0 if isinstance(part, int) else 1
            if _is_array(part) or isinstance(part, int):
                advanced.append((place, axis))
            array_axis += rest if part is Ellipsis else _consumed(part)
        self.view = _core.view(array, array._a[tuple(plain)])
        # NumPy takes integers beside an index array for index arrays, too: apart from each other they come first.
        is_together = advanced[-1][0] - advanced[0][0] + 1 == len(advanced)
        self.at = self.picked[0].axis if is_together else 0

    def mask_of_rows(self):
        """The mask, when it is the only array of the key and stands along the first axes of the view; else None."""
        picked = self.picked[0]
        is_of_rows = len(self.picked) == 1 and picked.is_mask and picked.array.shape == self.view.shape[: picked.dims]
        return picked.array if is_of_rows and picked.axis == 0 else None

    @property
    def rest(self):
        """The extents of the view along which nothing is picked."""
        along = {axis for picked in self.picked for axis in range(picked.axis, picked.axis + picked.dims)}
        return tuple(extent for axis, extent in enumerate(self.view.shape) if axis not in along)

    def shape_with(self, shape):
        """The shape of the result when the arrays of the key broadcast to `shape`."""
        return self.rest[: self.at] + shape + self.rest[self.at :]


def _consumed(part):
    """How many axes of the array a part of a key stands for."""
    if part is None or part is Ellipsis:
        return 0
    return (part.ndim if part.dtype == bool else 1) if _is_array(part) else 1


def _require_shape(mask, array, axis):
    for extent in mask.shape:
        if extent not in (0, array.shape[axis]):  # NumPy lets an empty mask pass
            raise IndexError(
                f"boolean index did not match indexed array along dimension {axis}; dimension is {array.shape[axis]} "
                f"but corresponding boolean dimension is {extent}"
            )
        axis += 1


def is_scalar_array(part):
    """True for an array without axes, of which NumPy's result is a copy; numbers that live on the engines are no arrays."""
    return _is_array(part) and part.ndim == 0 and not (_core.is_ours(part) and is_value(part))


def basic_parts(key):
    """The key as a tuple of parts of which NumPy makes a view, or None when it holds arrays."""
    if type(key) in _BASIC:
        return (key,)
    parts = key if type(key) is tuple else parts_of(key)
    for part in parts:
        if type(part) not in _BASIC:
            break
    else:
        return parts
    plain = []
    for part in parts:
        if type(part) not in _BASIC:
            if isinstance(part, (bool, numpy.bool_, list, tuple)):
                return None
            if _is_array(part) and (part.ndim or part.dtype == bool):
                return None
            part = basic_or_array(part)
            if _is_array(part):
                return None
        plain.append(part)
    return tuple(plain)


_BASIC = frozenset({int, slice, type(None), type(Ellipsis), *(numpy.dtype(code).type for code in "bBhHiIlLqQ")})
