# SPDX-License-Identifier: BSD-3-Clause
"""packbits and unpackbits: the engines exchange eight elements and one byte, in one row of all lines. Where lines end within
a byte, zeros are put behind them first."""

import numpy

from .. import _core
from .._arguments import axis_of, whole
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._local import call_numpy, is_distributed
from .._promotion import OPS, dtype_number
from .._views._plain import moveaxis
from .._views._reshape import ravel, reshape

__all__ = ["packbits", "unpackbits"]

_BYTE = numpy.dtype(numpy.uint8)


def _exchanged(name, lines, extent, bitorder):
    """The lines packed or unpacked, each to so many bytes."""
    if 0 in lines.shape or extent == 0:
        return filled((*lines.shape[:-1], extent), _BYTE, 0)
    row = reshape(lines, (lines.size,))
    result = _core.empty((lines.size // lines.shape[-1] * extent,), dtype_number(_BYTE), row)
    _core.record(OPS[name], dtype_number(row.dtype), result, True, (row,), (int(bitorder[0] == "l"),))
    return _core.reshape_view(result, (*lines.shape[:-1], extent))


def _lines(a, axis):
    """The array with that axis last, or all its elements as one line; and where the axis was."""
    if axis is None or a.ndim == 0:
        a = ravel(a)
    axis = axis_of(-1 if axis is None else axis, a.ndim)
    return moveaxis(a, axis, -1), axis


def _resized(lines, extent):
    """The lines cut off at, or filled with zeros up to, another extent."""
    if lines.shape[-1] >= extent:
        return lines[..., :extent]
    result = filled((*lines.shape[:-1], extent), lines.dtype, 0)
    result[..., : lines.shape[-1]] = lines
    return result


def packbits(a, axis=None, bitorder="big"):
    """Pack the elements of a binary array into the bits of bytes.

    Examples
    --------
    >>> import gamelan as np
    >>> np.packbits([1, 0, 0, 0, 0, 0, 1, 1, 1]).tolist()
    [131, 128]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.packbits, "packbits", (a, axis, bitorder), {})
    numpy.packbits(numpy.empty(0, a.dtype), bitorder=bitorder)  # for NumPy's errors
    lines, axis = _lines(a, axis)
    count = -(-lines.shape[-1] // 8)
    lines = lines if lines.size == lines.shape[-1] else _resized(lines, 8 * count)
    return moveaxis(_exchanged("packbits", lines, count, bitorder), -1, axis)


def unpackbits(a, axis=None, count=None, bitorder="big"):
    """Unpack the bits of bytes into a binary array.

    Examples
    --------
    >>> import gamelan as np
    >>> np.unpackbits(np.array([131], np.uint8)).tolist()
    [1, 0, 0, 0, 0, 0, 1, 1]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.unpackbits, "unpackbits", (a, axis, count, bitorder), {})
    numpy.unpackbits(numpy.empty(0, a.dtype), bitorder=bitorder)  # for NumPy's errors
    lines, axis = _lines(a, axis)
    extent = 8 * lines.shape[-1]
    wanted = extent if count is None else whole(count)
    if wanted < -extent:
        raise ValueError("-count larger than number of elements")
    wanted = wanted if wanted >= 0 else extent + wanted
    is_row = lines.size == lines.shape[-1]
    bits = _exchanged("unpackbits", lines, min(wanted, extent) if is_row else extent, bitorder)
    bits = _resized(bits, wanted)
    return moveaxis(bits, -1, axis)
