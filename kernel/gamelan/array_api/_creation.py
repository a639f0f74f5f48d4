# SPDX-License-Identifier: BSD-3-Clause
"""Arrays from nothing and from other objects, with the standard's signatures: gamelan's functions, which decide by size
where the array lives. `device` is accepted where it names the only one."""

import builtins

import numpy

from .. import _catalogue as np
from .. import _core
from .._arguments import check_device

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of numbers, sequences, or another array; the same array unless dtype or `copy` ask for another.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array_api.asarray([1, 2]).tolist()
    [1, 2]
    """
    check_device(device)
    if copy is False:
        result = np.asarray(obj, dtype=dtype)
        if not isinstance(obj, (_core.Array, numpy.ndarray)) or _core.is_ours(obj) and result is not obj:
            raise ValueError("asarray(copy=False): this needs a copy")
        if isinstance(obj, numpy.ndarray) and not np.shares_memory(result, obj):
            raise ValueError("asarray(copy=False): this needs a copy")
        return result
    return np.array(obj, dtype=dtype) if copy else np.asarray(obj, dtype=dtype)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Evenly spaced numbers of an interval. See `gamelan.arange`."""
    check_device(device)
    return np.arange(0, start, step, dtype) if stop is None else np.arange(start, stop, step, dtype)


def empty(shape, *, dtype=None, device=None):
    """An array whose elements nobody has set."""
    check_device(device)
    return np.empty(shape, dtype)


def zeros(shape, *, dtype=None, device=None):
    """An array of zeros."""
    check_device(device)
    return np.zeros(shape, dtype)


def ones(shape, *, dtype=None, device=None):
    """An array of ones."""
    check_device(device)
    return np.ones(shape, dtype)


def full(shape, fill_value, *, dtype=None, device=None):
    """An array of one value."""
    check_device(device)
    return np.full(shape, fill_value, dtype)


def empty_like(x, /, *, dtype=None, device=None):
    """An array of the shape of another, whose elements nobody has set."""
    check_device(device)
    return np.empty_like(x, dtype=dtype)


def zeros_like(x, /, *, dtype=None, device=None):
    """An array of zeros of the shape of another."""
    check_device(device)
    return np.zeros_like(x, dtype=dtype)


def ones_like(x, /, *, dtype=None, device=None):
    """An array of ones of the shape of another."""
    check_device(device)
    return np.ones_like(x, dtype=dtype)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """An array of one value, of the shape of another."""
    check_device(device)
    return np.full_like(x, fill_value, dtype=dtype)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on a diagonal, zeros elsewhere."""
    check_device(device)
    return np.eye(n_rows, n_cols, k, builtins.float if dtype is None else dtype)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """Evenly spaced numbers of an interval, its ends included."""
    check_device(device)
    return np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)


def meshgrid(*arrays, indexing="xy"):
    """Coordinate matrices from coordinate vectors."""
    return list(np.meshgrid(*arrays, indexing=indexing))


def tril(x, /, *, k=0):
    """The lower triangle; zeros above the k-th diagonal."""
    return np.tril(x, k)


def triu(x, /, *, k=0):
    """The upper triangle; zeros below the k-th diagonal."""
    return np.triu(x, k)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array of an object that speaks DLPack. See `gamelan.from_dlpack`."""
    check_device(device)
    result = np.from_dlpack(x)
    return result.copy() if copy else result
