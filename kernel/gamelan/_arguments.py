# SPDX-License-Identifier: BSD-3-Clause
"""Plain arguments as NumPy's C functions take them: whole numbers, axes, flags, orders. Python's own conversions take
more (a bool is a whole number, anything is true or false); where NumPy would refuse, these raise its error. A value on the
engines is waited for. Functions that NumPy has in Python take a bool for 0 or 1; they use NumPy's normalize_axis_index."""

import operator

import numpy

from ._imported_numpy import FLAGS_ARE_PYTHONS, normalize_axis_index, normalize_axis_tuple
from ._local import is_distributed, is_value

DEVICE = "cpu"
_MOST = numpy.iinfo(numpy.intp).max


def _number_of(value):
    """A value on the engines as NumPy's scalar."""
    return numpy.asarray(value)[()] if is_distributed(value) and is_value(value) else value


def whole(value):
    """A whole number: anything with `__index__` but a bool."""
    value = _number_of(value)
    if isinstance(value, (bool, numpy.bool_)):
        raise TypeError("an integer is required")
    return operator.index(value)


def shape(value):
    """A whole number or a sequence of them, as a tuple."""
    if type(value) is tuple and all(type(extent) is int for extent in value):
        return _bounded(value)
    value = _number_of(value)
    if isinstance(value, (bool, numpy.bool_)):
        raise TypeError(f"expected a sequence of integers or a single integer, got '{value}'")
    try:
        return _bounded((operator.index(value),))
    except TypeError:
        pass
    if not hasattr(value, "__len__") or not hasattr(value, "__getitem__") or isinstance(value, dict):
        raise TypeError(f"expected a sequence of integers or a single integer, got '{value}'")
    return _bounded(tuple(map(whole, value)))


def _bounded(extents):
    if extents and max(extents) > _MOST:
        raise ValueError("Maximum allowed dimension exceeded")
    return extents


def checked_axis(axis):
    """An axis as an int; NumPy's error for a bool, and for what no C int holds."""
    axis = _number_of(axis)
    if isinstance(axis, (bool, numpy.bool_)):
        raise TypeError("an integer is required for the axis")
    axis = operator.index(axis)
    if not -(2**31) <= axis < 2**31:
        raise ValueError("integer won't fit into a C int")
    return axis


def axis_of(axis, dims):
    """One axis, counted from the first."""
    return normalize_axis_index(checked_axis(axis), dims)


def axis_in(axis, array):
    """The axis of an array, counted from the first, and the array with one axis at least."""
    if array.ndim == 0:
        array = array.reshape(1)
    return axis_of(axis, array.ndim), array


def fold_axes(axis, dims):
    """The axes that a fold goes over, ascending; None is all of them. A list of axes is refused. NumPy lets an array without axes
    be folded over one that it does not have."""
    if axis is None:
        return tuple(range(dims))
    axis = tuple(map(checked_axis, axis)) if isinstance(axis, tuple) else checked_axis(axis)
    if dims == 0 and axis in (0, -1):
        return ()
    axes = normalize_axis_tuple(axis, dims, allow_duplicate=True)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return tuple(sorted(axes))


def counted_axes(axis, dims):
    """As `fold_axes`, where NumPy counts the elements by itself: then an array without axes has none to fold over."""
    if dims == 0 and axis is not None:
        normalize_axis_tuple(axis, 0)
    return fold_axes(axis, dims)


def single_axis(axis, dims, name):
    """The axis of ufunc method `name`, which takes a tuple of one, too. Of an array without axes as it is."""
    axes = fold_axes(axis, dims) if dims or axis is None or isinstance(axis, tuple) else (checked_axis(axis),)
    if len(axes) != 1:
        raise ValueError(f"{name} does not allow multiple axes")
    return axes[0]


def flag(value):
    """True or False of a flag that is a C int: a whole number."""
    if value is True or value is False:
        return value
    value = _number_of(value)
    return bool(value) if isinstance(value, numpy.bool_) and not FLAGS_ARE_PYTHONS else operator.index(value) != 0


def order_of(order):
    """The letter of an order; NumPy's error for what is none."""
    if type(order) is str and order in ("C", "F", "A", "K"):
        return order
    numpy.empty(()).copy(order)
    if order is None:
        return "C"
    return (order.decode() if isinstance(order, bytes) else order).upper()


def check_device(device):
    """Refuses a device that there is not."""
    if device not in (None, DEVICE):
        raise ValueError(f"got the device {device!r}, expected {DEVICE!r}: there is no other")
