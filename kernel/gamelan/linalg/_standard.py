# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy 2 took over from the array-API standard into numpy.linalg: matrices are the last two axes, vectors the last."""

import math

import numpy

from .._creation._from_data import asarray
from .._imported_numpy import normalize_axis_tuple
from .._views._plain import diagonal as diagonal_between
from .._views._plain import swapaxes, transpose
from .._views._reshape import ravel, reshape
from . import _products, _tensor_products, _vector_products
from ._norms import norm
from ._singular import svd

_NAMES = "cross diagonal matmul matrix_norm matrix_transpose outer svdvals tensordot trace vecdot vector_norm".split()
__all__ = [name for name in _NAMES if hasattr(numpy.linalg, name)]


def outer(x1, x2, /):
    """Products of all pairs of elements of two vectors."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are {x1.ndim=} and {x2.ndim=}.")
    return _products.outer(x1, x2)


def trace(x, /, *, offset=0, dtype=None):
    """Sums along the diagonals of the matrices."""
    return _products.trace(x, offset, -2, -1, dtype)


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices, a view."""
    return diagonal_between(x, offset, -2, -1)


def cross(x1, x2, /, *, axis=-1):
    """Vector products along an axis of extent 3."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return _tensor_products.cross(x1, x2, axis=axis)


def matmul(x1, x2, /):
    """The matrix product, broadcast over the leading axes."""
    return _products.matmul(x1, x2)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over pairs of axes."""
    return _tensor_products.tensordot(x1, x2, axes)


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of products along an axis, the first factor conjugated."""
    return _vector_products.vecdot(x1, x2, axis=axis)


def matrix_transpose(x, /):
    """The last two axes exchanged, a view."""
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return swapaxes(x, -1, -2)


def svdvals(x, /):
    """The singular values of matrices.

    Lazy.
    """
    return svd(x, compute_uv=False)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices.

    Lazy, but orders 2, -2 and "nuc" need the singular values, which triggers evaluation.

    Returns
    -------
    ndarray or scalar
    """
    return norm(x, ord, (-2, -1), keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors, whose elements may lie along several axes.

    Returns
    -------
    ndarray or scalar
    """
    x = asarray(x)
    shape = x.shape
    axes = normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    if axis is None:
        x, axis = ravel(x), 0
    elif isinstance(axis, tuple):
        rest = tuple(each for each in range(x.ndim) if each not in axes)
        flat = (math.prod(shape[each] for each in axes), *(shape[each] for each in rest))
        x, axis = reshape(transpose(x, axes + rest), flat), 0
    result = norm(x, ord, axis)
    return reshape(result, tuple(1 if place in axes else extent for place, extent in enumerate(shape))) if keepdims else result
