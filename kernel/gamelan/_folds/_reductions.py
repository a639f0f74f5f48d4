# SPDX-License-Identifier: BSD-3-Clause
"""Folds over axes: sum, prod, min, max, any, all. Results of distributed arrays stay there."""

import builtins
import functools
from types import GeneratorType

import numpy

from .. import _core
from .._arguments import flag, fold_axes
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._float_errors import numpys_own
from .._local import as_output, as_value, call_numpy, has_distributed, unwrap
from .._promotion import DTYPES, OPS, TABLE, dtype_number, numpy_function

__all__ = ["all", "amax", "amin", "any", "max", "min", "prod", "sum", "alltrue", "sometrue", "product"]

_unset = numpy._NoValue
# A fold is a row of the op table; which operation it folds with is said there.
_FOLDS = {name: row["of"] for name, row in TABLE.items() if row["kind"] == "reduce"}
FOLD_OF = {operation: name for name, operation in _FOLDS.items() if name != "squared_deviations"}
_UFUNCS = {name: numpy_function(operation) for name, operation in _FOLDS.items()}


def _begins_without_sign(function):
    """True where the identity takes the sign of a single element: 0 of gcd and hypot."""
    least = None if function.identity is None else function(function.identity, -1)
    return least is not None and least.dtype != bool and bool(least == 1)


_SIGNLESS = frozenset(name for name, function in _UFUNCS.items() if _begins_without_sign(function))
_decided = {}


def _decide(name, dtype, requested):
    """Op, loop and result dtype numbers of a fold, as NumPy decides them."""
    if requested is not None:
        dtype_number(numpy.dtype(requested).newbyteorder("="))  # of objects NumPy gives one that has no dtype
    result = _UFUNCS[name].reduce(numpy.ones(1, dtype), dtype=requested).dtype
    loop, op = result, name
    if TABLE[_FOLDS[name]]["result"] == "boolean":
        loop, result = dtype, numpy.dtype(bool)
    elif result == bool and name in ("sum", "prod"):
        op = "any" if name == "sum" else "all"
    return OPS[op], dtype_number(loop), dtype_number(result)


def asked_by_out(function, source, out):
    """The dtype of a fold that names an output and no dtype: as if the output were its first operand."""
    if builtins.all(loop.endswith("?") for loop in function.types if "O" not in loop):
        return None  # of comparisons: bool, whatever they are stored in
    with numpy.errstate(all="ignore"):
        return function(numpy.ones(1, out), numpy.ones(1, source)).dtype


def squared_deviations(array, axes, loop, keepdims):
    """The sum over axes of the squared distances from the mean over them, of a distributed array of real numbers that has
    elements. The array is read once (engine/tiles/loops/moments.hpp)."""
    number = dtype_number(loop)
    kept = tuple(extent for axis, extent in enumerate(array.shape) if axis not in axes)
    result = _core.empty(kept, number, array)
    _core.record(OPS["squared_deviations"], number, result, True, (array,), axes)
    if keepdims:
        result = _core.reshape_view(result, tuple(1 if axis in axes else extent for axis, extent in enumerate(array.shape)))
    return result


@functools.cache
def _require_reorderable(function):
    """NumPy's error for an operation that goes over one axis at most."""
    function.reduce(numpy.ones((1, 1), int), axis=(0, 1))


@numpys_own
def reduce(name, array, axis=None, dtype=None, out=None, keepdims=False, initial=_unset, where=True):
    """Fold a distributed array, as NumPy's ufunc.reduce does; `name` is a REDUCE row of the op table. Elements that `where`
    leaves out count as the identity of the operation, or as `initial` where there is none."""
    shape = array._a.shape
    if out is not None:
        out = as_output(out)
    axes = fold_axes(axis, len(shape))
    keepdims = flag(keepdims)
    if dtype is None and out is not None:
        dtype = asked_by_out(_UFUNCS[name], array._a.dtype, out.dtype)
    is_empty = 0 in shape and builtins.any(shape[axis] == 0 for axis in axes)
    if len(axes) > 1:
        _require_reorderable(_UFUNCS[name])
    source = array._a.dtype
    key = (name, source.num, None if dtype is None else numpy.dtype(dtype))
    decision = _decided.get(key)
    if decision is None:
        decision = _decided[key] = _decide(name, source, key[2])
    op, loop, number = decision
    if is_empty and (initial is None or initial is _unset and _UFUNCS[name].identity is None):
        raise ValueError(f"zero-size array to reduction operation {_UFUNCS[name].__name__} which has no identity")
    start, knows_no_identity = None, name.startswith("reduce_")  # the engines: of those
    if initial is not _unset or where is not True or is_empty and knows_no_identity:
        start = _start(_UFUNCS[name], DTYPES[number], initial)
    if where is not True:
        array = _masked(_UFUNCS[name], array, loop, where, start)
    if is_empty and start is not None or 0 in shape and knows_no_identity:
        kept = tuple(extent for axis, extent in enumerate(shape) if axis not in axes)
        result = filled(kept, DTYPES[number], 0 if start is None else start)
    elif axes:
        kept = () if axis is None else tuple(extent for axis, extent in enumerate(shape) if axis not in axes)
        result = _core.empty(kept, number, array)
        _core.record(op, loop, result, True, (array,), axes)
    else:
        result = _core.apply(OPS["copy"], loop, number, (array,), None)
    if name in _SIGNLESS:
        result = _core.apply(OPS["absolute"], number, number, (result,), None)
    if initial is not _unset and initial is not None and not is_empty:
        result = _core.apply(OPS[_UFUNCS[name].__name__], number, number, (start, result), None)
    if keepdims:
        result = _core.reshape_view(result, tuple(1 if axis in axes else extent for axis, extent in enumerate(shape)))
    return as_value(result) if out is None else _store(result, out)


