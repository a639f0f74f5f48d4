# SPDX-License-Identifier: BSD-3-Clause
"""ufunc.reduceat: folds of slices of an axis. Slices of a row the engines fold where they lie. Others, or with operations
that are not associative, are written out one after the other (they may overlap), each
element with the number of its slice; the first of each slice begins its result, the others are taken in from the left."""

import numpy

from .. import _core
from .._arguments import axis_of, single_axis
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._folds._bounds import extremes
from .._folds._reductions import FOLD_OF
from .._indexing._take_put import take
from .._local import as_output, has_distributed, is_distributed
from .._promotion import OPS, dtype_number
from .._views._plain import moveaxis
from ._at import put_rows
from ._left_folds import decided


def reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    """`ufunc.reduceat` of an array and indices of which one is distributed."""
    array = asarray(array)
    if not is_distributed(array):
        array = _core.upload(numpy.asarray(array))
    if ufunc.nin != 2 or ufunc.nout != 1:
        ufunc._numpy.reduceat(numpy.ones(1), [0])  # NumPy's words
    out = None if out is None else as_output(out)
    axis = single_axis(axis, array.ndim, "reduceat")
    if array.ndim == 0:
        axis_of(axis, 1 if axis in (0, -1) else 0)
        raise TypeError("cannot reduceat on a scalar")
    working = decided(ufunc, array, dtype, out)
    extent = array.shape[axis]
    starts = _starts(ufunc.__name__, indices, extent)
    rows = moveaxis(array, axis, 0)
    if starts.size == 0:
        result = filled((0, *rows.shape[1:]), working, 0)
    else:
        result = _folded(ufunc.__name__, rows if rows.dtype == working else rows.astype(working), starts, extent)
    result = moveaxis(result, 0, axis)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError("provided out is the wrong size for the reduction")
    out[...] = result
    return out


def _starts(name, indices, extent):
    if isinstance(indices, (list, tuple)) and not has_distributed((indices,)):
        indices = numpy.array(indices, numpy.intp)
    starts = asarray(indices)
    if starts.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {starts.dtype!r} to {numpy.dtype(numpy.intp)!r} according to the rule 'safe'"
        )
    if starts.ndim > 1:
        raise ValueError("object too deep for desired array")
    starts = starts.reshape(-1).astype(numpy.int64)
    if starts.size:
        low, high = extremes(starts, extent) if is_distributed(starts) else (int(numpy.min(starts._a)), int(numpy.max(starts._a)))
        if low < 0 or high >= extent:
            raise IndexError(f"index {low if low < 0 else high} out-of-bounds in {name}.reduceat [0, {extent})")
    return starts


def _folded(name, rows, starts, extent):
    count = starts.size
    starts = starts if is_distributed(starts) else _core.upload(starts._a)
    if rows.ndim == 1 and name in FOLD_OF:
        number = dtype_number(rows.dtype)
        result = _core.empty((count,), number, rows)
        _core.record(OPS["reduceat"], number, result, True, (rows, starts), (OPS[name],))
        return result
    ends = filled((count,), numpy.int64, extent)
    ends[:-1] = starts[1:]
    lengths = _core.evaluate(OPS["maximum"], ends - starts, 1)
    lasts = lengths.cumsum()
    total = int(lasts[-1])
    result = filled((count + 1, *rows.shape[1:]), rows.dtype, 0)  # the last row takes what is not to be taken in
    result[:-1] = take(rows, starts, 0)
    if total > count:
        begins = lasts - lengths
        is_begin = filled((total,), numpy.int64, 0)
        put_rows("add", is_begin, begins, numpy.int64(1))
        slice_of = is_begin.cumsum() - 1
        place = take(starts - begins, slice_of) + arange(total)
        target = _core.evaluate(OPS["where"], is_begin != 0, count, slice_of)
        put_rows(name, result, target, take(rows, place, 0))
    return result[:-1]
