# SPDX-License-Identifier: BSD-3-Clause
"""mean, average and ptp: folds and one division. What `where` leaves out counts as the identity of the fold."""

import functools
import warnings

import numpy

from .. import _core
from .._arguments import counted_axes
from .._creation._from_data import asarray
from .._creation._like import full_like
from .._folds import _reductions
from .._imported_numpy import AVERAGE_TAKES_LISTS, normalize_axis_tuple
from .._local import as_output, as_value, is_distributed
from .._promotion import OPS, dtype_number
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._plain import broadcast_to, moveaxis
from ._common import cast, count_along, divided, document, is_given, is_kept, of_numpy, on_engines, stored, unset

__all__ = ["average", "mean", "ptp"]


def selected(a, where, identity=0):
    """The array with its left-out elements replaced, and a mask of the same shape."""
    mask = _reductions.mask_of(where)
    mask = broadcast_to(on_engines(mask), numpy.broadcast_shapes(a.shape, mask.shape))
    return either(mask, a, a.dtype.type(identity)), mask


def loop_dtype(a, dtype):
    """In which dtype NumPy adds up, and of which the result is."""
    if dtype is not None:
        return numpy.dtype(dtype), None
    if a.dtype == numpy.float16:
        return numpy.dtype(numpy.float32), a.dtype
    return (numpy.dtype(float) if a.dtype.kind in "biu" else a.dtype), None


def sum_and_count(a, axes, dtype, keepdims, where):
    """The sum over axes, and how many elements it has: a number, or an array when a mask chooses."""
    if not is_given(where):
        return _reductions.reduce("sum", a, axes, dtype, None, keepdims), count_along(a, axes)
    a, mask = selected(a, where)
    total = _reductions.reduce("sum", a, axes, dtype, None, keepdims)
    return total, _reductions.reduce("sum", mask, axes, numpy.intp, None, keepdims)


def mean_of_reals(a, axis=None):
    """`mean` of a distributed array of float32 or float64 that has axes and elements."""
    total = _reductions.reduce("sum", a, axis)
    number = dtype_number(a._a.dtype)
    return as_value(_core.apply(OPS["divide"], number, number, (total, a._a.size // total._a.size), None))


@document(
    "The arithmetic mean of the elements over axes.",
    ">>> np.mean([[1, 2], [3, 4]], axis=0).tolist()\n[2.0, 3.0]",
)
@functools.partial(of_numpy, plain=mean_of_reals)
def mean(a, axis=None, dtype=None, out=None, keepdims=unset, *, where=unset):
    a = asarray(a)
    axes = counted_axes(axis, a.ndim)
    loop, result = loop_dtype(a, dtype)
    if out is not None:
        out = as_output(out)
        result = None  # it takes what float16 was added up in
        if dtype is None and a.dtype.kind in "fc" and a.dtype != numpy.float16:
            loop = _reductions.asked_by_out(numpy.add, a.dtype, out.dtype)
    total, count = sum_and_count(a, axes, loop, is_kept(keepdims), where)
    if out is not None and out.dtype.kind in "fc" and numpy.can_cast(total.dtype, out.dtype, "same_kind"):
        total = cast(total, out.dtype)  # NumPy divides in the output
    if not is_distributed(count) and count == 0:
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=3)
    return stored(divided(total, count, total.dtype if result is None else result), out)


@document(
    "The weighted average of the elements over axes.",
    ">>> float(np.average([1.0, 2.0], weights=[3, 1]))\n1.25",
    "Lazy, but weights trigger evaluation, because weights that sum to zero must raise here.",
)
@of_numpy
def average(a, axis=None, weights=None, returned=False, *, keepdims=unset):
    a = asarray(a)
    kept = {} if keepdims is unset else {"keepdims": keepdims}
    if AVERAGE_TAKES_LISTS and axis is not None:
        axis = normalize_axis_tuple(axis, a.ndim, argname="axis")
        axis = axis[0] if len(axis) == 1 else axis
    if weights is None:
        result = mean(a, axis, **kept)
        scale = _full_like_result(result, count_along(a, counted_axes(axis, a.ndim)))
        return (result, scale) if returned else result
    weights = asarray(weights)
    kind = (a.dtype, weights.dtype, "f8") if a.dtype.kind in "biu" else (a.dtype, weights.dtype)
    dtype = numpy.result_type(*kind)
    if a.shape != weights.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.ndim != 1:
            raise TypeError("1D weights expected when shapes of a and weights differ.")
        if weights.shape[0] != a.shape[axis]:
            raise ValueError("Length of weights not compatible with specified axis.")
        weights = moveaxis(broadcast_to(weights, (a.ndim - 1) * (1,) + weights.shape), -1, axis)
    scale = _reductions.sum(weights, axis=axis, dtype=dtype, **kept)
    if bool((scale == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = _reductions.sum(a.astype(dtype) * weights.astype(dtype), axis=axis, dtype=dtype, **kept) / scale
    if not returned:
        return result
    return result, scale if scale.shape == result.shape else broadcast_to(scale, result.shape).copy()


def _full_like_result(result, count):
    return full_like(result, result.dtype.type(count)) if result.ndim else result.dtype.type(count)


@document("The range of the elements over axes: maximum minus minimum.", ">>> int(np.ptp([3, 9, 4]))\n6")
@of_numpy
def ptp(a, axis=None, out=None, keepdims=unset):
    a = asarray(a)
    kept = is_kept(keepdims)
    high = _reductions.reduce("max", a, axis, None, None, kept)
    low = _reductions.reduce("min", a, axis, None, None, kept)
    if out is None:
        return stored(high - low, None)
    out = as_output(out)
    if out.shape != high.shape:
        raise ValueError(f"output parameter has the wrong shape: got {out.shape}, expected {high.shape}")
    return PUBLIC["subtract"](high, low, out=out)  # which casts as it casts
