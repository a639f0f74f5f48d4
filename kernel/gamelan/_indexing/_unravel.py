# SPDX-License-Identifier: BSD-3-Clause
"""Flat positions to indices of axes and back, and the open grid of ix_. Numbers that live on the engines are looked at
first (one round trip, once per array), because NumPy's ValueError belongs to the line."""

import math
import operator

import numpy

from .._arguments import order_of
from .._creation._from_data import asarray
from .._folds._bounds import extremes
from .._local import call_numpy, has_distributed, is_distributed
from .._ufuncs._clip import clip
from .._views._reshape import reshape
from ._arrays import flat_index
from ._nonzero import nonzero, unraveled
from ._positions import remember_inside
from ._take_put import mode_of

__all__ = ["ix_", "ravel_multi_index", "unravel_index"]


def _extents(shape):
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(map(operator.index, shape))


def _bounds(index, extent):
    if not is_distributed(index):
        index = numpy.asarray(index)
        return int(index.min()), int(index.max())
    return extremes(index, extent)


def _order_of(order):
    order = order_of(order)
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order


def _integers(index):
    """An index as integers: bools are, too."""
    if index.dtype.kind not in "biu":
        raise TypeError("only int indices permitted")
    return index.astype(numpy.intp) if index.dtype == bool else index


def unravel_index(indices, shape, order="C"):
    """The indices along every axis from flat indices.

    Distributed indices trigger evaluation, because an index outside must raise here. The result itself is lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> [index.tolist() for index in np.unravel_index([5, 1], (2, 3))]
    [[1, 0], [2, 1]]
    """
    indices = asarray(indices) if has_distributed((indices,)) else indices
    if not is_distributed(indices):
        return call_numpy(numpy.unravel_index, "unravel_index", (indices, shape, order), {})
    shape = _extents(shape)
    indices, order = _integers(indices), _order_of(order)
    size = math.prod(shape)
    if indices.size:
        for bound in _bounds(indices, size):
            if not 0 <= bound < size:
                raise ValueError(f"index {bound} is out of bounds for array with size {size}")
    is_along_one_axis = size == max(shape, default=1)  # then they would be a result themselves
    indices = indices.astype(numpy.intp, copy=is_along_one_axis)
    if order == "F":
        return unraveled(indices, shape[::-1])[::-1]
    return unraveled(indices, shape)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Flat indices from the indices along every axis.

    Distributed indices trigger evaluation, because an index outside must raise here. The result itself is lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.ravel_multi_index([[1, 0], [2, 1]], (2, 3)).tolist()
    [5, 1]
    """
    if not has_distributed((multi_index,)):
        return call_numpy(numpy.ravel_multi_index, "ravel_multi_index", (multi_index, dims, mode, order), {})
    dims = _extents(dims)
    order = _order_of(order)
    indices = [asarray(index) for index in multi_index]
    modes = list(mode) if isinstance(mode, (list, tuple)) else [mode] * len(dims)
    if len(indices) != len(dims) or len(modes) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    if math.prod(dims) > numpy.iinfo(numpy.intp).max:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.")
    shape = numpy.broadcast_shapes(*(index.shape for index in indices))
    if 0 in dims and 0 not in shape:
        raise ValueError("cannot unravel if shape has zero entries (is empty).")
    inside = [_inside(index, extent, each) for index, extent, each in zip(indices, dims, modes)]
    if order == "F":
        inside, dims = inside[::-1], dims[::-1]
    result = flat_index(inside, dims, shape)
    if len(dims) == 1:  # it may be the index itself
        return result.copy()
    remember_inside(result, math.prod(dims))
    return result


def _inside(index, extent, mode):
    """An index made to lie in [0, extent) as the mode says, or NumPy's error."""
    mode, index = mode_of(mode), _integers(index)
    if mode == "wrap":
        return index.astype(numpy.intp) % extent
    if mode == "clip":
        return clip(index.astype(numpy.intp), 0, extent - 1)
    if index.size:
        low, high = _bounds(index, extent)
        if low < 0 or high >= extent:
            raise ValueError("invalid entry in coordinates array")
    return index


def ix_(*args):
    """Open meshes of indices that select the crossings of rows, columns and further axes.

    A mask triggers evaluation: the extent of its index depends on the data. Otherwise lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.arange(6).reshape(2, 3)[np.ix_([1, 0], [0, 2])].tolist()
    [[3, 5], [0, 2]]
    """
    if not has_distributed(args):
        return call_numpy(numpy.ix_, "ix_", args, {})
    grid = []
    for number, part in enumerate(args):
        index = asarray(part)
        if index.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if index.dtype == bool:
            (index,) = nonzero(index)
        elif index.size == 0 and isinstance(part, (list, tuple)):
            index = index.astype(numpy.intp)
        grid.append(reshape(index, (1,) * number + (index.size,) + (1,) * (len(args) - number - 1)))
    return tuple(grid)
