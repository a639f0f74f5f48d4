# SPDX-License-Identifier: BSD-3-Clause
"""median, quantile, percentile and their nan-variants: the engines sort along the axes, NaN last, or put a few elements where
sorting would; then these are read. In a long row they are found alone. Without NaNs the lines are equally long and which elements
is known here; else each has its own."""

import warnings

import numpy

from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._errors import unsupported_dtype
from .._folds import _reductions
from .._imported_numpy import (
    COMPLEX_HAS_NO_QUANTILES,
    FIRST_LINE_GIVES_DTYPE,
    INTERPOLATION_IS_A_NAME,
    NUMBERS_ARE_WEAK,
    WHOLE_Q_IS_A_FLOAT,
)
from .._indexing._gather import take_along as take_inside
from .._indexing._take_put import taken_into
from .._local import alone, as_output, is_distributed
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._join import stack
from .._views._plain import moveaxis
from .._views._reshape import reshape
from ._averages import mean
from ._common import document, is_true, of_numpy, small, stored, unset
from ._ordered_lines import Selected, axes_of, lines_to_read, selected_without_nans, shapes_over, sorted_lines
from ._quantile_positions import check_method, positions
from ._weighted_quantiles import weighted

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

_isnan = PUBLIC["isnan"]


def _target(out, a, axis, keepdims):
    """The part of an output that takes the result without kept axes."""
    out = as_output(out)
    if not is_true(keepdims):
        return out
    axes = axes_of(a, axis)
    return out[(Ellipsis, *(0 if k in axes else slice(None) for k in range(a.ndim)))]


def _element(lines, index):
    """Element `index` (a number) of every line."""
    return lines[..., int(index)]


def _elements(lines, index):
    """Elements of every line, one for each number of an index that is here, or the index of each line (distributed)."""
    if is_distributed(index):
        extent = lines.shape[-1]
        lines = reshape(lines, (lines.size,))
        starts = reshape(arange(index.size) * extent, index.shape)
        return reshape(take_inside(lines, reshape(starts + index, (index.size,)), 0), index.shape)
    if isinstance(lines, Selected) and index.ndim:
        return lines.at(index)
    return _element(lines, index) if index.ndim == 0 else moveaxis(take_inside(lines, index, lines.ndim - 1), -1, 0)


def _interpolated(lines, n, q, method):
    """The quantiles of every line: the axis of q, if it has one, first."""
    below, above, weight = positions(n, q, method)
    first = _elements(lines, below)
    if weight is None:
        return first
    distance = (second := _elements(lines, above)) - first
    if not is_distributed(weight):
        weight = asarray(weight.reshape(weight.shape + (1,) * (lines.ndim - 1)))
        if weight.ndim == 0:  # NumPy's weight is an array in the promotion
            weight = reshape(weight, (1,))
            return either(weight < 0.5, first + distance * weight, second - distance * (1 - weight))[0]
    return either(weight < 0.5, first + distance * weight, second - distance * (1 - weight))


def _places(n, q, method):
    """The numbers of the elements that quantiles of so many sorted ones are made of."""
    below, above, _ = positions(n, q, method)
    return sorted({*map(int, numpy.ravel(below)), *map(int, numpy.ravel(above))})


def _fraction(q, a):
    """The q of a quantile: in some NumPys a whole number of Python is a float beside floats, which interpolates."""
    return float(q) if WHOLE_Q_IS_A_FLOAT and isinstance(q, int) and asarray(a).dtype.kind == "f" else q


def _checked(q, scale, name):
    q = numpy.asarray(numpy.true_divide(small(q), scale)) if scale != 1 else small(q)
    if not (numpy.all(q >= 0) and numpy.all(q <= 1)):
        raise ValueError(f"{name} must be in the range [0, {scale}]")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if q.dtype == object:  # fractions
        raise unsupported_dtype(numpy.dtype(object))
    return q


def _finish(result, shape):
    if not result._a.flags.c_contiguous:
        result = result.copy()  # NumPy's quantiles are no view either
    return stored(reshape(result, shape), None)


