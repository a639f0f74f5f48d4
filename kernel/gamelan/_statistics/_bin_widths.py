# SPDX-License-Identifier: BSD-3-Clause
"""How wide the bins of a histogram are when a rule is named: 'auto', 'fd', 'scott' ... The rules are the textbooks'
(Freedman and Diaconis 1981, Scott 1979, Doane 1976, Stone 1984); what they need of the data are a few folds."""

import numpy

from .. import _core
from .._imported_numpy import WHOLE_BINS
from .._ufuncs._where import either
from ._counts import even_counts
from ._nan_folds import nanmax, nanmean, nanmin, nanstd
from ._quantiles import nanpercentile

RULES = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")


def _fetch(*values):
    return [value[()] if value.ndim == 0 else value for value in _core.fetch(list(values))]


class Sample:
    """What the rules ask of a flat array of real numbers: its elements within `limits`, the others do not count."""

    def __init__(self, a, limits):
        if limits is not None:
            inside = (a >= limits[0]) & (a <= limits[1])
            count, size = int(inside.sum()), a.size
            if count < size:
                a = either(inside, a.astype(numpy.float64), numpy.nan)
            self.size = count
        else:
            self.size = a.size
        self.a = a
        if self.size:
            low, high = _fetch(nanmin(a), nanmax(a))
            self.extent = numpy.subtract(high, low) if a.dtype.kind == "f" else numpy.subtract(int(high), int(low))


def _sturges(sample, limits):
    return sample.extent / (numpy.log2(sample.size) + 1.0)


def _fd(sample, limits):
    (quartiles,) = _fetch(nanpercentile(sample.a, [75, 25]))
    return 2.0 * (quartiles[0] - quartiles[1]) * sample.size ** (-1.0 / 3.0)


def _scott(sample, limits):
    (deviation,) = _fetch(nanstd(sample.a))
    return (24.0 * numpy.pi**0.5 / sample.size) ** (1.0 / 3.0) * deviation


def _auto(sample, limits):
    return min(_fd(sample, limits) or numpy.inf, _sturges(sample, limits))


def _doane(sample, limits):
    if sample.size <= 2:
        return 0.0
    n = sample.size
    (deviation, center) = _fetch(nanstd(sample.a), nanmean(sample.a))
    if not deviation > 0.0:
        return 0.0
    (skew,) = _fetch(nanmean(((sample.a - center) / deviation) ** 3))
    spread = numpy.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return sample.extent / (1.0 + numpy.log2(n) + numpy.log2(1.0 + numpy.absolute(skew) / spread))


def _stone(sample, limits):
    n, extent = sample.size, sample.extent
    if n <= 1 or extent == 0:
        return 0
    most = max(100, int(numpy.sqrt(n)))
    nothing = numpy.empty(0, sample.a.dtype)
    edges = (numpy.histogram_bin_edges(nothing, bins, limits) for bins in range(1, most + 1))
    squares = [((even_counts(sample.a, each) / n) ** 2).sum() for each in edges]
    width = extent / numpy.arange(1, most + 1)
    costs = (2 - (n + 1) * numpy.array(_fetch(*squares))) / width
    return width[int(numpy.argmin(costs))]


_WIDTHS = {
    "auto": _auto,
    "doane": _doane,
    "fd": _fd,
    "rice": lambda sample, limits: sample.extent / (2.0 * sample.size ** (1.0 / 3)),
    "scott": _scott,
    "sqrt": lambda sample, limits: sample.extent / numpy.sqrt(sample.size),
    "stone": _stone,
    "sturges": _sturges,
}


def number_of_bins(rule, a, limits, ends):
    """How many bins a rule wants between two ends; `limits` are the caller's `range`. Triggers evaluation."""
    sample = Sample(a, limits)
    if sample.size == 0:
        return 1
    width = _WIDTHS[rule](sample, ends)
    if WHOLE_BINS and a.dtype.kind in "iu" and 0 < width < 1:
        width = 1
    return int(numpy.ceil((ends[1] - ends[0]) / width)) if width else 1
