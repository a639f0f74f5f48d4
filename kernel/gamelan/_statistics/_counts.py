# SPDX-License-Identifier: BSD-3-Clause
"""How often each number occurs, or the sum of the weights where it does: bincount. Counts add exactly, so every engine
counts its part. Sums of weights are added up in an order that the lengths decide, never the number of engines: in
segments with a table for each when there are few bins, else one after the other, as NumPy does it."""

import numpy

from .. import _core
from .._arguments import whole
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._folds._bounds import extremes
from .._folds._counts import counts_of
from .._imported_numpy import NONE_IS_A_COUNT, WIDE_INDICES
from .._promotion import OPS, dtype_number
from .._ufunc_methods._at import put_rows
from .._ufuncs._where import either
from ._common import document, of_numpy, on_engines

__all__ = ["bincount"]

_FEW_BINS = 4096
_MOST_SEGMENTS = 1024
_FULL = 8  # elements of a segment for each bin, at least: its table is filled and added, too


def even_counts(array, edges):
    """How many elements lie in each of some bins of the same width."""
    array = on_engines(array)
    return counts_of("histogram", array, len(edges) - 1, (array, edges.astype(numpy.float64)))


def sums_of(numbers, weights, bins, are_inside=False):
    """The sum of the weights of each number 0 <= b < bins, float64; other numbers are left out, unless `are_inside` says that
    there are none."""
    size = numbers.size
    if size == 0 or bins == 0:
        return filled((bins,), numpy.float64, 0)
    if bins > _FEW_BINS and 64 * bins > size:
        return _sums_in_order(numbers, weights, bins, are_inside)
    segments = max(1, min(size // (_FULL * bins), size // 4096, _MOST_SEGMENTS))
    result = _core.empty((bins,), dtype_number(numpy.float64), on_engines(numbers))
    inputs = (on_engines(numbers), on_engines(weights))
    _core.record(OPS["weighted_bincount"], dtype_number(numpy.float64), result, True, inputs, (segments,))
    return result


def _sums_in_order(numbers, weights, bins, are_inside):
    """The same for many bins: one addition after the other, with NumPy's bits."""
    if not are_inside:
        numbers = either((numbers >= 0) & (numbers < bins), numbers, bins)  # a last bin of what is left out
    sums = filled((bins if are_inside else bins + 1,), numpy.float64, 0)
    weights = on_engines(weights)
    weights = weights if weights.dtype == numpy.float64 else weights.astype(numpy.float64)
    put_rows("add", sums, on_engines(numbers), weights)
    return sums if are_inside else sums[:bins]


@document(
    "Count how often each non-negative integer occurs.",
    ">>> np.bincount([0, 2, 2]).tolist()\n[1, 0, 2]",
    "Triggers evaluation: the extent of the result depends on the data.",
)
@of_numpy
def bincount(x, weights=None, minlength=0):
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError(f"object {'too deep' if x.ndim else 'of too small depth'} for desired array")
    if not numpy.can_cast(x.dtype, numpy.intp, "same_kind" if WIDE_INDICES and x.dtype.kind == "u" else "safe"):
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to {numpy.dtype(numpy.intp)!r} according to the rule 'safe'")
    if minlength is None and NONE_IS_A_COUNT:
        _core.warn(DeprecationWarning, "0 should be passed as minlength instead of None")
        minlength = 0
    minlength = whole(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is not None:
        weights = asarray(weights)
        if weights.ndim != 1:
            raise ValueError(f"object {'too deep' if weights.ndim else 'of too small depth'} for desired array")
        if not numpy.can_cast(weights.dtype, numpy.float64, "safe"):
            raise TypeError(
                f"Cannot cast array data from {weights.dtype!r} to {numpy.dtype(float)!r} according to the rule 'safe'"
            )
        if weights.size != x.size:
            raise ValueError("The weights and list don't have the same length.")
    x = on_engines(x)
    low, high = extremes(x)
    if low < 0:
        raise ValueError("'list' argument must have no negative elements")
    bins = max(high + 1, minlength)
    return counts_of("bincount", x, bins, (x,)) if weights is None else sums_of(x, weights, bins, True)
