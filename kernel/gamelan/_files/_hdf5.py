# SPDX-License-Identifier: BSD-3-Clause
"""HDF5: h5py, in the notebook, reads and writes what the file says of a dataset. The engines read its elements by the HDF5
library; a new dataset is contiguous, so that they write it like any file."""

import os

import numpy

from .._creation._from_data import asarray
from .._errors import unimplemented
from .._local import is_distributed
from .._promotion import is_supported
from ._datasets import read_part
from ._pieces import adopt, here, is_for_engines, write
from ._places import resolve
from ._replacing import Replacement
from ._selection import select

__all__ = ["load_hdf5", "save_hdf5"]


def _h5py():
    try:
        import h5py
    except ImportError:
        raise ImportError("HDF5 files need h5py in the notebook: apt install python3-h5py, or pip install h5py") from None
    return h5py


def load_hdf5(path, dataset, key=...):
    """Read a dataset of an HDF5 file, or a part of it.

    The engines read a large array, each its own part, before the function returns. h5py reads a small one. Chunks and the filters
    of the HDF5 library (gzip, shuffle, ...) are unpacked. Needs h5py.

    Parameters
    ----------
    path : str or path-like
        The file.
    dataset : str
        The name of the dataset, as in ``h5py.File(path)[dataset]``.
    key : int, slice, Ellipsis or tuple of them, optional
        The part that is read. By default all of it.

    Returns
    -------
    ndarray
        In native byte order. Elements that were never written have the dataset's fill value.

    Raises
    ------
    ImportError
        If h5py is not installed.
    IndexError
        If `key` is outside the dataset.
    KeyError
        If the file has no such dataset.
    NotImplementedError
        If a large dataset has filters that are not HDF5's own.
    OSError
        If the file cannot be read.
    ValueError
        If the engines' HDF5 library cannot read the dataset, with its reason.

    See Also
    --------
    save_hdf5, load_zarr
    """
    h5py, path = _h5py(), resolve(path)
    with h5py.File(path, "r") as file:
        source = file[dataset]
        shape, dtype = source.shape, source.dtype
        if shape is None:
            raise ValueError(f"dataset {dataset!r} of {path} has no elements at all (a null dataspace)")
        part = select(key, shape, "load_hdf5")
        if not part.extents or not is_for_engines(dtype, tuple(part.extents)):
            return adopt(numpy.asarray(part.of(source)).astype(dtype.newbyteorder("="), copy=False))
        _require_filters(h5py, source)
    return read_part("read_hdf5", dtype, part, (), (), os.fsencode(path) + b"\0" + dataset.encode(), path)


def _require_filters(h5py, source):
    """The engines' library has HDF5's own filters; h5py, which is here, may have more."""
    plan = source.id.get_create_plist()
    known = (
        h5py.h5z.FILTER_DEFLATE,
        h5py.h5z.FILTER_SHUFFLE,
        h5py.h5z.FILTER_FLETCHER32,
        h5py.h5z.FILTER_SZIP,
        h5py.h5z.FILTER_NBIT,
        h5py.h5z.FILTER_SCALEOFFSET,
    )
    for code, _, _, name in (plan.get_filter(place) for place in range(plan.get_nfilters())):
        if code not in known:
            raise unimplemented(
                f"load_hdf5 of a dataset with the filter {name.decode(errors='replace') or code}",
                "h5repack -f GZIP=4 writes it with one that every HDF5 library has",
            )


def save_hdf5(path, dataset, x):
    """Write an array to a new, contiguous dataset of an HDF5 file.

    Triggers evaluation. A file that does not exist yet appears when it is complete. To an existing file the dataset is added in
    place, and removed when the writing fails. Needs h5py.

    Parameters
    ----------
    path : str or path-like
        The file.
    dataset : str
        The name of the new dataset.
    x : array_like
        The array.

    Returns
    -------
    None

    Raises
    ------
    ImportError
        If h5py is not installed.
    OSError
        If the file cannot be written, or there is no space for it.
    ValueError
        If the name is taken.

    See Also
    --------
    load_hdf5
    """
    h5py = _h5py()
    x = asarray(x)
    if not os.path.exists(path):
        with Replacement(path) as target:
            target.reserve(x.nbytes)
            _add(h5py, target.path, "w", dataset, x)
        return
    try:
        _add(h5py, resolve(path), "r+", dataset, x)
    except BaseException as error:
        if not getattr(error, "is_before", False):
            with h5py.File(resolve(path), "r+") as file:
                del file[dataset]
        raise


def _add(h5py, path, mode, dataset, x):
    try:
        with h5py.File(path, mode) as file:
            if not is_distributed(x) or x.size == 0 or not is_supported(x.dtype):
                file.create_dataset(dataset, data=here(x))
                return
            plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plan.set_layout(h5py.h5d.CONTIGUOUS)
            plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            made = h5py.h5d.create(
                file.id,
                dataset.encode(),
                h5py.h5t.py_create(x.dtype, logical=True),
                h5py.h5s.create_simple(x.shape),
                plan,
                _links(h5py),
            )
            offset = made.get_offset()
    except BaseException as error:
        error.is_before = True
        raise
    write(x, path, offset)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _links(h5py):
    """Groups in the name of a dataset are made, as h5py does."""
    links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    return links
