# SPDX-License-Identifier: BSD-3-Clause
"""Differences of neighbours: diff, ediff1d and trapezoid. Views shifted against each other, so each is one fused pass."""

import operator

import numpy

from .._arguments import axis_of
from .._creation._from_data import asarray
from .._imported_numpy import normalize_axis_index, numpys
from .._ufuncs._objects import PUBLIC
from .._views._join import concatenate
from .._views._plain import broadcast_to
from .._views._reshape import reshape
from ._common import document, of_numpy, stored, unset

__all__ = ["diff", "ediff1d", "trapezoid", "trapz"]


def along(axis, part):
    """The key of a part of one axis."""
    return (slice(None),) * axis + (part,)


def _beside(a, values, axis):
    values = asarray(values)
    return broadcast_to(values, a.shape[:axis] + (1,) + a.shape[axis + 1 :]) if values.ndim == 0 else values


@document("The n-th discrete differences along an axis.", ">>> np.diff([1, 2, 4]).tolist()\n[1, 2]")
@of_numpy
def diff(a, n=1, axis=-1, prepend=unset, append=unset):
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    parts = [a]
    if prepend is not unset:
        parts.insert(0, _beside(a, prepend, axis))
    if append is not unset:
        parts.append(_beside(a, append, axis))
    a = concatenate(parts, axis) if len(parts) > 1 else a
    subtract = PUBLIC["not_equal"] if a.dtype == bool else operator.sub
    for _ in range(n):
        a = subtract(a[along(axis, slice(1, None))], a[along(axis, slice(None, -1))])
    return a


@document("The differences between consecutive elements of the flattened array.", ">>> np.ediff1d([1, 2, 4]).tolist()\n[1, 2]")
@of_numpy
def ediff1d(ary, to_end=None, to_begin=None):
    ary = asarray(ary)
    ary = reshape(ary, (ary.size,))
    parts = [ary[1:] - ary[:-1]] if ary.size > 1 else [ary[:0]]
    for name, value, place in (("to_begin", to_begin, 0), ("to_end", to_end, len(parts) + 1)):
        if value is None:
            continue
        value = asarray(value)
        if not numpy.can_cast(value.dtype if value.ndim else numpy.asarray(value), ary.dtype, casting="same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        parts.insert(place, reshape(value, (value.size,)).astype(ary.dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


@document(
    "The integral along an axis by the trapezoidal rule.", f">>> float(np.{numpys('trapezoid').__name__}([1.0, 2.0, 4.0]))\n4.5"
)
@of_numpy
def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = asarray(y)
    axis = axis_of(axis, y.ndim)
    if x is None:
        widths = dx
    else:
        x = asarray(x)
        widths = asarray(diff(x, axis=-1 if x.ndim == 1 else axis))
        if x.ndim == 1:
            widths = reshape(widths, (-1,) + (1,) * (y.ndim - axis - 1))
    heights = y[along(axis, slice(1, None))] + y[along(axis, slice(None, -1))]
    return stored((widths * heights / 2.0).sum(axis), None)


trapz = trapezoid  # its name in NumPy 1
trapezoid.__name__ = trapezoid.__qualname__ = numpys("trapezoid").__name__
