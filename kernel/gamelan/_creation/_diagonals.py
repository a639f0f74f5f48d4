# SPDX-License-Identifier: BSD-3-Clause
"""Matrices made of a diagonal: eye, identity, diag. A diagonal that is to be written is a view that NumPy does not give away."""

import operator

import numpy

from .. import _core
from .._local import is_distributed, wrap
from ._filled import filled, is_large, zeros
from ._from_data import asarray

__all__ = ["diag", "eye", "identity"]


def eye(N, M=None, k=0, dtype=float, order="C", *, like=None):
    """A matrix with ones on a diagonal and zeros elsewhere."""
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    if not is_large((rows, columns), dtype):
        return wrap(numpy.eye(N, M, k, dtype, order))
    result = zeros((N, N if M is None else M), dtype, order)
    if k >= columns:
        return result
    k = operator.index(k)
    diagonal = result._a[:, k:] if k >= 0 else result._a[-k:]
    if min(diagonal.shape) > 0:
        _core.assign(_core.view(result, _writable_diagonal(diagonal)), 1)
    return result


def _writable_diagonal(matrix):
    """NumPy's diagonal view, but writable: strides of both axes added."""
    extent = min(matrix.shape)
    return numpy.lib.stride_tricks.as_strided(matrix, (extent,), (sum(matrix.strides),))


def identity(n, dtype=None, *, like=None):
    """The identity matrix."""
    return eye(n, dtype=float if dtype is None else dtype)


def diag(v, k=0):
    """Extract a diagonal of a matrix, or make a matrix with this diagonal.

    An extracted diagonal is a read-only view. Lazy.
    """
    v = asarray(v)
    if v.ndim == 2:
        return v.diagonal(k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    extent = operator.index(v.shape[0] + abs(k))
    if not is_distributed(v) and not is_large((extent, extent), v.dtype):
        return wrap(numpy.diag(v._a, k))
    k = operator.index(k)
    result = filled((extent, extent), v.dtype, 0)
    diagonal = result._a[:, k:] if k >= 0 else result._a[-k:]
    _core.assign(_core.view(result, _writable_diagonal(diagonal)), v)
    return result
