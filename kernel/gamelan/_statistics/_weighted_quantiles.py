# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles of elements that have weights, as NumPy 2 computes them: the elements of each line are sorted, their weights are
added up in that order, and the quantile is the first element at which the sum reaches its part of the whole."""

import numpy

from .._creation._filled import filled
from .._creation._from_data import asarray
from .._folds._reductions import reduce
from .._folds._scans import cumsum
from .._indexing._take_put import take_along_axis
from .._sorting._sort import argsort
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._join import stack
from .._views._plain import broadcast_to, moveaxis, transpose
from .._views._reshape import reshape
from ._common import count_along, on_engines, stored

_isnan = PUBLIC["isnan"]


def _fitting(weights, a, axes):
    """The weights in the shape of the array."""
    weights = asarray(weights)
    if weights.shape != a.shape:
        if axes is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != tuple(a.shape[axis] for axis in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = transpose(weights, numpy.argsort(axes))
        weights = reshape(weights, tuple(extent if axis in axes else 1 for axis, extent in enumerate(a.shape)))
        weights = broadcast_to(weights, a.shape)
    if bool(reduce("any", on_engines(weights) < 0)):
        raise ValueError("Weights must be non-negative.")
    return on_engines(weights)


def weighted(a, q, axes, out, method, keepdims, weights, skips_nan):
    """The quantiles; `axes` is None for all, NaNs are left out where `skips_nan`. Triggers evaluation."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    a = on_engines(a)
    weights = _fitting(weights, a, axes)
    axes = tuple(range(a.ndim)) if axes is None else axes
    others = tuple(axis for axis in range(a.ndim) if axis not in axes)
    shape, count = tuple(a.shape[axis] for axis in others), count_along(a, axes)
    a_lines, weights = (reshape(moveaxis(each, others, range(len(others))), (*shape, count)) for each in (a, weights))
    places = argsort(a_lines, -1)
    lines, weights = take_along_axis(a_lines, places, -1), take_along_axis(weights, places, -1)
    has_nan = lines.dtype.kind == "f"
    if skips_nan and has_nan:
        weights = either(_isnan(lines), weights.dtype.type(0), weights)
    parts = cumsum(weights, -1, numpy.float64)
    parts = parts / parts[..., -1:]
    empty = _isnan(parts[..., -1])
    if bool(reduce("any", empty)) and not (skips_nan and has_nan):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.kind == "f":
        parts = parts.astype(q.dtype)
    parts = either(parts == 0, parts.dtype.type(-1), parts)  # elements before the first weight are never it
    results = []
    for each in q.reshape(-1):
        before = reduce("sum", parts < each, -1, numpy.intp, None, True)
        chosen = take_along_axis(lines, PUBLIC["minimum"](before, count - 1), -1)[..., 0]
        if has_nan:
            chosen = either(empty if skips_nan else _isnan(lines[..., -1]), chosen.dtype.type(numpy.nan), chosen)
        results.append(chosen)
    result = stack(results) if results else filled((0, *shape), lines.dtype, 0)
    kept = tuple(1 if axis in axes else extent for axis, extent in enumerate(a.shape)) if keepdims else shape
    return stored(reshape(result, q.shape + kept), out)
