# SPDX-License-Identifier: BSD-3-Clause
"""Zarr, format version 2: the zarr package (2 or 3), in the notebook, reads small arrays and the shape and dtype of any; the
engines read and unpack the chunks of large ones. Filters and codecs that engines do not have are refused by name."""

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

_CODECS = {"zlib": 1, "gzip": 1, "blosc": 2, "zstd": 2}  # protocol/datasets.hpp; Blosc's library holds Zstandard


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
        If the array is of format version 3, or a large one has filters or is packed by other codecs than Blosc, zlib,
        gzip and Zstandard.
    ValueError
        If a chunk does not unpack to its size.

    See Also
    --------
    load_hdf5
    """
    zarr = _zarr()
    path = resolve(path)
    facts_path = os.path.join(path, ".zarray")
    if os.path.isfile(os.path.join(path, "zarr.json")):
        raise unimplemented("load_zarr of format version 3", "write it with zarr_format=2")
    if not os.path.isfile(facts_path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), facts_path)
    source = zarr.open_array(path, mode="r")
    part = select(key, source.shape, "load_zarr")
    if not is_for_engines(source.dtype, tuple(part.extents)) or not part.extents:
        return adopt(numpy.asarray(part.of(source)).astype(source.dtype.newbyteorder("="), copy=False))
    with open(facts_path, encoding="utf-8") as file:  # of these facts zarr 2 and 3 say not the same
        stored = json.load(file)
    codec, filters = (stored["compressor"] or {}).get("id"), stored["filters"]
    if filters or (codec and codec not in _CODECS):
        what = f"the codec {codec}" if codec and codec not in _CODECS else f"the filter {filters[0]['id']}"
        raise unimplemented(f"load_zarr of an array with {what}", "zarr.copy it to one packed by Blosc, Zstandard, zlib or gzip")
    is_nested = stored.get("dimension_separator", ".") == "/"
    native = source.dtype.newbyteorder("=")
    filling = source.fill_value
    if numpy.size(filling) == 2:  # zarr 3.0 leaves a complex number in the two parts that stand in the file
        filling = complex(*numpy.real(filling))
    filling = native.type(0 if filling is None else filling)
    facts = _CODECS.get(codec, 0), int(stored["order"] == "F"), int(not source.dtype.isnative), int(is_nested)
    return read_part("read_zarr", native, part, (filling,), facts, os.fsencode(path), path, source.chunks)


def _zarr():
    try:
        import zarr
    except ImportError:
        raise ImportError("Zarr arrays need zarr in the notebook: apt install python3-zarr, or pip install zarr") from None
    return zarr