def _computed_into(result, target):
    """The result in an output as of a universal function: broadcast, and cast where the kind stays the same."""
    numpy.add(numpy.zeros(0, result.dtype), 0, out=numpy.zeros(0, target.dtype))  # for its error
    if numpy.broadcast_shapes(result.shape, target.shape) != target.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {target.shape} doesn't match the broadcast shape {result.shape}"
        )
    target[...] = result


def _kind(function, a, q, method):
    """The dtype of quantiles in NumPy 2, where it depends on the dtypes alone; None in NumPy 1."""
    if not NUMBERS_ARE_WEAK:
        return None
    return function(numpy.zeros(2, asarray(a).dtype), q if type(q) in (int, float) else small(q), method=method).dtype


def _quantile(a, q, axis, out, method, keepdims, weights=None, kind=None):
    a = asarray(a)
    check_method(method)
    if a.dtype.kind == "c" and COMPLEX_HAS_NO_QUANTILES:
        raise TypeError("a must be an array of real numbers")
    if weights is not None:
        return weighted(a, q, axes_of(a, axis) if axis is not None else None, out, method, is_true(keepdims), weights, False)
    target = None if out is None else _target(alone(out), a, axis, keepdims)
    flat = q.reshape(-1) if q.ndim > 1 else q
    lines, shape, kept = lines_to_read(a, axis, lambda n: sorted({*_places(n, flat, method), n - 1}))  # the last: NaN if any is
    result = _interpolated(lines, lines.shape[-1], flat, method)
    result = result if kind is None else result.astype(kind, copy=False)
    if a.dtype.kind in "fc":
        last = _element(lines, -1)
        if out is None and not shape and not q.ndim and result.dtype != a.dtype and bool(_isnan(last)):
            result = last  # what NumPy returns, of the dtype of the array
        result = either(_isnan(last), result.dtype.type(numpy.nan), result)
    if out is None:
        return _finish(result, q.shape + (kept if is_true(keepdims) else shape))
    result = reshape(result, q.shape + shape)
    if positions(1, flat, method)[2] is None:
        taken_into(target, result, a.dtype, ValueError("output array does not match result of ndarray.take"))
    else:
        _computed_into(result, target)
    return out


def _nan_quantile(a, q, axis, out, method, keepdims, weights=None, kind=None):
    a = asarray(a)
    if a.dtype.kind == "c" and COMPLEX_HAS_NO_QUANTILES:
        raise TypeError("a must be an array of real numbers")
    if weights is not None:
        return weighted(a, q, axes_of(a, axis) if axis is not None else None, out, method, is_true(keepdims), weights, True)
    if a.dtype.kind not in "fc" or q.size == 0:
        return _quantile(a, q, axis, out, method, keepdims, weights, kind)
    check_method(method)
    target = None if out is None else _target(out, a, axis, keepdims)
    selected = selected_without_nans(a, axis, lambda n: _places(n, q.reshape(-1), method))
    if selected is not None:
        lines, counts = selected
        shape, kept = shapes_over(a, axis)
        result = stack([_interpolated(lines, counts, each, method) for each in q.reshape(-1)])
        counts = arange(0)
    else:
        lines, shape, kept = sorted_lines(a, axis)
        counts = (~_isnan(lines)).sum(axis=-1)
        if not shape:
            counts, lines = reshape(counts, (1,)), reshape(lines, (1, lines.size))
        nonempty = either(counts == 0, 1, counts)
        parts = [_interpolated(lines, nonempty, each, method) for each in q.reshape(-1)]
        result = stack([either(counts == 0, part.dtype.type(numpy.nan), part) for part in parts])
    if kind is not None:
        result = result.astype(kind, copy=False)
    if FIRST_LINE_GIVES_DTYPE and result.dtype != a.dtype and counts.size and int(counts[(0,) * counts.ndim]) == 0:
        result = result.astype(a.dtype)  # to NumPy the first line says of which dtype all are
    if out is None:
        return _finish(result, q.shape + (kept if is_true(keepdims) else shape))
    target[...] = reshape(result, q.shape + shape)
    return out


def _renamed(method, interpolation):
    if interpolation is None:
        return method
    if not INTERPOLATION_IS_A_NAME:
        raise TypeError("got an unexpected keyword argument 'interpolation'")
    warnings.warn("the `interpolation=` argument was renamed to `method=`", DeprecationWarning, stacklevel=4)
    if method != "linear":
        raise TypeError("You shall not pass both `method` and `interpolation`!")
    return interpolation


