# SPDX-License-Identifier: BSD-3-Clause
"""as_strided and sliding_window_view: views whose elements overlap. A view in a message is byte strides over the array's
virtual bytes, so that these need no copy; only what would leave these bytes is refused here."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._flags import overlaps_itself
from .._imported_numpy import byte_bounds, normalize_axis_tuple
from .._local import is_distributed, wrap_here


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view with any shape and strides.

    Needs no evaluation. Of a distributed array the view must stay inside the array's memory; where its elements overlap it is
    read-only.

    Examples
    --------
    >>> import gamelan as np
    >>> np.lib.stride_tricks.as_strided(np.arange(4), (3, 2), (8, 8)).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    x = asarray(x)
    view = numpy.lib.stride_tricks.as_strided(x._a, shape, strides, writeable=writeable)
    if not is_distributed(x):
        return wrap_here(view)
    base = x._a
    while isinstance(base.base, numpy.ndarray):
        base = base.base
    first, last = byte_bounds(view) if view.size else (0, 0)
    lowest, highest = byte_bounds(base)
    if view.size and (first < lowest or last > highest):
        raise ValueError("as_strided: the view would leave the memory of the array")
    if writeable and overlaps_itself(view):
        view.flags.writeable = False
    return _core.view(x, view)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """All windows of a shape into an array, as a view.

    Needs no evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> np.lib.stride_tricks.sliding_window_view(np.arange(4), 3).tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    x = asarray(x)
    window = tuple(window_shape) if numpy.iterable(window_shape) else (window_shape,)
    if any(extent < 0 for extent in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(window)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axes):
            raise ValueError(
                "Must provide matching length window_shape and axis; got "
                f"{len(window)} window_shape elements and {len(axes)} axes elements."
            )
    extents = list(x.shape)
    for along, extent in zip(axes, window):
        if extents[along] < extent:
            raise ValueError("window shape cannot be larger than input array shape")
        extents[along] -= extent - 1
    strides = x.strides + tuple(x.strides[along] for along in axes)
    return as_strided(x, tuple(extents) + window, strides, writeable=writeable)
