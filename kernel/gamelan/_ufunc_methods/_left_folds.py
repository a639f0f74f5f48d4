# SPDX-License-Identifier: BSD-3-Clause
"""ufunc.reduce where the operation is not associative: from the left, as NumPy says. The engines' `put` with an operation
takes row after row into one row of results: those lie apart, so that many results are folded side by side; a single one is
folded where it lies, by one engine, and costs as long as in NumPy."""

import numpy

from .. import _core
from .._arguments import flag, fold_axes
from .._creation._filled import filled
from .._creation._from_data import copy_of
from .._errors import unimplemented
from .._folds._reductions import asked_by_out
from .._local import as_output, as_value, unwrap
from .._views._plain import moveaxis
from ._at import put_rows

_unset = numpy._NoValue


def decided(ufunc, array, dtype, out):
    """The dtype of the fold; NumPy's errors."""
    if dtype is None and out is not None:
        dtype = asked_by_out(ufunc._numpy, array.dtype, out.dtype)
    with numpy.errstate(all="ignore"):
        return ufunc._numpy.reduce(numpy.ones(2, array.dtype), dtype=dtype).dtype


def reduce_from_the_left(ufunc, array, axis, dtype, out, keepdims, initial, where):
    """`ufunc.reduce` of a distributed array."""
    out = None if out is None else as_output(out)
    axes = fold_axes(axis, array.ndim)
    working = decided(ufunc, array, dtype, out)
    name = ufunc.__name__
    if len(axes) > 1:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    if where is not True:
        raise unimplemented(f"{name}.reduce(where=...)")
    has_initial = initial is not _unset and initial is not None
    if not axes:
        result = array.astype(working)
    else:
        rows = moveaxis(array, axes[0], 0)
        if rows.shape[0] == 0 and not has_initial:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        result = filled(rows.shape[1:], working, unwrap(initial)) if has_initial else copy_of(rows[0]).astype(working, copy=False)
        rest = rows if has_initial else rows[1:]
        if rest.size:
            _require_exponents(name, rest, working)
            fold_rows(name, result, rest)
        if flag(keepdims):
            shape = tuple(1 if place == axes[0] else extent for place, extent in enumerate(array.shape))
            result = _core.reshape_view(result, shape)
    if out is None:
        return as_value(result)
    if out.shape != result.shape:
        raise ValueError(f"output parameter has the wrong shape: got {out.shape}, expected {result.shape}")
    out[...] = result
    return out


def _require_exponents(name, exponents, working):
    if name == "power" and working.kind == "i" and exponents.dtype.kind == "i" and bool((exponents < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")


def fold_rows(name, result, rows):
    """result = op(result, row) for row after row."""
    rows = rows if rows.dtype == result.dtype else rows.astype(result.dtype)
    target = _core.reshape_view(result, (1, *result.shape))
    put_rows(name, target, filled((rows.shape[0],), numpy.uint8, 0), rows)
