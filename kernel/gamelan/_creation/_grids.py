# SPDX-License-Identifier: BSD-3-Clause
"""Coordinates of the points of a grid: meshgrid, indices, fromfunction."""

import math

import numpy

from .. import _core
from .._imported_numpy import SEVERAL
from .._local import call_numpy, has_distributed, has_own_class, is_distributed, wrap_here
from ._filled import filled, shape_of
from ._from_data import asarray
from ._ranges import sequence

__all__ = ["fromfunction", "indices", "meshgrid"]


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate matrices from coordinate vectors.

    Examples
    --------
    >>> import gamelan as np
    >>> np.meshgrid([1, 2], [3, 4, 5])[0].shape
    (3, 2)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    if any(map(has_own_class, xi)) and not has_distributed(xi):
        return call_numpy(numpy.meshgrid, "meshgrid", xi, {"copy": copy, "sparse": sparse, "indexing": indexing})
    dims = len(xi)
    vectors = [asarray(x).reshape((1,) * axis + (-1,) + (1,) * (dims - axis - 1)) for axis, x in enumerate(xi)]
    if indexing == "xy" and dims > 1:
        vectors[0] = vectors[0].reshape((1, -1) + (1,) * (dims - 2))
        vectors[1] = vectors[1].reshape((-1, 1) + (1,) * (dims - 2))
    if not sparse:
        if copy and not any(map(is_distributed, vectors)):
            vectors = [_stretched(vector, vectors) for vector in vectors]
            return SEVERAL(vectors)
        shape = numpy.broadcast_shapes(*(vector.shape for vector in vectors))
        vectors = [_core.view(vector, numpy.broadcast_to(vector._a, shape)) for vector in vectors]
    return SEVERAL(vector.copy() if copy else vector for vector in vectors)


def _stretched(vector, vectors):
    """A small vector over the whole grid; on the engines when the grid is large."""
    shape = numpy.broadcast_shapes(*(each.shape for each in vectors))
    if math.prod(shape) < _core.threshold():
        return wrap_here(numpy.broadcast_to(vector._a, shape).copy())
    result = filled(shape, vector.dtype, 0)
    result[...] = vector
    return result


def fromfunction(function, shape, *, dtype=float, like=None, **keywords):
    """An array from a function of its indices.

    Examples
    --------
    >>> import gamelan as np
    >>> np.fromfunction(lambda i, j: i + j, (2, 2)).tolist()
    [[0.0, 1.0], [1.0, 2.0]]
    """
    return function(*indices(shape, dtype), **keywords)


def indices(dimensions, dtype=int, sparse=False):
    """The indices of all elements of an array of a shape, one array for each axis.

    Examples
    --------
    >>> import gamelan as np
    >>> np.indices((2, 3)).shape
    (2, 2, 3)
    """
    dimensions = shape_of(tuple(dimensions))
    dims = len(dimensions)
    is_large = math.prod(dimensions) * dims >= _core.threshold() and dims > 0 and min(dimensions) >= 0
    if sparse:
        lines = [line(extent, dtype) for extent in dimensions]
        return tuple(each.reshape((1,) * axis + (-1,) + (1,) * (dims - axis - 1)) for axis, each in enumerate(lines))
    if not is_large:
        return wrap_here(numpy.indices(dimensions, dtype))
    result = filled((dims, *dimensions), numpy.dtype(dtype), 0)
    for axis, extent in enumerate(dimensions):
        result[axis] = line(extent, dtype).reshape((-1,) + (1,) * (dims - axis - 1))
    return result


def line(extent, dtype):
    """0, 1, ... as an array of that dtype, distributed when it is long."""
    if 0 <= extent < _core.threshold() or extent < 0 or numpy.dtype(dtype) == bool:
        return wrap_here(numpy.arange(extent, dtype=dtype))
    return sequence((extent,), numpy.dtype(dtype), numpy.dtype(dtype).type(0), numpy.dtype(dtype).type(1))