def _start(function, dtype, initial):
    """What a fold begins with, of its dtype: `initial`, or the identity; None when there is neither."""
    if initial is _unset:
        initial = function.identity
    if initial is None:
        return None
    start = numpy.empty((), dtype)
    if function.identity is not None and initial is function.identity:
        start[...] = numpy.asarray(initial).astype(dtype)  # -1 stands for all bits
    else:
        start[...] = unwrap(initial)  # NumPy's conversion and its errors
    return start


def mask_of(where):
    """The argument `where` as an array of bool. NumPy takes numbers in a list for truth, and refuses an array of them."""
    is_array = isinstance(where, (_core.Array, numpy.ndarray)) or has_distributed((where,))
    mask = asarray(where if is_array else numpy.asarray(where, bool))
    if mask.dtype != bool:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to {numpy.dtype(bool)!r} according to the rule 'safe'")
    return mask


def _masked(function, array, loop, where, start):
    """The array with what takes no part in the place of the elements that `where` leaves out."""
    name, mask = function.__name__, mask_of(where)
    if mask.ndim > array.ndim:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    if numpy.broadcast_shapes(mask.shape, array.shape) != array.shape:
        raise ValueError(
            f"non-broadcastable operand with shape {array.shape} doesn't match the broadcast shape of `where` {mask.shape}"
        )
    if start is None:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify 'initial'"
        )
    neutral = start if function.identity is None else _start(function, DTYPES[loop], _unset)
    return _core.apply(OPS["where"], loop, loop, (mask, array, neutral), None)


def _store(result, out):
    if out.shape != result.shape:
        raise ValueError(f"output parameter has the wrong shape: got {out.shape}, expected {result.shape}")
    out[...] = result
    return out


@numpys_own
def _fold(name, numpy_function, a, axis, dtype, out, keepdims, extra):
    a = asarray(a)
    extra = {key: value for key, value in extra.items() if value is not _unset}
    if extra.get("where", True) is True:
        extra.pop("where", None)
    if not has_distributed((a, out, *extra.values())):
        keywords = extra if dtype is None else {"dtype": dtype, **extra}
        if keepdims is not _unset:
            keywords["keepdims"] = keepdims
        result = call_numpy(numpy_function, name, (a,), {"axis": axis, "out": out, **keywords})
        return result if out is None else out
    if a._b is None:
        a = _core.upload(numpy.asarray(a))
    return reduce(name, a, axis, dtype, out, keepdims is not _unset and keepdims, **extra)


_DOC = """{summary}

Lazy: of a distributed array the result is a small distributed array. Its value is fetched when it is needed, as by float(),
if and print. {order}
Examples
--------
>>> import gamelan as np
>>> np.{name}([[1, 2], [3, 4]], axis=0).tolist()
{example}
"""
_ORDER = "The order of {what} differs from NumPy's. It does not depend on the number of engines.\n"


def _document(function, summary, example, what=""):
    order = _ORDER.format(what=what) if what else ""
    function.__doc__ = _DOC.format(summary=summary, name=function.__name__, example=example, order=order)
    return function


@numpys_own
def sum(a, axis=None, dtype=None, out=None, keepdims=_unset, initial=_unset, where=_unset):
    if isinstance(a, GeneratorType):
        return call_numpy(numpy.sum, "sum", (a, axis, dtype), {"out": out})  # with NumPy's warning
    return _fold("sum", numpy.sum, a, axis, dtype, out, keepdims, {"initial": initial, "where": where})


@numpys_own
def prod(a, axis=None, dtype=None, out=None, keepdims=_unset, initial=_unset, where=_unset):
    return _fold("prod", numpy.prod, a, axis, dtype, out, keepdims, {"initial": initial, "where": where})


def max(a, axis=None, out=None, keepdims=_unset, initial=_unset, where=_unset):
    return _fold("max", numpy.max, a, axis, None, out, keepdims, {"initial": initial, "where": where})


def min(a, axis=None, out=None, keepdims=_unset, initial=_unset, where=_unset):
    return _fold("min", numpy.min, a, axis, None, out, keepdims, {"initial": initial, "where": where})


def any(a, axis=None, out=None, keepdims=_unset, *, where=_unset):
    return _fold("any", numpy.any, a, axis, None, out, keepdims, {"where": where})


def all(a, axis=None, out=None, keepdims=_unset, *, where=_unset):
    return _fold("all", numpy.all, a, axis, None, out, keepdims, {"where": where})


_document(sum, "The sum of the elements over axes.", "[4, 6]", "additions")
_document(prod, "The product of the elements over axes.", "[3, 8]", "multiplications")
_document(max, "The maximum of the elements over axes; NaN propagates.", "[3, 4]")
_document(min, "The minimum of the elements over axes; NaN propagates.", "[1, 2]")
_document(any, "Test whether any element along the axes is true.", "[True, True]")
_document(all, "Test whether all elements along the axes are true.", "[True, True]")
amax, amin = max, min
alltrue, sometrue, product = all, any, prod  # NumPy's older names
