# SPDX-License-Identifier: BSD-3-Clause
"""interp: the engines take real values from the lines between the points, of which each has a copy. Complex ones, and those of
very many points, take a search and then the line through the two points around each x."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._indexing._gather import distributed
from .._indexing._gather import take_along as take_inside
from .._indexing._take_put import take
from .._local import as_value, is_distributed, unwrap
from .._promotion import OPS, dtype_number
from .._sorting._search import LONGEST_COPY, search
from .._sorting._sort import argsort
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._join import concatenate
from .._views._reshape import reshape
from ._common import cast, document, of_numpy, on_engines

__all__ = ["interp"]

_FLOAT, _COMPLEX = numpy.dtype(float), numpy.dtype(complex)


def _wrapped(x, xp, fp, period):
    """The points within one period, rising, with one more at each end."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length")
    period = abs(period)
    x, xp = x % period, xp % period
    order = argsort(xp)
    xp, fp = take(xp, order), take(fp, order)
    return x, concatenate((xp[-1:] - period, xp, xp[:1] + period)), concatenate((fp[-1:], fp, fp[:1]))


@document(
    "One-dimensional linear interpolation.",
    ">>> np.interp([0.5, 2.0], [0, 1], [10, 20]).tolist()\n[15.0, 20.0]",
)
@of_numpy
def interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = (on_engines(part) for part in (x, xp, fp))
    for part in (x, xp):
        if part.dtype.kind == "c":
            raise TypeError(f"Cannot cast array data from {part.dtype!r} to {_FLOAT!r} according to the rule 'safe'")
    dtype = _COMPLEX if fp.dtype.kind == "c" else _FLOAT
    xp, fp = cast(xp, _FLOAT), cast(fp, dtype)
    if period is not None:
        x, xp, fp = _wrapped(cast(x, _FLOAT), xp, fp, period)
        left = right = None
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if max(xp.ndim, fp.ndim) > 1 else "object of too small depth for desired array"
        )
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if dtype == _FLOAT and 1 < xp.size <= LONGEST_COPY and x.size:
        result = _between(x, xp, fp)
        return as_value(result if left is None and right is None else _within(result, x, xp, fp, left, right))
    x = cast(x, _FLOAT)
    result = reshape(_values(reshape(x, (x.size,)), xp, fp), x.shape) if xp.size > 1 else fp[0]
    at_end = either(x == xp[-1], fp[-1], result)  # the last of equal points, as NumPy has it
    result = _within(at_end, x, xp, fp, left, right)
    return as_value(cast(result if xp.size == 1 else either(x != x, x, result), dtype))


def _outside(side, dtype):
    """What is given for points beyond the ends: a number of the dtype of the result, or NumPy's TypeError."""
    if is_distributed(side) and not side.ndim and side.dtype.kind != "c":
        return side
    return numpy.interp(0.0, [1.0], numpy.ones(1, dtype), left=unwrap(side))


def _between(x, xp, fp):
    row = distributed(reshape(x, (x.size,)))
    result = _core.empty(row.shape, dtype_number(_FLOAT), row)
    _core.record(OPS["interpolate"], dtype_number(_FLOAT), result, True, (distributed(xp), distributed(fp), row), ())
    return _core.reshape_view(result, x.shape)


def _within(result, x, xp, fp, left, right):
    """With values for x beyond the ends. Where both ends are passed, because the points do not rise, the right one counts."""
    left, right = (fp[at] if side is None else _outside(side, fp.dtype) for side, at in ((left, 0), (right, -1)))
    return either(x > xp[-1], right, either(x < xp[0], left, result))


def _values(row, xp, fp):
    """Values on the lines; both parts of complex ones by themselves, as one may be infinite where the other is not."""
    place = PUBLIC["minimum"](PUBLIC["maximum"](search(xp, row, "right", _FLOAT) - 1, 0), xp.size - 2)
    if fp.dtype != _COMPLEX:
        return _on_lines(row, place, xp, fp, (fp[1:] - fp[:-1]) / (xp[1:] - xp[:-1]))
    result = filled(row.shape, _COMPLEX, 0)
    inverse = 1.0 / (xp[1:] - xp[:-1])
    result.real, result.imag = (_on_lines(row, place, xp, part, (part[1:] - part[:-1]) * inverse) for part in (fp.real, fp.imag))
    return result


def _on_lines(row, place, xp, fp, slopes):
    """Values on the line that begins at each `place`; what lies outside is taken care of by the caller. As NumPy has it: where
    the point on the left gives NaN (infinite values), the one on the right is tried, then equal values speak for themselves."""
    slope, x0, y0 = (take_inside(part, place, 0) for part in (slopes, xp, fp))
    x1, y1 = (take_inside(part, place + 1, 0) for part in (xp, fp))
    result = slope * (row - x0) + y0
    again = slope * (row - x1) + y1
    again = either((again != again) & (y0 == y1), y0, again)
    result = either(result != result, again, result)
    return either(row == x0, y0, either(row == x1, y1, result))
