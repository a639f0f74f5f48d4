# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the array-API standard that fold, search, sort and find distinct elements: gamelan's, with the standard's
signatures, its `correction`, `descending`, and its rule that every NaN is a value of its own."""

import builtins
from typing import Any, NamedTuple

from .. import _catalogue as np

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "nonzero",
    "prod",
    "searchsorted",
    "sort",
    "std",
    "sum",
    "take_along_axis",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "var",
]


class UniqueAll(NamedTuple):
    """What `unique_all` answers."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """What `unique_counts` answers."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """What `unique_inverse` answers."""

    values: Any
    inverse_indices: Any


def all(x, /, *, axis=None, keepdims=False, out=None):
    """True where no element over the axes is zero. The standard has no `out`, which xarray passes on."""
    return np.all(x, axis=axis, out=out, keepdims=keepdims)


def any(x, /, *, axis=None, keepdims=False, out=None):
    """True where an element over the axes is not zero. The standard has no `out`, which xarray passes on."""
    return np.any(x, axis=axis, out=out, keepdims=keepdims)


def max(x, /, *, axis=None, keepdims=False):
    """Largest element over axes."""
    return np.max(x, axis=axis, keepdims=keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """Smallest element over axes."""
    return np.min(x, axis=axis, keepdims=keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    """Arithmetic mean over axes."""
    return np.mean(x, axis=axis, keepdims=keepdims)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """Sum over axes."""
    return np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """Product over axes."""
    return np.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Standard deviation over axes; divides by the number of elements less `correction`."""
    return np.std(x, axis=axis, ddof=correction, keepdims=keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Variance over axes; divides by the number of elements less `correction`."""
    return np.var(x, axis=axis, ddof=correction, keepdims=keepdims)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running sums along an axis, behind a zero if asked for.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array_api.cumulative_sum(np.array([1, 2]), include_initial=True).tolist()
    [0, 1, 3]
    """
    return _running("cumulative_sum", np.cumsum, np.zeros, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running products along an axis, behind a one if asked for."""
    return _running("cumulative_prod", np.cumprod, np.ones, x, axis, dtype, include_initial)


def _running(name, function, initial, x, axis, dtype, include_initial):
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"{name}: axis must be given for an array of more than one dimension")
        axis = 0
    result = function(np.atleast_1d(x), axis=axis, dtype=dtype)
    if not include_initial:
        return result
    shape = [1 if place == axis % result.ndim else extent for place, extent in enumerate(result.shape)]
    return np.concatenate([initial(shape, result.dtype), result], axis=axis)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements over axes are not zero."""
    return np.asarray(np.count_nonzero(x, axis=axis, keepdims=keepdims))


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """The n-th differences along an axis."""
    ends = {"prepend": prepend, "append": append}
    return np.diff(x, n, axis, **{name: value for name, value in ends.items() if value is not None})


def take_along_axis(x, indices, /, *, axis=-1):
    """Elements along an axis, by an array of indices."""
    return np.take_along_axis(x, indices, axis)


def argmax(x, /, *, axis=None, keepdims=False):
    """Index of the largest element."""
    return np.argmax(x, axis=axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Index of the smallest element."""
    return np.argmin(x, axis=axis, keepdims=keepdims)


def nonzero(x, /):
    """Indices of the elements that are not zero, an array for each axis."""
    if x.ndim == 0:
        raise ValueError("nonzero: the array needs one axis at least")
    return np.nonzero(x)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where values would go into sorted ones."""
    return np.searchsorted(x1, x2, side=side, sorter=sorter)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The indices that sort the array along an axis. Always stable."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # Backwards twice: equal elements keep their order.
    result = np.flip(np.argsort(np.flip(x, axis=axis), axis=axis, kind="stable"), axis=axis)
    return builtins.max(x.shape[axis] - 1, 0) - result


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in order along an axis. Always stable."""
    result = np.sort(x, axis=axis, kind="stable")
    return np.flip(result, axis=axis) if descending else result


def unique_all(x, /):
    """The distinct elements, where they come first, which one every element is, and how many there are."""
    values, indices, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    return UniqueAll(values, indices, inverse.reshape(x.shape), counts)


def unique_counts(x, /):
    """The distinct elements and how many there are of each."""
    return UniqueCounts(*np.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """The distinct elements and which of them every element is."""
    values, inverse = np.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverse(values, inverse.reshape(x.shape))


def unique_values(x, /):
    """The distinct elements."""
    return np.unique(x, equal_nan=False)
