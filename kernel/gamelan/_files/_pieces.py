# SPDX-License-Identifier: BSD-3-Clause
"""What the engines do with a file: read a strided box of it into a new array, write an array to it in C order. Both wait
until it is done, so that what happens to the file later is nobody's concern, and an error is raised where the user called."""

import contextlib
import math
import os

import numpy

from .. import _core
from .._creation._filled import filled
from .._errors import GamelanError
from .._local import rewrap, wrap_here
from .._promotion import OPS, dtype_number, is_supported


def is_for_engines(dtype, shape):
    """Do arrays like this live on the engines?"""
    return math.prod(shape) >= _core.threshold() and is_supported(dtype.newbyteorder("="))


@contextlib.contextmanager
def about(path):
    """An error of the system names the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, GamelanError) or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, path) from None


def read(path, offset, dtype, shape, strides=None):
    """The array of this shape whose elements stand in the file from `offset` on, `strides` bytes apart; in native order of
    bytes, wherever it is to live."""
    dtype = numpy.dtype(dtype)
    strides = _c_strides(shape, dtype.itemsize) if strides is None else strides
    if not is_for_engines(dtype, shape) or any(stride % dtype.itemsize for stride in strides):
        return adopt(_read_here(path, offset, dtype, shape, strides))
    if 0 in shape:
        return filled(shape, dtype.newbyteorder("="), 0)
    axes = sorted(range(len(shape)), key=lambda axis: -abs(strides[axis]))  # as they stand in the file
    flips = tuple(slice(None, None, -1 if stride < 0 else None) for stride in strides)
    offset += sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride < 0)
    result = _read_forward(
        path, offset, dtype, [shape[axis] for axis in axes] or [1], [abs(strides[axis]) for axis in axes] or [dtype.itemsize]
    )
    if not shape:
        return result.reshape(())
    if axes != sorted(axes):
        result = result.transpose(numpy.argsort(axes))
    return result[flips] if any(flip.step for flip in flips) else result


def _c_strides(shape, item_bytes):
    return [item_bytes * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _read_forward(path, offset, dtype, extents, strides):
    _core.flush(True)  # what the program did before has its own errors
    number = dtype_number(dtype.newbyteorder("="))
    result = _core.empty(tuple(extents), number)
    _core.record_file(OPS["read_file"], number, result, (), (offset, int(not dtype.isnative), *strides), os.fsencode(path))
    with about(path):
        _core.flush(True)
    return settled(result)


def _read_here(path, offset, dtype, shape, strides):
    """A few elements: NumPy's copy of a view of the file."""
    if 0 in shape:
        return numpy.empty(shape, dtype)
    first = offset + sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride < 0)
    last = offset + sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride > 0) + dtype.itemsize
    file = numpy.memmap(path, "u1", "r", first, (last - first,))
    view = numpy.ndarray(shape, dtype, file, offset - first, strides)
    return view.astype(dtype.newbyteorder("=")) if is_supported(dtype.newbyteorder("=")) else view.copy()


def settled(array):
    """An array that was read: 0 and 1 for its bools, of which a file may hold any byte."""
    return array.astype(bool) if array.dtype == bool else array


def write(array, path, offset, checksums=False, is_behind=False):
    """Writes a distributed array in C order. Returns, with `checksums`, CRC-32 and bytes of pieces that follow each other.
    `is_behind`: with checksums; the engines may write a copy while later commands run (`bytes_behind` of their status)."""
    return _write(array, path, offset, checksums, b"\0later" if is_behind else b"")


def write_pieces(array, name):
    """Each rank writes its part of a distributed array to the memory of its node. Returns CRC-32 and bytes of these parts."""
    return _write(array, name, 0, True, op="write_pieces")


def checksum(array):
    """CRC-32 and bytes of the pieces that `write` would write of a distributed array."""
    return _write(array, "", 0, True)


def _write(array, path, offset, checksums, how=b"", op="write_file"):
    if array.size == 0:
        return []
    _core.flush(True)
    if array.ndim == 0:
        array = array.reshape((1,))
    words = 2 * max(_core.ranks(), 1)
    receipts = _core.empty((words,), dtype_number(numpy.int64), array)
    _core.record_file(OPS[op], dtype_number(array.dtype), receipts, (array,), (offset, int(checksums)), os.fsencode(path) + how)
    with about(path):
        (receipts,) = _core.fetch([receipts])
    if receipts[1::2].sum() != array.nbytes:
        raise GamelanError(f"the engines wrote {receipts[1::2].sum()} of {array.nbytes} bytes to {path!r}")
    return receipts.reshape(-1, 2).tolist()


def adopt(value):
    """What NumPy has read, as our array; one of strings, records or objects stays here whatever its size."""
    if not isinstance(value, numpy.ndarray):
        return rewrap(value)
    value = numpy.asarray(value)  # of a numpy.memmap
    return rewrap(value) if is_supported(value.dtype.newbyteorder("=")) else wrap_here(value)


def here(array):
    """What NumPy's own functions for files may be given: bounded by `config.gather_limit`."""
    return numpy.asarray(array) if _core.is_ours(array) else array
