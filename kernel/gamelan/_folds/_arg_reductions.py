# SPDX-License-Identifier: BSD-3-Clause
"""argmin and argmax. The engines look through each line once; a long line in pieces of a length of their own, and then
through what was found in these. Complex numbers take two passes: the smallest index at which an array equals its fold."""

import math

import numpy

from .. import _core
from .._arguments import axis_of, checked_axis
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._local import as_value, call_numpy, is_distributed, is_output
from .._promotion import OPS, dtype_number
from .._ufuncs._where import either
from .._views._reshape import ravel, reshape
from . import _reductions
from ._bounds import remember

__all__ = ["argmax", "argmin"]

_unset = numpy._NoValue
_INTP = dtype_number(numpy.intp)
_LONG, _PIECE = 32768, 4096  # elements of a line that all engines share, and of what one looks through at a time


def _arg(name, a, axis, out, keepdims):
    a = asarray(a)
    if not is_distributed(a):
        keywords = {} if keepdims is _unset else {"keepdims": keepdims}
        result = call_numpy(getattr(numpy, name), name, (a,), {"axis": axis, "out": out, **keywords})
        return result if out is None else out
    if out is not None:
        if not is_output(out):
            raise TypeError("output must be an array")
    shape = a.shape
    axis = None if axis is None else checked_axis(axis)
    if axis is None or a.ndim == 0 and axis in (0, -1):
        a, axis, kept = ravel(a), 0, (1,) * a.ndim
        shape = a.shape
    else:
        axis = axis_of(axis, a.ndim)
        kept = shape[:axis] + (1,) + shape[axis + 1 :]
    extent = shape[axis]
    if extent == 0 and math.prod(kept):
        raise ValueError(f"attempt to get {name} of an empty sequence")
    if 0 in shape or a.dtype.kind == "c":
        result = _by_comparison(name, a, axis, extent)
    elif a.ndim == 1 and extent >= _LONG:
        result = _of_row(name, a)
    else:
        result = _core.empty(shape[:axis] + (1,) + shape[axis + 1 :], _INTP, a)
        _core.record(OPS[name], dtype_number(a.dtype), result, True, (a,), (axis,))
        result = _core.reshape_view(result, shape[:axis] + shape[axis + 1 :])
    if keepdims is not _unset and keepdims:  # in the sense of Python
        result = reshape(result, kept)
    if is_distributed(result) and extent:
        remember(result, 0, extent - 1)
    if out is None:
        return as_value(result) if is_distributed(result) else result
    if out.shape != result.shape:
        raise ValueError(f"output array does not match result of np.{name}.")
    if not numpy.can_cast(out.dtype, numpy.intp):
        raise TypeError(f"Cannot cast array data from {out.dtype!r} to {numpy.dtype(numpy.intp)!r} according to the rule 'safe'")
    out[...] = result
    return out


def _by_comparison(name, a, axis, extent):
    extreme = _reductions.reduce(name[3:], a, axis, keepdims=True)
    # Of an array with NaN the extreme is NaN, and equals nothing: then the first NaN counts, which alone is not itself.
    found = a == extreme
    if a.dtype.kind in "fc":
        found |= a != a
    along = reshape(arange(extent), (extent,) + (1,) * (a.ndim - axis - 1))
    return _reductions.reduce("min", either(found, along, extent), axis)


def _of_row(name, row):
    """Of a long row: what is found in each piece is a row to look through, too."""
    number, places = dtype_number(row.dtype), None
    while True:
        length = row.shape[0]
        piece = _PIECE if length > _PIECE else length
        found = _core.empty((-(-length // piece),), _INTP, row)
        _core.record(OPS[name], number, found, True, (row,), (0, piece))
        places = found if places is None else _taken(places, found)
        if found.shape[0] == 1:
            return _core.reshape_view(places, ())
        row = _taken(row, found)


def _taken(row, index):
    result = _core.empty(index.shape, dtype_number(row.dtype))
    _core.record(OPS["take"], dtype_number(row.dtype), result, True, (row, index), (0,))
    return result


_DOC = """The index of the {which} along an axis, or of the flattened array.

Lazy: of a distributed array the result is a distributed array of dtype intp.

Examples
--------
>>> import gamelan as np
>>> np.{name}([[3, 1, 2], [4, 6, 5]], axis=1).tolist()
{example}
"""


def argmin(a, axis=None, out=None, *, keepdims=_unset):
    return _arg("argmin", a, axis, out, keepdims)


def argmax(a, axis=None, out=None, *, keepdims=_unset):
    return _arg("argmax", a, axis, out, keepdims)


argmin.__doc__ = _DOC.format(which="minimum", name="argmin", example="[1, 0]")
argmax.__doc__ = _DOC.format(which="maximum", name="argmax", example="[0, 1]")
