# SPDX-License-Identifier: BSD-3-Clause
"""load: a .npy, .npz or pickle file, told apart by its first bytes."""

import contextlib
import math
import os

import numpy


from .._errors import unimplemented
from .._imported_numpy import npy_format as npy
from ._lazy import FileArray
from ._npy import read_elements, read_header
from ._npz import NpzFile
from ._pieces import adopt, is_for_engines
from ._places import is_path, path_of

__all__ = ["load"]

_OTHER_MODES = ("c", "copyonwrite", "r+", "readwrite", "w+", "write")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=npy._MAX_HEADER_SIZE):
    """Read arrays from a .npy, .npz or pickle file.

    Triggers evaluation. The engines read a large array, each its own part, before the function returns. Elements of the other
    byte order are converted. With `mmap_mode="r"` nothing is read yet: the result is a `FileArray`, and each subscript reads
    just that part. Large arrays have no other modes.

    Examples
    --------
    >>> import gamelan as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     np.save(os.path.join(directory, "a.npy"), np.arange(6).reshape(2, 3))
    ...     np.load(os.path.join(directory, "a.npy"), mmap_mode="r")[1, 1:].tolist()
    [4, 5]
    """
    keywords = {"allow_pickle": allow_pickle, "fix_imports": fix_imports, "encoding": encoding}
    if encoding not in ("ASCII", "latin1", "bytes"):
        raise ValueError("encoding must be 'ASCII', 'latin1', or 'bytes'")
    with contextlib.ExitStack() as stack:
        is_named = not hasattr(file, "read")
        opened = stack.enter_context(open(os.fspath(file), "rb")) if is_named else file
        start = opened.tell() if is_named or path_of(opened) else None
        magic = opened.read(len(npy.MAGIC_PREFIX))
        opened.seek(-len(magic), os.SEEK_CUR)
        if magic.startswith(_ZIP):
            stack.pop_all()
            return NpzFile(opened, is_named, allow_pickle, keywords, max_header_size)
        path = path_of(opened)
        if magic != npy.MAGIC_PREFIX or path is None:
            return adopt(_numpy_load(opened, None if is_named else mmap_mode, keywords, max_header_size))
        shape, is_fortran, dtype = read_header(opened, 2**64 if allow_pickle else max_header_size)
        offset = opened.tell()
        if mmap_mode:
            return _mapped(file, path, mmap_mode, offset, shape, is_fortran, dtype, max_header_size)
        if not is_for_engines(dtype, shape):
            opened.seek(start)
            return adopt(_numpy_load(opened, None, keywords, max_header_size))
        array = read_elements(path, offset, shape, is_fortran, dtype)
        opened.seek(offset + array.nbytes)
        return array


def _numpy_load(file, mmap_mode, keywords, max_header_size):
    return numpy.load(file, mmap_mode, max_header_size=max_header_size, **keywords)


def _mapped(file, path, mode, offset, shape, is_fortran, dtype, max_header_size):
    is_large = is_for_engines(dtype, shape)
    if is_large and is_path(file) and mode in _OTHER_MODES:
        raise unimplemented(f"load(mmap_mode={mode!r})", "only 'r' is there; numpy.load maps the file in the notebook")
    if not is_large or not is_path(file) or mode not in ("r", "readonly"):
        return adopt(numpy.load(file, mode, max_header_size=max_header_size))
    if os.stat(path).st_size - offset < math.prod(shape) * dtype.itemsize:
        raise ValueError(f"mmap length is greater than file size: {path!r} is truncated")
    return FileArray(path, offset, dtype, shape, is_fortran)