_SORTED = "Lazy. The engines sort or select along the axes, which takes the memory of a copy."
_NOTE = f"""{_SORTED} A distributed `q` triggers evaluation.
So does a single quantile of float16, float32 or complex64, because its dtype depends on whether there are NaNs."""


@document("The q-th quantiles of the elements over axes.", ">>> float(np.quantile([1.0, 2.0, 4.0], 0.5))\n2.0", _NOTE)
@of_numpy
def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None
):
    method, checked = _renamed(method, interpolation), _checked(_fraction(q, a), 1, "Quantiles")
    kind = _kind(numpy.quantile, a, q, method) if weights is None else None
    return _quantile(a, checked, axis, out, method, keepdims, weights, kind)


@document("The q-th percentiles of the elements over axes.", ">>> float(np.percentile([1.0, 2.0, 4.0], 50))\n2.0", _NOTE)
@of_numpy
def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None
):
    method, checked = _renamed(method, interpolation), _checked(q, 100, "Percentiles")
    kind = _kind(numpy.percentile, a, q, method) if weights is None else None
    return _quantile(a, checked, axis, out, method, keepdims, weights, kind)


@document("The q-th quantiles of the elements over axes, without NaNs.", "", _NOTE)
@of_numpy
def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=unset, *, weights=None, interpolation=None
):
    method, checked = _renamed(method, interpolation), _checked(_fraction(q, a), 1, "Quantiles")
    kind = _kind(numpy.quantile, a, q, method) if weights is None else None
    return _nan_quantile(a, checked, axis, out, method, keepdims, weights, kind)


@document("The q-th percentiles of the elements over axes, without NaNs.", "", _NOTE)
@of_numpy
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=unset, *, weights=None, interpolation=None
):
    method, checked = _renamed(method, interpolation), _checked(q, 100, "Percentiles")
    kind = _kind(numpy.percentile, a, q, method) if weights is None else None
    return _nan_quantile(a, checked, axis, out, method, keepdims, weights, kind)


@document("The median of the elements over axes.", ">>> float(np.median([3, 1, 2]))\n2.0", _SORTED)
@of_numpy
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    a = asarray(a)
    target = None if out is None else _target(out, a, axis, keepdims)
    lines, shape, kept = lines_to_read(a, axis, lambda n: sorted({(n - 1) // 2, n // 2, n - 1}))
    half = lines.shape[-1] // 2
    middle = slice(half - 1 + lines.shape[-1] % 2, half + 1)
    result = mean(lines.at(range(middle.start, middle.stop)) if isinstance(lines, Selected) else lines[..., middle], axis=-1)
    if a.dtype.kind in "fc":
        result = either(_isnan(_element(lines, -1)), _element(lines, -1), result)
    if out is None:
        return stored(reshape(result, kept if keepdims else shape), None)
    stored(reshape(result, shape), target)
    return out


@document("The median of the elements over axes, without NaNs.", ">>> float(np.nanmedian([3, np.nan, 2]))\n2.5", _SORTED)
@of_numpy
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=unset):
    a = asarray(a)
    if a.dtype.kind not in "fc":
        return median(a, axis, out, overwrite_input, is_true(keepdims))
    target = None if out is None else _target(out, a, axis, keepdims)
    selected = selected_without_nans(a, axis, lambda n: sorted({(n - 1) // 2, n // 2}))
    if selected is not None:
        lines, count = selected
        (shape, kept), pair = shapes_over(a, axis), lines.at([(count - 1) // 2, count // 2])
    else:
        lines, shape, kept = sorted_lines(a, axis)
        counts = _reductions.reduce("sum", ~_isnan(lines), -1, numpy.intp)
        if not shape:
            counts, lines = reshape(counts, (1,)), reshape(lines, (1, lines.size))
        middle = either(counts == 0, 1, counts)
        pair = stack([_elements(lines, (middle - 1) // 2), _elements(lines, middle // 2)])
    result = mean(pair, axis=0)
    if out is None:
        return stored(reshape(result, kept if is_true(keepdims) else shape), None)
    target[...] = reshape(result, shape)
    return out
