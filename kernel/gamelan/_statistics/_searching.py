# SPDX-License-Identifier: BSD-3-Clause
"""searchsorted and digitize."""

import operator

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._folds._bounds import extremes
from .._indexing._take_put import take
from .._local import as_value, is_distributed
from .._sorting._search import search
from ._common import document, of_numpy, on_engines

__all__ = ["digitize", "searchsorted"]


def check_side(side):
    """NumPy's word for a side."""
    if isinstance(side, bytes):
        side = side.decode()
    if not isinstance(side, str):
        raise TypeError("search side must be a string")
    if side not in ("left", "right"):
        if side[:1].lower() in ("l", "r"):
            return "left" if side[0].lower() == "l" else "right"
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    return side


@document(
    "The indices at which elements are to be inserted so that a sorted array stays sorted.",
    ">>> np.searchsorted([1, 3, 5], [3, 4]).tolist()\n[1, 2]",
    "Lazy, but `sorter` triggers evaluation, to check its indices.",
)
@of_numpy
def searchsorted(a, v, side="left", sorter=None):
    a, v, side = asarray(a), asarray(v), check_side(side)
    if a.ndim != 1:
        raise ValueError("object too deep for desired array" if a.ndim else "object of too small depth for desired array")
    if sorter is not None:
        sorter = asarray(sorter)
        if sorter.dtype.kind not in "biu":
            raise TypeError("sorter must only contain integers")
        if sorter.shape != a.shape:
            raise ValueError("sorter.size must equal a.size")
        if sorter.size:
            low, high = extremes(on_engines(sorter.astype(numpy.intp)))
            if low < 0 or high >= a.size:
                raise ValueError("Sorter index out of range.")
        a = take(a, sorter)
    return as_value(search(a, v, side, numpy.result_type(a.dtype, v.dtype)))


@document(
    "The index of the bin of each element.",
    ">>> np.digitize([0.2, 6.4], [0, 1, 2.5]).tolist()\n[1, 3]",
    "Triggers evaluation when `bins` is distributed, to check that it is monotonic. Otherwise lazy.",
)
@of_numpy
def digitize(x, bins, right=False):
    x, bins = asarray(x), asarray(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        raise TypeError(f"Cannot cast array data from {bins.dtype!r} to {numpy.dtype(float)!r} according to the rule 'safe'")
    if bins.ndim != 1:
        raise ValueError("object too deep for desired array" if bins.ndim else "object of too small depth for desired array")
    side = "left" if operator.truth(right) else "right"
    if _direction(bins) < 0:
        return as_value(bins.size - search(bins[::-1], x, side, numpy.result_type(bins.dtype, x.dtype)))
    return as_value(search(bins, x, side, numpy.result_type(bins.dtype, x.dtype)))


def _direction(bins):
    """1 for edges that rise or are equal, -1 for falling ones. One round trip when they live on the engines."""
    if bins.size < 2:
        return 1
    before, after = bins[:-1], bins[1:]
    flags = [(before < after).any(), (before > after).any(), (before == after).all(), (bins != bins).any()]
    rises, falls, is_flat, has_nan = _core.fetch(flags) if is_distributed(bins) else map(bool, flags)
    rises_first = rises or is_flat
    if has_nan and not is_flat:  # the first two that differ decide, as NumPy has it: NaN falls, and is fallen to
        first = int((before != after).argmax())
        rises_first = bool(before[first] < after[first])
    if falls if rises_first else rises:
        raise ValueError("bins must be monotonically increasing or decreasing")
    return 1 if rises_first else -1
