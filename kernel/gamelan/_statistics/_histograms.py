# SPDX-License-Identifier: BSD-3-Clause
"""histogram and histogram_bin_edges. Even bins without weights are counted by the engines in one pass; else a search among
the edges says the bin of each element, and a bincount, weighted or not, counts them."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._folds._bounds import ends_of
from .._folds._counts import counts_of
from .._local import is_distributed, with_numbers
from .._sorting._search import search
from .._ufuncs._where import either
from .._views._reshape import reshape
from ._bin_widths import RULES, number_of_bins
from ._common import document, of_numpy, on_engines, small
from ._counts import even_counts, sums_of

__all__ = ["histogram", "histogram_bin_edges"]


def flags_as_numbers(a):
    """Bools as uint8, as NumPy counts them."""
    return a.astype(numpy.uint8) if a.dtype == bool else a


def bins_of(values, edges):
    """The number of the bin of each value, -1 outside; the last bin has both its edges."""
    dtype = numpy.result_type(values.dtype, edges.dtype)
    index = search(edges[:-1], values, "right", dtype) - 1
    return either(values <= edges[-1], index, -1)


def weighted_counts(index, bins, weights):
    """How often each bin occurs in a flat index, or the sum of the weights, in their dtype."""
    if weights is None:
        return counts_of("bincount", index, bins, (index,))
    dtype = weights.dtype
    if dtype.kind == "c":
        return (sums_of(index, weights.real, bins) + 1j * sums_of(index, weights.imag, bins)).astype(dtype)
    return sums_of(index, weights, bins).astype(dtype)


def _edges(a, bins, limits, weights):
    """The edges as NumPy's array, and whether they are even."""
    bins, limits = with_numbers(bins), with_numbers(limits)
    if isinstance(bins, str):
        if bins not in RULES:
            raise ValueError(f"{bins!r} is not a valid estimator for `bins`")
        if weights is not None:
            raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
        ends = numpy.histogram_bin_edges(_ends(a, limits), 1, limits)
        bins = number_of_bins(bins, a, limits, ends)
    if numpy.ndim(bins) == 0:
        return numpy.histogram_bin_edges(_ends(a, limits), bins, limits), True  # depends on the ends alone; NumPy's errors
    return numpy.histogram_bin_edges(numpy.empty(0, a.dtype), small(bins)), False


def _ends(a, limits):
    return ends_of([on_engines(a)])[0] if limits is None and a.size else numpy.empty(0, a.dtype)


def _flat(a, weights):
    a = asarray(a)
    if a.dtype == bool:
        _core.warn(RuntimeWarning, f"Converting input from {a.dtype} to {numpy.uint8} for compatibility.")
    a = flags_as_numbers(a)
    if a.dtype.kind == "c":
        raise TypeError("the elements of a histogram are real numbers")
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = reshape(weights, (weights.size,))
    return reshape(a, (a.size,)), weights


@document(
    "The histogram of an array.",
    ">>> counts, edges = np.histogram([0.0, 0.2, 1.0], bins=2)\n>>> counts.tolist(), edges.tolist()\n([2, 1], [0.0, 0.5, 1.0])",
    "Triggers evaluation, unless `range` or the edges are given.",
)
@of_numpy
def histogram(a, bins=10, range=None, density=None, weights=None):
    shaped = asarray(a)
    a, weights = _flat(shaped, weights)
    edges, is_even = _edges(a, bins, range, weights)
    if edges.ndim > 1:  # a limit has axes: for NumPy's error, which comes late
        numpy.histogram(numpy.full(1, edges.flat[0]), with_numbers(bins), with_numbers(range))
    count = max(len(edges) - 1, 0)
    if count == 0:
        counts = on_engines(numpy.zeros(0, numpy.intp if weights is None else weights.dtype))
    elif is_even and weights is None:
        counts = even_counts(flags_as_numbers(shaped), edges)
    else:
        counts = weighted_counts(bins_of(on_engines(a), edges), count, weights)
    if density:
        counts = counts / numpy.array(numpy.diff(edges), float) / counts.sum()
    return counts, bins if is_distributed(bins) and bins.ndim else _core.share(edges)


@document(
    "The edges of the bins that `histogram` uses.",
    ">>> np.histogram_bin_edges([0.0, 1.0], bins=2).tolist()\n[0.0, 0.5, 1.0]",
    "Triggers evaluation, unless `range` or the edges are given.",
)
@of_numpy
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    a, weights = _flat(a, weights)
    edges = _edges(a, bins, range, weights)[0]
    return bins if is_distributed(bins) and bins.ndim else _core.share(edges)
