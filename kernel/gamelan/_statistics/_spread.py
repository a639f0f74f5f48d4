# SPDX-License-Identifier: BSD-3-Clause
"""std and var. Real numbers are read once: the engines add up squared distances from the mean in the same pass as the mean.
Others, and those that a mask chooses or a center is given for, take two passes as NumPy has them (with a mask float32 in
float64), and the second is one fused fold. Nothing as large as the array is ever stored."""

import warnings

import numpy

from .._arguments import counted_axes
from .._creation._from_data import asarray
from .._folds import _reductions
from .._local import as_output, is_distributed
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from ._averages import loop_dtype, selected, sum_and_count
from ._common import cast, count_along, divided, document, is_given, is_kept, of_numpy, stored, unset

__all__ = ["std", "var"]

MOST_ELEMENTS = 1 << 30  # of an array: the partials of more would be too many for each rank to read
# Of a result, where the last axis is kept and where it is folded: so many elements are worth moments.
FEWEST_IN_COLUMNS, FEWEST_IN_ROWS = 32, 128

_sqrt, _maximum = PUBLIC["sqrt"], PUBLIC["maximum"]


def squared_distances(a, center):
    """|a - center|**2, real also when the array is complex."""
    distance = a - center
    if distance.dtype.kind == "c":
        return distance.real * distance.real + distance.imag * distance.imag
    return distance * distance


def _is_read_once(a, axes, loop):
    """Whether the engines' one pass gives what the two passes give (nothing is rounded to `loop` first), and pays."""
    is_exact = loop in (numpy.float32, numpy.float64) and a.dtype.kind in "biuf" and numpy.result_type(a.dtype, loop) == loop
    fewest = FEWEST_IN_ROWS if a.ndim - 1 in axes else FEWEST_IN_COLUMNS
    return is_exact and count_along(a, axes) >= fewest and a.size <= MOST_ELEMENTS


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
    has_center = center is not unset and center is not None
    if not has_center and not is_given(where) and _is_read_once(a, axes, loop):
        count = count_along(a, axes)
        total = _reductions.squared_deviations(a, axes, loop, keepdims)
    else:
        if is_given(where) and not has_center and a.dtype == loop == numpy.float32:
            loop, result = numpy.dtype(float), loop  # as the one pass does, which no mask enters
        total, count = sum_and_count(a, axes, loop, True, where)
        squares = squared_distances(a, asarray(center) if has_center else divided(total, count, total.dtype))
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
