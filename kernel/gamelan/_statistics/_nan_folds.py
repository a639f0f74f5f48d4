# SPDX-License-Identifier: BSD-3-Clause
"""Folds that leave NaNs out: the NaNs become what changes nothing, in one pass; extremes use fmin and fmax."""

import numpy

from .._arguments import counted_axes, fold_axes
from .._creation._from_data import asarray
from .._folds import _reductions
from .._folds._arg_reductions import argmax, argmin
from .._folds._scans import cumprod, cumsum
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._plain import broadcast_to
from ._averages import mean
from ._common import cast, document, is_given, is_kept, of_numpy, on_engines, stored, unset
from ._spread import corrected, std, var, variance

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]

_isnan, _sqrt = PUBLIC["isnan"], PUBLIC["sqrt"]


def _filled(a, value):
    """The array with NaNs replaced; an array that can have none as it is."""
    a = asarray(a)
    return either(_isnan(a), a.dtype.type(value), a) if a.dtype.kind in "fc" else a


def _present(a, where):
    """A mask of the numbers that are not NaN and that `where` chooses."""
    mask = ~_isnan(a)
    return mask & broadcast_to(on_engines(where).astype(bool), a.shape) if is_given(where) else mask


@document("The sum of the elements over axes, with NaN as zero.", ">>> float(np.nansum([1, np.nan, 2]))\n3.0")
@of_numpy
def nansum(a, axis=None, dtype=None, out=None, keepdims=unset, initial=unset, where=unset):
    return _reductions.sum(_filled(a, 0), axis, dtype, out, keepdims, initial, where)


@document("The product of the elements over axes, with NaN as one.", ">>> float(np.nanprod([3, np.nan, 2]))\n6.0")
@of_numpy
def nanprod(a, axis=None, dtype=None, out=None, keepdims=unset, initial=unset, where=unset):
    return _reductions.prod(_filled(a, 1), axis, dtype, out, keepdims, initial, where)


def _extreme(name, a, axis, out, keepdims, initial, where):
    a = asarray(a)
    if a.dtype.kind not in "fc":
        return getattr(_reductions, name)(a, axis, out, keepdims, initial, where)
    given = {"keepdims": keepdims, "initial": initial, "where": where}
    given = {keyword: value for keyword, value in given.items() if value is not unset}
    return stored(PUBLIC["f" + name].reduce(a, axis, **given), out)


@document("The minimum of the elements over axes, without NaNs.", ">>> float(np.nanmin([3, np.nan, 2]))\n2.0")
@of_numpy
def nanmin(a, axis=None, out=None, keepdims=unset, initial=unset, where=unset):
    return _extreme("min", a, axis, out, keepdims, initial, where)


@document("The maximum of the elements over axes, without NaNs.", ">>> float(np.nanmax([3, np.nan, 2]))\n3.0")
@of_numpy
def nanmax(a, axis=None, out=None, keepdims=unset, initial=unset, where=unset):
    return _extreme("max", a, axis, out, keepdims, initial, where)


def _arg(function, a, worst, axis, out, keepdims):
    a = asarray(a)
    if a.dtype.kind in "fc":
        if not bool(_reductions.any(~_isnan(a), axis).all()):
            raise ValueError("All-NaN slice encountered")
        a = _filled(a, worst)
    return function(a, axis, out, keepdims=keepdims)


_LOOKS = "Triggers evaluation, because a line of NaNs alone must raise here."


@document("The index of the minimum along an axis, without NaNs.", ">>> int(np.nanargmin([3, np.nan, 2]))\n2", _LOOKS)
@of_numpy
def nanargmin(a, axis=None, out=None, *, keepdims=unset):
    return _arg(argmin, a, numpy.inf, axis, out, keepdims)


@document("The index of the maximum along an axis, without NaNs.", ">>> int(np.nanargmax([3, np.nan, 2]))\n0", _LOOKS)
@of_numpy
def nanargmax(a, axis=None, out=None, *, keepdims=unset):
    return _arg(argmax, a, -numpy.inf, axis, out, keepdims)


@document("The cumulative sums along an axis, with NaN as zero.", ">>> np.nancumsum([1, np.nan, 2]).tolist()\n[1.0, 1.0, 3.0]")
@of_numpy
def nancumsum(a, axis=None, dtype=None, out=None):
    return cumsum(_filled(a, 0), axis, dtype, out)


@document(
    "The cumulative products along an axis, with NaN as one.", ">>> np.nancumprod([3, np.nan, 2]).tolist()\n[3.0, 3.0, 6.0]"
)
@of_numpy
def nancumprod(a, axis=None, dtype=None, out=None):
    return cumprod(_filled(a, 1), axis, dtype, out)


def _require_inexact(dtype, out):
    for what, kind in (("dtype", dtype), ("out", getattr(out, "dtype", None))):
        if kind is not None and not issubclass(numpy.dtype(kind).type, numpy.inexact):
            raise TypeError(f"If a is inexact, then {what} must be inexact")


def _of_number(a, axis):
    """The axis; None where a number is folded over the axis that it does not have."""
    return None if a.ndim == 0 and fold_axes(axis, 0) == () else axis


@document("The arithmetic mean of the elements over axes, without NaNs.", ">>> float(np.nanmean([1, np.nan, 2]))\n1.5")
@of_numpy
def nanmean(a, axis=None, dtype=None, out=None, keepdims=unset, *, where=unset):
    a = asarray(a)
    if a.dtype.kind not in "fc":
        return mean(a, axis, dtype, out, keepdims, where=where)
    _require_inexact(dtype, out)
    return mean(a, _of_number(a, axis), dtype, out, keepdims, where=_present(a, where))


def _nan_variance(a, axis, dtype, out, ddof, keepdims, where, center):
    _require_inexact(dtype, out)
    mask, axis = _present(a, where), _of_number(a, axis)
    value, result = variance(a, axis, dtype, ddof, is_kept(keepdims), mask, center)
    count = _reductions.reduce("sum", mask, counted_axes(axis, a.ndim), numpy.intp, None, is_kept(keepdims))
    value = either(count <= ddof, value.dtype.type(numpy.nan), value)
    return value if result is None else cast(value, result)


@document("The variance of the elements over axes, without NaNs.", ">>> float(np.nanvar([1, np.nan, 3]))\n1.0")
@of_numpy
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=unset, *, where=unset, mean=unset, correction=unset):
    a, ddof = asarray(a), corrected(ddof, correction)
    if a.dtype.kind not in "fc":
        return var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    return stored(_nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean), out)


@document("The standard deviation of the elements over axes, without NaNs.", ">>> float(np.nanstd([1, np.nan, 3]))\n1.0")
@of_numpy
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=unset, *, where=unset, mean=unset, correction=unset):
    a, ddof = asarray(a), corrected(ddof, correction)
    if a.dtype.kind not in "fc":
        return std(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    return stored(_sqrt(_nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean)), out)
