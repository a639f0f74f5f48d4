# SPDX-License-Identifier: BSD-3-Clause
"""save and load. The header is NumPy's own code; where the elements of a large array go, only its length matters."""

import contextlib
import io
import math
import os

import numpy
from numpy.lib import format as npy

from .._creation import asarray
from .._errors import unimplemented
from .._local import is_distributed
from ._lazy import FileArray
from ._pieces import adopt, here, is_for_engines, read, write
from ._places import is_path, is_plain, path_of
from ._replacing import Replacement

_OTHER_MODES = ("c", "copyonwrite", "r+", "readwrite", "w+", "write")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def header_of(array):
    """The first bytes of the .npy file of a distributed array, and the array whose C order follows them."""
    is_fortran = array._a.flags.f_contiguous and not array._a.flags.c_contiguous
    facts = {"descr": npy.dtype_to_descr(array.dtype), "fortran_order": is_fortran, "shape": array.shape}
    header = io.BytesIO()
    npy.write_array_header_1_0(header, facts)
    return header.getvalue(), array.T if is_fortran else array


def read_header(file, max_header_size=npy._MAX_HEADER_SIZE):
    """Shape, is_fortran, dtype; the file stands at the first element afterwards."""
    version = npy.read_magic(file)
    npy._check_version(version)
    return npy._read_array_header(file, version, max_header_size=max_header_size)


def read_elements(path, offset, shape, is_fortran, dtype):
    """What the header announced, from a plain file, by the engines."""
    there = max(os.stat(path).st_size - offset, 0)
    if there < math.prod(shape) * dtype.itemsize:
        raise ValueError(
            f"cannot reshape array of size {there // dtype.itemsize} into shape {shape}: the file {path!r} is truncated"
        )
    array = read(path, offset, dtype, shape[::-1] if is_fortran else shape)
    return array.T if is_fortran else array


def save(file, arr, allow_pickle=True, fix_imports=True):
    """Write an array to a .npy file.

    Triggers evaluation. The engines write their parts at the same time; the file is complete when the function returns. A new
    file takes the place of an old one when all of it is on the disk. Until then, and after an error, the old one is there. An
    old file with hard links, of another owner, or open in this process is written in place, as by NumPy. The engines and the
    notebook must see the same file system. At most `config.gather_limit` elements go to an open file that is none of the
    system's (io.BytesIO, gzip).

    Examples
    --------
    >>> import gamelan as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     np.save(os.path.join(directory, "a.npy"), np.arange(3))
    ...     np.load(os.path.join(directory, "a.npy")).tolist()
    [0, 1, 2]
    """
    keywords = {"allow_pickle": allow_pickle, "fix_imports": fix_imports}
    if not is_distributed(arr):
        arr = _as_numpy(arr)
    if is_path(file):
        file = os.fspath(file)
        if not file.endswith(".npy"):
            file = file + ".npy"
        if not is_plain(file) and not os.path.isdir(file):
            return numpy.save(file, here(arr), **keywords)
        with Replacement(file) as target:
            _save_to(target.file, target.path, arr, target.reserve, keywords)
        return None
    return _save_to(file, path_of(file), arr, None, keywords)


def _as_numpy(value):
    """What is saved of something that is no distributed array; a list may have one in it."""
    try:
        value = asarray(value)
    except (TypeError, ValueError, NotImplementedError):
        return numpy.asanyarray(value)  # strings, objects, records
    return value if is_distributed(value) else value._a


def _save_to(file, path, array, reserve, keywords):
    if not is_distributed(array) or path is None:
        numpy.save(file, here(array), **keywords)
        return
    header, array = header_of(array)
    if reserve:
        reserve(len(header) + array.nbytes)
    file.write(header)
    file.flush()
    offset = file.tell()
    write(array, path, offset)
    file.seek(offset + array.nbytes)


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
    from ._npz import NpzFile

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
