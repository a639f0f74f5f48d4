# SPDX-License-Identifier: BSD-3-Clause
"""Diagonals as targets of a write and as indices."""

import numpy

from .. import _core
from .._creation._diagonals import diag
from .._creation._from_data import asarray, values_for
from .._creation._ranges import arange
from .._local import is_distributed, write_here
from .._views._reshape import ravel
from ._gather import require_writeable
from ._take_put import first_of, repeated

__all__ = ["diag_indices", "diag_indices_from", "diagflat", "fill_diagonal"]


def fill_diagonal(a, val, wrap=False):
    """Fill the main diagonal of an array in place.

    Examples
    --------
    >>> import gamelan as np
    >>> a = np.zeros((2, 2), int)
    >>> np.fill_diagonal(a, 5)
    >>> a.tolist()
    [[5, 0], [0, 5]]
    """
    if not is_distributed(a):
        write_here(numpy.fill_diagonal, a, first_of(val, a.size), wrap)
        return
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    require_writeable(a)
    rows, columns = a.shape[:2]
    if wrap and a.ndim == 2 and rows > columns + 1:
        a.flat[:: columns + 1] = val
        return
    length = min(a.shape)
    values = ravel(values_for(a.dtype, val))
    if not length or not values.size:
        return
    proxy = numpy.lib.stride_tricks.as_strided(a._a, (length,), (sum(a._a.strides),))
    _core.assign(_core.view(a, proxy), repeated(values, length))


def diag_indices(n, ndim=2):
    """The indices of the main diagonal of an array with equal extents.

    Examples
    --------
    >>> import gamelan as np
    >>> [index.tolist() for index in np.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """The indices of the main diagonal of an array."""
    arr = asarray(arr)
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def diagflat(v, k=0):
    """A matrix with the flattened argument on a diagonal.

    Examples
    --------
    >>> import gamelan as np
    >>> np.diagflat([[1], [2]]).tolist()
    [[1, 0], [0, 2]]
    """
    return diag(ravel(asarray(v)), k)
