# SPDX-License-Identifier: BSD-3-Clause
"""save, and the parts of a .npy file. The header is NumPy's own code; where the elements of a large array go, only its length
matters."""

import io
import math
import os

import numpy

from .._creation._from_data import asarray
from .._imported_numpy import npy_format as npy
from .._local import is_distributed
from ._pieces import here, read, write
from ._places import is_path, is_plain, path_of
from ._replacing import Replacement

__all__ = ["save"]


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
    keywords = {"allow_pickle": allow_pickle} | ({} if fix_imports is True else {"fix_imports": fix_imports})
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
