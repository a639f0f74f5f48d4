# SPDX-License-Identifier: BSD-3-Clause
"""histogramdd and histogram2d: the bins of the coordinates make one number for each point, which bincount counts."""

import numpy

from .. import _core
from .._creation._from_data import asarray
from .._folds._bounds import ends_of
from .._local import has_distributed
from .._ufuncs._where import either
from ._common import document, of_numpy, on_engines, small
from ._histograms import bins_of, flags_as_numbers, weighted_counts

__all__ = ["histogram2d", "histogramdd"]

_NOTE = "Triggers evaluation, unless `range` or the edges are given."


def _columns(sample):
    """The coordinates of all points, an array for each dimension."""
    if isinstance(sample, (list, tuple)):
        arrays = [asarray(column) for column in sample]
        if not arrays or any(column.shape != arrays[0].shape or column.ndim != 1 for column in arrays):
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
        return arrays
    sample = asarray(sample)
    if sample.ndim == 1:
        return [sample]
    if sample.ndim != 2:
        raise ValueError("too many values to unpack (expected 2)")
    return [sample[:, k] for k in range(sample.shape[1])]


@document("The multidimensional histogram of points.", "", _NOTE)
@of_numpy
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    columns = [on_engines(flags_as_numbers(column)) for column in _columns(sample)]
    dims = len(columns)
    bins = (
        [small(each) if has_distributed((each,)) else each for each in bins]
        if isinstance(bins, (list, tuple))
        else (small(bins) if has_distributed((bins,)) else bins)
    )
    # The edges depend on the extremes of each coordinate alone: NumPy makes them, and finds what is wrong.
    ends = numpy.zeros((0, dims))
    if range is None or any(limits is None for limits in range):
        ends = numpy.stack([pair.astype(numpy.float64) for pair in ends_of(columns)], axis=1)
    edges = numpy.histogramdd(ends, bins, range)[1]
    index, is_outside = 0, False
    for column, marks in zip(columns, edges):
        place = bins_of(column, numpy.asarray(marks))
        index = index * (len(marks) - 1) + place
        is_outside = is_outside | (place < 0)
    shape = tuple(len(marks) - 1 for marks in edges)
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != columns[0].shape:
            raise ValueError("The weights and list don't have the same length.")
        if weights.dtype.kind == "c":
            raise TypeError(
                f"Cannot cast array data from {weights.dtype!r} to {numpy.dtype(float)!r} according to the rule 'safe'"
            )
    total = weighted_counts(
        either(is_outside, -1, index), int(numpy.prod(shape)), None if weights is None else weights.astype(numpy.float64)
    )
    total = total.astype(numpy.float64).reshape(shape)
    if density:
        whole = total.sum()
        for axis, marks in enumerate(edges):
            total = total / numpy.diff(marks).reshape((-1,) + (1,) * (dims - axis - 1))
        total = total / whole
    return total, [_core.share(numpy.asarray(marks)) for marks in edges]


@document("The two-dimensional histogram of points.", "", _NOTE)
@of_numpy
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if isinstance(bins, (list, tuple)) or numpy.ndim(bins) > 0:
        if len(bins) not in (1, 2):
            bins = [small(bins)] * 2
    total, edges = histogramdd([asarray(x), asarray(y)], bins, range, density, weights)
    return total, edges[0], edges[1]
