# SPDX-License-Identifier: BSD-3-Clause
"""Triangles of matrices. Whether an element belongs to one is a comparison of its row and its column, made where it lies.
NumPy counts both by `arange` of whole numbers, also from a k that is none: its own function then counts here."""

import numpy


from .. import _core
from .._creation._filled import ones
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._imported_numpy import least_integer
from .._local import call_numpy, is_distributed, with_numbers, wrap_here
from .._promotion import OPS, dtype_number
from ._gather import distributed
from ._nonzero import nonzero

__all__ = ["mask_indices", "tri", "tril", "tril_indices", "tril_indices_from", "triu", "triu_indices", "triu_indices_from"]


def _count(start, stop):
    """The numbers of rows or of columns: a range, or what NumPy makes of arguments that are no whole numbers of Python."""
    if type(start) is int and type(stop) is int and -(2**63) <= start and stop < 2**63:
        return range(start, stop)
    return numpy.arange(start, stop, dtype=least_integer(start, stop))


def _there(numbers):
    return distributed(arange(numbers.start, numbers.stop) if isinstance(numbers, range) else numbers)


def _is_below(rows, columns):
    """A distributed matrix of bools: true where the number of the row is the column's or more."""
    return _core.evaluate(OPS["greater_equal"], _there(rows)[:, None], _there(columns))


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """A matrix with ones at and below a diagonal, and zeros elsewhere.

    Examples
    --------
    >>> import gamelan as np
    >>> np.tri(2, 3, dtype=int).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    M = N if M is None else M
    k = with_numbers(k)
    rows, columns = _count(0, N), _count(-k, M - k)
    if len(rows) * len(columns) < _core.threshold():
        return wrap_here(numpy.tri(N, M, k, dtype))
    return _is_below(rows, columns).astype(dtype, copy=False)


def _triangle(m, k, is_lower):
    number = dtype_number(m.dtype)
    rows, columns = m.shape[-2:] if m.ndim > 1 else m.shape * 2
    k = k if is_lower else k - 1
    below, zero = _is_below(_count(0, rows), _count(-k, columns - k)), numpy.zeros((), m.dtype)
    return _core.apply(OPS["where"], number, number, (below, m, zero) if is_lower else (below, zero, m), None)


def tril(m, k=0):
    """A copy with zeros above a diagonal.

    Examples
    --------
    >>> import gamelan as np
    >>> np.tril([[1, 2], [3, 4]]).tolist()
    [[1, 0], [3, 4]]
    """
    m = asarray(m)
    if not is_distributed(m) or m.ndim == 0:
        return call_numpy(numpy.tril, "tril", (m if m.ndim else numpy.zeros(()), k), {})
    return _triangle(m, k, True)


def triu(m, k=0):
    """A copy with zeros below a diagonal.

    Examples
    --------
    >>> import gamelan as np
    >>> np.triu([[1, 2], [3, 4]]).tolist()
    [[1, 2], [0, 4]]
    """
    m = asarray(m)
    if not is_distributed(m) or m.ndim == 0:
        return call_numpy(numpy.triu, "triu", (m if m.ndim else numpy.zeros(()), k), {})
    return _triangle(m, k, False)


def tril_indices(n, k=0, m=None):
    """The indices of the elements at and below a diagonal of a matrix.

    A distributed result triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> [index.tolist() for index in np.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return nonzero(tri(n, m, k, bool))


def triu_indices(n, k=0, m=None):
    """The indices of the elements at and above a diagonal of a matrix.

    A distributed result triggers evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> [index.tolist() for index in np.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return nonzero(~tri(n, m, k - 1, bool))


def tril_indices_from(arr, k=0):
    """The indices of the elements at and below a diagonal of this matrix.

    A distributed result triggers evaluation.
    """
    rows, columns = _extents_of(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr, k=0):
    """The indices of the elements at and above a diagonal of this matrix.

    A distributed result triggers evaluation.
    """
    rows, columns = _extents_of(arr)
    return triu_indices(rows, k, columns)


def _extents_of(arr):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape


def mask_indices(n, mask_func, k=0):
    """The indices of the elements that a function such as `triu` does not set to zero.

    Triggers evaluation when the result is distributed: its extent depends on the data.

    Examples
    --------
    >>> import gamelan as np
    >>> [index.tolist() for index in np.mask_indices(2, np.triu)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return nonzero(mask_func(ones((n, n), int), k) != 0)
