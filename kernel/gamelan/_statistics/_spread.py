# SPDX-License-Identifier: BSD-3-Clause
"""std and var, in two passes as NumPy has them: the mean, then the mean of squared distances from it. The second pass is
one fused fold, and nothing as large as the array is ever stored."""

import warnings

import numpy

from .._arguments import counted_axes
from .._creation._from_data import asarray
from .._folds import _reductions
from .._local import as_output, is_distributed
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from ._averages import loop_dtype, selected, sum_and_count
from ._common import cast, divided, document, is_given, is_kept, of_numpy, stored, unset

__all__ = ["std", "var"]

_sqrt, _maximum = PUBLIC["sqrt"], PUBLIC["maximum"]


def squared_distances(a, center):
    """|a - center|**2, real also when the array is complex."""
    distance = a - center
    if distance.dtype.kind == "c":
        return distance.real * distance.real + distance.imag * distance.imag
    return distance * distance


def corrected(ddof, correction):
    """How much less than the number of elements divides."""
    if correction is unset:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def variance(a, axis, dtype, ddof, keepdims, where, center=unset):
    """The variance over axes, in the precision that the sums have."""
    a = asarray(a)
    axes = counted_axes(axis, a.ndim)
    loop, result = loop_dtype(a, dtype)
    total, count = sum_and_count(a, axes, loop, True, where)
    squares = squared_distances(a, divided(total, count, total.dtype) if center is unset or center is None else asarray(center))
    if is_given(where):
        squares = either(selected(a, where)[1], squares, squares.dtype.type(0))
    adding = squares.dtype if dtype is None and loop.kind == "c" else loop
    total = _reductions.reduce("sum", squares, axes, adding, None, keepdims)
    if is_distributed(count):
        if not keepdims:
            count = count.reshape(total.shape)
        divisor = _maximum(count - ddof, 0)
    else:
        if isinstance(ddof, (complex, numpy.complexfloating)):
            raise TypeError("ddof is a real number")
        divisor = float(max(numpy.intp(count) - ddof, 0))  # NumPy casts what the difference is, too
        if divisor <= 0:
            warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=5)
    return divided(total, divisor, total.dtype), result


@document("The variance of the elements over axes.", ">>> float(np.var([1.0, 3.0]))\n1.0")
@of_numpy
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=unset, *, where=unset, mean=unset, correction=unset):
    value, result = variance(a, axis, dtype, corrected(ddof, correction), is_kept(keepdims), where, mean)
    return stored(value if result is None else cast(value, result), out)


@document("The standard deviation of the elements over axes.", ">>> float(np.std([1.0, 3.0]))\n1.0")
@of_numpy
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=unset, *, where=unset, mean=unset, correction=unset):
    value, result = variance(a, axis, dtype, corrected(ddof, correction), is_kept(keepdims), where, mean)
    if value.ndim and value.dtype.kind not in "fc":
        numpy.sqrt(numpy.ones(1, value.dtype), out=numpy.ones(1, value.dtype))  # NumPy's refusal
    if out is not None:
        out = as_output(out)
        numpy.sqrt(numpy.ones(1, out.dtype), out=numpy.ones(1, out.dtype))  # likewise
    value = cast(_sqrt(value), value.dtype)
    return stored(value if result is None else cast(value, result), out)
