# SPDX-License-Identifier: BSD-3-Clause
"""What `order=` means for arrays on the engines: their bytes are virtual and in C order, so another order is a view with
its axes permuted of an array in C order. What operations compute is in C order, whatever their operands are."""

import numpy

from .. import _core
from .._arguments import order_of


def check(order):
    """NumPy's error for what is no order of a new array."""
    numpy.empty(0, order=order)


def is_fortran(order):
    """True when a new array is to be in column-major order; NumPy's error for what is no order."""
    return numpy.empty((2, 2), order=order).flags.f_contiguous


def lies_in_columns(data):
    """True for a NumPy array whose strides are those of Fortran order, and not of C order as well."""
    steps = {"C": [], "F": []}
    for order, extents in (("C", data.shape[::-1]), ("F", data.shape)):
        step = data.itemsize
        for extent in extents:
            steps[order].append(step)
            step *= extent
    return list(data.strides) == steps["F"] != steps["C"][::-1]


def axes_for(array, order, dims=None):
    """The axes from the slowest to the fastest of an array of that order, made after another one, of `dims` axes if it is
    to have others; None for C order."""
    order = order_of(order)
    if order == "C":
        return None
    flags, dims = array._a.flags, array.ndim if dims is None else dims
    if order == "F" or flags.f_contiguous and not flags.c_contiguous and (order == "A" or dims == array.ndim):
        return tuple(range(dims))[::-1]
    if order == "A" or flags.c_contiguous or dims != array.ndim:
        return None
    strides = [abs(stride) for stride in array._a.strides]
    axes = tuple(sorted(range(array.ndim), key=lambda axis: -strides[axis]))
    return None if axes == tuple(range(array.ndim)) else axes


def axes_of_ravel(array):
    """The axes from the slowest to the fastest as NumPy's iterators go through memory, for ravel(order="K"): by the size of
    their steps, but an axis that does not step keeps its place."""
    steps = [0 if extent == 1 else abs(stride) for extent, stride in zip(array.shape, array._a.strides)]
    order = []  # from the fastest
    for axis in reversed(range(array.ndim)):
        place = len(order)
        for before in reversed(range(len(order))):
            if steps[axis] and steps[order[before]]:
                if steps[order[before]] <= steps[axis]:
                    break
                place = before
        order.insert(place, axis)
    return order[::-1]


def permuted(array, axes):
    """The view whose axis i is axes[i] of the array."""
    return _core.view(array, array._a.transpose(axes))


def restored(array, axes):
    """The view of which `array` is permuted(view, axes)."""
    return _core.view(array, array._a.transpose(numpy.argsort(axes)))
