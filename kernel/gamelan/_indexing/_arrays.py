# SPDX-License-Identifier: BSD-3-Clause
"""a[key] and a[key] = value where the key holds arrays of integers or masks. Masks become the positions of what is true;
several indices become one, of their axes merged (multiply-add where the indices live); then the engines take or put."""

import math

import numpy

from .. import _core
from .._creation._from_data import asarray, copy_of
from .._creation._ranges import arange
from .._folds._bounds import extremes, require_inside
from .._local import is_distributed
from .._promotion import OPS, dtype_number
from .._views._plain import broadcast_to, moveaxis
from .._views._reshape import reshape
from ._gather import distributed, put_along, require_writeable, take_along, text_of, values_for
from ._keys import Key
from ._positions import count_of, positions_of, row_of, selected


class _Located:
    """A key whose masks have become positions: one array of integers for each of `axes` of `view`, which has the axes of
    every mask merged; `shape` is what they broadcast to."""

    def __init__(self, key, is_set=False):
        self.key, self.view, self.is_copy = key, key.view, False
        merged = 0
        self.axes, self.indices = [], []
        for picked in key.picked:
            axis = picked.axis - merged
            if picked.is_mask:
                self._merge(axis, picked.dims)
                merged += picked.dims - 1
            self.axes.append(axis)
            self.indices.append(positions_of(picked.array) if picked.is_mask else picked.array)
        try:
            self.shape = numpy.broadcast_shapes(*(index.shape for index in self.indices))
        except ValueError:
            shapes = " ".join(text_of(index.shape) for index in self.indices)
            raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes} ") from None

    def _merge(self, axis, dims):
        """Makes one axis of several of the view, which becomes a copy where no view has that shape."""
        if dims == 1:
            return
        shape = self.view.shape
        shape = shape[:axis] + (math.prod(shape[axis : axis + dims]),) + shape[axis + dims :]
        view = _core.reshape_view(self.view, shape)
        self.is_copy |= view is None
        self.view = _core.reshape_view(copy_of(self.view), shape) if view is None else view

    def require_inside(self):
        """NumPy's IndexError for an index outside; where nothing is picked NumPy does not look."""
        if 0 in self.shape:
            return
        for picked, axis, index in zip(self.key.picked, self.axes, self.indices):
            if not picked.is_mask:
                require_inside(index, picked.array_axis, self.view.shape[axis])

    def drop_repetitions(self):
        """Along an axis that only repeats elements (of `broadcast_to`) it does not matter which is picked."""
        for number, axis in enumerate(self.axes):
            if len(self.axes) > 1 and self.view.shape[axis] > 1 and self.view.strides[axis] == 0:
                self.view = self.view[(slice(None),) * axis + (slice(0, 1),)]
                self.indices[number] = numpy.zeros((1,) * self.indices[number].ndim, numpy.intp)

    def is_grid(self):
        """True when every index runs along an axis of its own, as those of `ix_`: then axis after axis can be taken."""
        dims = len(self.indices)
        return dims > 1 and all(
            index.ndim == dims and index.size == index.shape[number] == self.shape[number]
            for number, index in enumerate(self.indices)
        )

    def shorten(self):
        """Where fewer elements are picked than the first axis has rows: takes these rows first, a smaller array."""
        count = math.prod(self.shape)
        axis = self.axes[0]
        if len(self.axes) > 1 and 2 * count < self.view.shape[axis]:
            self.view = take_along(self.view, reshape(broadcast_to(asarray(self.indices[0]), self.shape), (count,)), axis)
            self.indices[0] = reshape(arange(count), self.shape)

    def merge_all(self):
        """One axis and one index of all."""
        if len(self.axes) == 1:
            return
        if self.axes != list(range(self.axes[0], self.axes[0] + len(self.axes))):
            self.view = moveaxis(self.view, self.axes, range(len(self.axes)))
            self.axes = list(range(len(self.axes)))
        extents = [self.view.shape[axis] for axis in self.axes]
        self.indices = [flat_index(self.indices, extents, self.shape)]
        self._merge(self.axes[0], len(self.axes))
        self.axes = self.axes[:1]


def flat_index(indices, extents, shape):
    """One index of merged axes, in C order, from an index of each that is known to be inside; of that shape."""
    result = None
    for index, extent in zip(indices, extents):
        index = _from_the_start(index, extent)
        result = index if result is None else result * extent + index
    return result if result.shape == shape else broadcast_to(result, shape)


def _from_the_start(index, extent):
    """The index without negative numbers, as int64."""
    if not is_distributed(index):
        index = numpy.asarray(index).astype(numpy.intp)
        return asarray(numpy.where(index < 0, index + extent, index))
    is_signed = index.dtype.kind == "i" and index.size and extremes(index, math.inf)[0] < 0
    index = index if index.dtype == numpy.intp else index.astype(numpy.intp)
    return _core.evaluate(OPS["where"], index < 0, index + extent, index) if is_signed else index


def get(array, key):
    """array[key] for a key with arrays: a new array."""
    key = Key(distributed(array), key)
    mask = key.mask_of_rows()
    if mask is not None:
        return selected(key.view, mask)
    located = _Located(key)
    located.require_inside()
    dims = len(located.shape)
    located.drop_repetitions()
    if located.is_grid():
        result = located.view
        for axis, index in zip(located.axes, located.indices):
            result = take_along(result, reshape(asarray(index), (index.size,)), axis)
        return moveaxis(result, located.axes, range(key.at, key.at + dims))
    located.shorten()
    located.merge_all()
    (axis,), (index,) = located.axes, located.indices
    result = take_along(located.view, index, axis)
    if axis == key.at:
        return result
    return moveaxis(result, range(axis, axis + dims), range(key.at, key.at + dims))


