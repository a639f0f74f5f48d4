# SPDX-License-Identifier: BSD-3-Clause
"""Files of bare elements, without a header: fromfile and the methods tofile, tobytes, dump. Text, and bytes that are in the
notebook already, are NumPy's."""

import os

import numpy

from ._pieces import adopt, here, is_for_engines, read, write
from ._places import is_path, is_plain, path_of, resolve
from ._replacing import Replacement

__all__ = ["frombuffer", "fromfile", "fromstring"]


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """An array from the bytes of a file.

    Triggers evaluation. The engines read a large array, each its own part, before the function returns. Elements of the other
    byte order are converted. Text (with `sep`) is read by NumPy in the notebook's process.

    Examples
    --------
    >>> import gamelan as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     np.arange(4.0).tofile(os.path.join(directory, "raw"))
    ...     np.fromfile(os.path.join(directory, "raw"), offset=8, count=2).tolist()
    [1.0, 2.0]
    """
    dtype = numpy.dtype(dtype)
    if is_path(file):
        path, start = (resolve(file) if is_plain(file) else None), 0
    else:
        path = path_of(file)
        start = file.tell() if path is not None else 0
    if sep == "" and path is not None and os.path.isfile(path) and dtype.itemsize and start + offset >= 0:
        there = max(os.stat(path).st_size - start - offset, 0) // dtype.itemsize
        length = there if count < 0 else min(count, there)
        if length and is_for_engines(dtype, (length,)):
            result = read(path, start + offset, dtype, (length,))
            if not is_path(file):
                file.seek(start + offset + length * dtype.itemsize)
            return result
    return adopt(numpy.fromfile(file, dtype, count, sep, offset))


def tofile(array, file, sep="", format="%s"):
    """`array.tofile(file)` of a distributed array, in C order."""
    if sep != "":
        here(array).tofile(file, sep, format)
    elif not is_path(file):
        path = path_of(file)
        if path is None:
            here(array).tofile(file)
            return
        file.flush()
        offset = file.tell()
        write(array, path, offset)
        file.seek(offset + array.nbytes)
    elif is_plain(file) or os.path.isdir(file):
        with Replacement(file) as target:
            target.reserve(array.nbytes)
            write(array, target.path, 0)
            target.file.seek(array.nbytes)
    else:
        here(array).tofile(file)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """An array from the bytes of a buffer.

    A small array shares memory with the buffer. The bytes of a large one are copied to the engines; this triggers no
    evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> np.frombuffer(bytes([1, 0, 2, 0]), "<i2").tolist()
    [1, 2]
    """
    return adopt(numpy.frombuffer(buffer, dtype, count, offset))


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """An array from text.

    NumPy reads the text in the notebook's process, which needs no evaluation. A large result is copied to the engines.

    Examples
    --------
    >>> import gamelan as np
    >>> np.fromstring("1 2 3", dtype=int, sep=" ").tolist()
    [1, 2, 3]
    """
    return adopt(numpy.fromstring(string, dtype, count, sep=sep))
