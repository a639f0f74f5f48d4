# SPDX-License-Identifier: BSD-3-Clause
"""Zarr, format version 2: the zarr package, in the notebook, reads what the folder says of an array; the engines read and
unpack the chunks. Filters and codecs that engines do not have are refused by name."""

import errno
import json
import os

import numpy

from .._errors import unimplemented
from ._datasets import read_part
from ._pieces import adopt, is_for_engines
from ._places import resolve
from ._selection import select

__all__ = ["load_zarr"]

_CODECS = {"zlib": 1, "gzip": 1, "blosc": 2}  # protocol/datasets.hpp


def load_zarr(path, key=...):
    """Read an array of a Zarr store (format version 2) in a folder, or a part of it.

    The engines read a large array, each its own part, before the function returns. zarr reads a small one. Needs zarr.

    Parameters
    ----------
    path : str or path-like
        The folder that holds ``.zarray``: of an array in a group, ``"store.zarr/group/name"``.
    key : int, slice, Ellipsis or tuple of them, optional
        The part that is read. By default all of it.

    Returns
    -------
    ndarray
        In native byte order. Chunks that were never written have the array's fill value.

    Raises
    ------
    FileNotFoundError
        If the folder has no ``.zarray``.
    ImportError
        If zarr is not installed.
    IndexError
        If `key` is outside the array.
    NotImplementedError
        If a large array has filters, or is packed by other codecs than Blosc, zlib and gzip.
    ValueError
        If a chunk does not unpack to its size.

    See Also
    --------
    load_hdf5
    """
    zarr = _zarr()
    path = resolve(path)
    facts_path = os.path.join(path, ".zarray")
    if not os.path.isfile(facts_path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), facts_path)
    source = zarr.open_array(path, mode="r")
    part = select(key, source.shape, "load_zarr")
    if not is_for_engines(source.dtype, tuple(part.extents)) or not part.extents:
        return adopt(numpy.asarray(part.of(source)).astype(source.dtype.newbyteorder("="), copy=False))
    codec = source.compressor and source.compressor.codec_id
    if source.filters or (codec and codec not in _CODECS):
        what = f"the codec {codec}" if codec and codec not in _CODECS else f"the filter {source.filters[0].codec_id}"
        raise unimplemented(f"load_zarr of an array with {what}", "zarr.copy it to one packed by Blosc, zlib or gzip")
    with open(facts_path, encoding="utf-8") as file:
        is_nested = json.load(file).get("dimension_separator", ".") == "/"
    native = source.dtype.newbyteorder("=")
    filling = native.type(0 if source.fill_value is None else source.fill_value)
    facts = _CODECS.get(codec, 0), int(source.order == "F"), int(not source.dtype.isnative), int(is_nested)
    return read_part("read_zarr", native, part, (filling,), facts, os.fsencode(path), path, source.chunks)


def _zarr():
    try:
        import zarr
    except ImportError:
        raise ImportError("Zarr arrays need zarr in the notebook: apt install python3-zarr, or pip install 'zarr<3'") from None
    return zarr
