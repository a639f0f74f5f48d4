# SPDX-License-Identifier: BSD-3-Clause
"""Running folds of distributed arrays (`ufunc.accumulate`, cumsum, cumprod), and folds whose operation is not associative.

Along an axis of more dimensions the engines add in NumPy's order. One dimension is cut into reduction blocks by its length
alone: the
fold of the reduction blocks before, then the fold within (Blelloch 1990, "Prefix sums and their applications"). So the bits
do not
change with the number of engines, and rounding errors are smaller than NumPy's, not equal to them.
"""

import functools

import numpy

from .. import _core
from .._arguments import axis_in, axis_of, flag, fold_axes, single_axis
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._errors import unimplemented
from .._local import as_output, as_value, call_numpy, has_distributed, is_distributed
from .._promotion import OPS, dtype_number
from .._views._reshape import ravel, reshape
from ._reductions import FOLD_OF, asked_by_out

__all__ = ["cumprod", "cumsum", "cumproduct"]


def _along(axis, part):
    return (slice(None),) * axis + (part,)


def _choose(function, source, requested):
    """The dtype of a running fold: NumPy's choice, with its errors and warnings."""
    with numpy.errstate(all="ignore"):
        return function.accumulate(numpy.ones(1, source), dtype=requested).dtype


_chosen = functools.cache(_choose)


def accumulate(name, function, array, axis=0, dtype=None, out=None):
    """`function.accumulate` of a distributed array; `name` is its row of the op table, `function` NumPy's object."""
    array = array if is_distributed(array) else _core.upload(numpy.asarray(array))  # where only `out` is distributed
    axis = single_axis(axis, array.ndim, "accumulate")
    if array.ndim == 0:
        axis_of(axis, 1 if axis in (0, -1) else 0)
        raise TypeError("cannot accumulate on a scalar")
    if out is not None:
        out = as_output(out)
    if dtype is None and out is not None:
        dtype = asked_by_out(function, array.dtype, out.dtype)
    choose = _choose if array.dtype.kind == "c" else _chosen  # NumPy warns each time when imaginary parts are lost
    target = choose(function, array.dtype, None if dtype is None else numpy.dtype(dtype))
    number = dtype_number(target)
    if name == "power" and target.kind == array.dtype.kind == "i" and bool((array[_along(axis, slice(1, None))] < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")
    if array.size == 0:
        result = filled(array.shape, target, 0)
    elif name not in FOLD_OF and array.shape[axis] == array.size:
        result = _subtracted(name, array, axis, target)
    elif array.shape[axis] == array.size and array.ndim > 1:
        result = reshape(accumulate(name, function, ravel(array), 0, target), array.shape)
    else:
        result = _core.empty(array.shape, number, array)
        _core.record(OPS["accumulate"], number, result, True, (array,), (axis, OPS[name]))
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"the output has the shape {out.shape}, the running fold {result.shape}")
    out[...] = result
    return out


def _subtracted(name, array, axis, target):
    """`subtract.accumulate` of one line: the first element less the running sum of the others."""
    if name != "subtract":
        raise unimplemented(f"{name}.accumulate of one line", "its operation is not associative")
    result = array.astype(target)
    first, rest = result[_along(axis, slice(0, 1))], result[_along(axis, slice(1, None))]
    if rest.size:
        rest[...] = first - accumulate("add", numpy.add, rest, axis, target)
    return result


def reduce_subtract(array, axis=0, dtype=None, out=None, keepdims=False):
    """`subtract.reduce`: the first element less the sum of the others."""
    axes = fold_axes(axis, array.ndim)
    working = numpy.subtract.reduce(numpy.ones(1, array.dtype), dtype=dtype).dtype  # and NumPy's error for bool
    if len(axes) > 1:
        raise ValueError("reduction operation 'subtract' is not reorderable, so at most one axis may be specified")
    out = None if out is None else as_output(out)
    if not axes:
        result = array.astype(working)
    else:
        array = array if array.dtype == working else array.astype(working)
        (axis,) = axes
        if array.shape[axis] == 0:
            raise ValueError("zero-size array to reduction operation subtract which has no identity")
        first = array[_along(axis, slice(0, 1) if flag(keepdims) else 0)]
        rest = array[_along(axis, slice(1, None))]
        result = first - rest.sum(axis=axis, dtype=working, keepdims=keepdims)
    if out is None:
        return as_value(result)
    if out.shape != result.shape:
        raise ValueError(f"output parameter has the wrong shape: got {out.shape}, expected {result.shape}")
    out[...] = result
    return out


def _running(name, function, numpy_function, a, axis, dtype, out):
    a = asarray(a)
    if not has_distributed((a, out)):
        result = call_numpy(numpy_function, numpy_function.__name__, (a,), {"axis": axis, "dtype": dtype, "out": out})
        return result if out is None else out
    if axis is None:
        a, axis = a if a.ndim == 1 else ravel(a), 0
    axis, a = axis_in(axis, a)
    if out is not None and as_output(out).shape != a.shape:
        raise ValueError("provided out is the wrong size for the accumulation.")
    return accumulate(name, function, a, axis, dtype, out)


def cumsum(a, axis=None, dtype=None, out=None):
    """The cumulative sums of the elements along an axis.

    Lazy. Along an array of one dimension the order of additions differs from NumPy's. It does not depend on the number of
    engines.

    Examples
    --------
    >>> import gamelan as np
    >>> np.cumsum([1, 2, 3]).tolist()
    [1, 3, 6]
    """
    return _running("add", numpy.add, numpy.cumsum, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """The cumulative products of the elements along an axis.

    Examples
    --------
    >>> import gamelan as np
    >>> np.cumprod([1, 2, 3]).tolist()
    [1, 2, 6]
    """
    return _running("multiply", numpy.multiply, numpy.cumprod, a, axis, dtype, out)


cumproduct = cumprod  # NumPy's older name
RUNNING = {"cumsum": cumsum, "cumprod": cumprod}
