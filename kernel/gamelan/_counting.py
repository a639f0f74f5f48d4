# SPDX-License-Identifier: BSD-3-Clause
"""How many elements fall into each bin: bincount and histogram. Every engine counts its own part."""
import operator

import numpy

from . import _core
from ._bounds import extremes
from ._creation import asarray, filled
from ._errors import unimplemented
from ._local import call_numpy, has_distributed, is_distributed, wrap_here
from ._promotion import OPS, dtype_number
from ._reductions import reduce


def _counts(name, array, bins, inputs):
    if array.size == 0 or bins == 0:
        return filled((bins,), numpy.int64, 0)
    number = dtype_number(numpy.int64)
    result = _core.empty((bins,), number, array)
    _core.record(OPS[name], number, result, True, inputs, ())
    return result


def bincount(x, weights=None, minlength=0):
    """How often each non-negative integer occurs. Triggers evaluation: the length depends on the largest.

    Examples
    --------
    >>> import gamelan as np
    >>> np.bincount([0, 2, 2]).tolist()
    [1, 0, 2]

    See Also
    --------
    numpy.bincount
    """
    x = asarray(x)
    if not has_distributed((x, weights)):
        return call_numpy(numpy.bincount, "bincount", (x,), {"weights": weights, "minlength": minlength})
    if weights is not None:
        raise unimplemented("bincount(weights=...)")
    if x.ndim != 1:
        raise ValueError(f"object {'too deep' if x.ndim else 'of too small depth'} for desired array")
    if not numpy.can_cast(x.dtype, numpy.intp, "safe"):
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to {numpy.dtype(numpy.intp)!r} according to the rule 'safe'")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size == 0:
        return _counts("bincount", x, minlength, (x,))
    low, high = extremes(x)
    if low < 0:
        raise ValueError("'list' argument must have no negative elements")
    return _counts("bincount", x, max(high + 1, minlength), (x,))


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements lie in each of some bins of equal width, and the edges of the bins.

    Triggers evaluation when `range` is not given. Bins of other widths and weights are for arrays that are here.

    Examples
    --------
    >>> import gamelan as np
    >>> counts, edges = np.histogram([0.0, 0.2, 1.0], bins=2)
    >>> counts.tolist(), edges.tolist()
    ([2, 1], [0.0, 0.5, 1.0])

    See Also
    --------
    numpy.histogram
    """
    a = asarray(a)
    if not is_distributed(a):
        keywords = {"range": range, "density": density, "weights": weights}
        return call_numpy(numpy.histogram, "histogram", (a, bins), keywords)
    if weights is not None or isinstance(bins, str) or numpy.ndim(bins):
        raise unimplemented("histogram with weights, or bins that are not a number")
    if a.dtype.kind in "c":
        raise unimplemented("histogram of complex numbers")
    ends = numpy.empty(0, a.dtype)
    if range is None and a.size:
        flags = a.astype("u1") if a.dtype == bool else a
        ends = numpy.array([value[()] for value in _core.fetch([reduce("min", flags), reduce("max", flags)])], a.dtype)
    edges = numpy.histogram(ends, bins, range)[1]  # the edges depend on the ends only; and NumPy's errors
    flags = a.astype("u1") if a.dtype == bool else a
    counts = _counts("histogram", a, len(edges) - 1, (flags, edges.astype(numpy.float64)))
    if density:
        return counts / numpy.diff(edges) / counts.sum(), wrap_here(edges)
    return counts, wrap_here(edges)