def set(array, key, value):
    """array[key] = value for a key with arrays; of equal indices the last wins."""
    key = Key(array, key)
    require_writeable(key.view)
    if len(key.picked) == 1 and key.picked[0].is_mask and key.picked[0].array.size:
        if _set_where(array, key, key.picked[0], value) or _set_selected(array, key, value):
            return
    located = _Located(key)
    dims = len(located.shape)
    values = values_for(value, array.dtype, key.shape_with(located.shape))
    located.require_inside()
    located.merge_all()
    if values.ndim and key.at:
        values = moveaxis(values, range(key.at, key.at + dims), range(dims))
    (axis,), (index,) = located.axes, located.indices
    put_along(located.view, index, values, axis)
    if located.is_copy:
        _put_back(key, located)


def _put_back(key, located):
    """What was written to a copy goes to the array: the axes as they were before they were merged."""
    result = located.view
    axes = [axis for picked in key.picked for axis in range(picked.axis, picked.axis + picked.dims)]
    in_order = key.view if located.axes[0] == axes[0] and axes == list(range(axes[0], axes[0] + len(axes))) else None
    if in_order is None:
        in_order = moveaxis(key.view, axes, range(len(axes)))
    in_order[...] = reshape(result, in_order.shape)


def _set_where(array, key, picked, value):
    """array[mask] = value where the value is the same for all that is true: nobody needs to count. Rows are put there; single
    elements, and what stands along later axes, `where` chooses. False when the value is not the same."""
    if not isinstance(value, (_core.Array, numpy.ndarray)):
        value = asarray(value) if isinstance(value, (list, tuple)) else _cell(value, array.dtype)
    is_whole = picked.dims == array.ndim and key.view.ndim == array.ndim
    if is_whole and value.ndim > 1:
        raise TypeError(
            f"NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has {value.ndim} dimensions"
        )
    rest, trailing = key.rest, len(key.rest) - key.at
    while value.ndim > len(rest) + 1 and value.shape[0] == 1:
        value = value[0]
    if value.ndim > len(rest) + 1 or value.ndim > trailing and value.shape[value.ndim - 1 - trailing] != 1:
        if is_whole and value.size != (count := count_of(picked.array)):
            raise ValueError(
                f"NumPy boolean array indexing assignment cannot assign {value.size} input values to the {count} output "
                "values where the mask is true"
            )
        return False
    if value.ndim > trailing:
        value = value[(slice(None),) * (value.ndim - 1 - trailing) + (0,)]
    if any(own not in (1, extent) for own, extent in zip(value.shape[::-1], rest[::-1])):
        values_for(value, array.dtype, key.shape_with((count_of(picked.array),)))  # raises, unless nothing is true
        return False
    if math.prod(rest) > 1 and key.mask_of_rows() is not None and key.view.size:
        values = values_for(value, array.dtype, (picked.array.size, *rest))
        if _put_at_flags(key.view, picked.array, values):
            return True
    if value.ndim == 0 and not is_distributed(value):
        value = numpy.asarray(value).astype(array.dtype)
    elif value.ndim:
        value = value[(None,) * (len(rest) - value.ndim)]
        value = value[(slice(None),) * picked.axis + (None,) * picked.dims]
    mask = picked.array[(Ellipsis,) + (None,) * (key.view.ndim - picked.axis - picked.dims)]
    number = dtype_number(array.dtype)
    _core.apply(OPS["where"], number, number, (mask, value, key.view), key.view)
    return True


def _set_selected(array, key, value):
    """array[mask] = as many values as are true, in one pass. False when it is another case."""
    mask = key.mask_of_rows()
    if mask is None or not key.view.size or not (count := count_of(mask)):
        return False
    values = values_for(value, array.dtype, (count, *key.rest))
    return values.ndim > 0 and _put_at_flags(key.view, mask, values)


def _put_at_flags(view, mask, values):
    """Rows go where a mask of the view's first axes is true; or a number, or one row, repeated along the first axis. False
    where these axes are not one."""
    target = _core.reshape_view(view, (mask.size, *view.shape[mask.ndim :]))
    if target is None:
        return False
    _core.record(OPS["put"], dtype_number(view.dtype), target, False, (row_of(distributed(mask)), values), ())
    return True


_SETTINGS = {"divide by zero": "divide", "overflow": "over", "underflow": "under", "invalid value": "invalid"}


def _cell(value, dtype):
    """A number as an array; NumPy's conversion, with its errors, and its warnings at the user's line."""
    if numpy.ndim(value):
        return numpy.asarray(value)
    cell, met, settings = numpy.empty((), dtype), [], numpy.geterr()
    with numpy.errstate(all="call", call=lambda what, _: met.append(what)):
        cell[...] = value
    told = [what for what in met if settings[_SETTINGS[what]] != "ignore"]
    if any(settings[_SETTINGS[what]] != "warn" for what in told):
        cell[...] = value  # raises, calls or prints
        return cell
    for what in told:
        _core.warn(RuntimeWarning, f"{what} encountered in cast")
    return cell
