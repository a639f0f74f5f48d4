# SPDX-License-Identifier: BSD-3-Clause
"""HDF5: h5py, in the notebook, reads and writes what the file says of a dataset; the elements of a contiguous one stand in
one piece, which the engines read and write like any file. Chunks and filters are refused by name."""
import os

import numpy

from .._creation import asarray, full
from .._errors import NotImplementedName, unimplemented
from .._local import is_distributed
from .._promotion import is_supported
from ._pieces import adopt, here, is_for_engines, read, write
from ._places import Replacement, resolve


def _h5py():
    try:
        import h5py
    except ImportError:
        raise ImportError("HDF5 files need h5py in the notebook: apt install python3-h5py, or pip install h5py") from None
    return h5py


def load_hdf5(path, dataset):
    """A dataset of an HDF5 file. The engines read a large one, each its own part, before the function returns.

    The dataset must be contiguous, which is how h5py makes one unless asked otherwise; one in chunks may be made contiguous
    by `h5repack -l CONTI`. A small one h5py reads whatever it is. Needs h5py.

    Parameters
    ----------
    path : str or path-like
    dataset : str
        Its name in the file, as in ``h5py.File(path)[dataset]``.

    See Also
    --------
    save_hdf5
    """
    path = resolve(path)
    with _h5py().File(path, "r") as file:
        source = file[dataset]
        shape, dtype = source.shape, source.dtype
        if not is_for_engines(dtype, shape or ()):
            return adopt(numpy.asarray(source[()]))
        if source.chunks is not None or source.external or source.is_virtual:
            raise unimplemented("load_hdf5 of a dataset in chunks", "h5repack -l CONTI makes it contiguous")
        offset, filling = source.id.get_offset(), source.fillvalue
        is_compact = source.id.get_create_plist().get_layout() == _h5py().h5d.COMPACT
        if is_compact:
            return asarray(source[()])
    if offset is None:  # nothing was ever written
        return full(shape, filling, dtype.newbyteorder("="))
    return read(path, offset, dtype, shape)


def save_hdf5(path, dataset, x):
    """Write an array to a new, contiguous dataset of an HDF5 file. Triggers evaluation.

    A file that is not there yet appears when it is complete. In one that is there the dataset is added in place, and
    removed when the writing fails; a name that is taken raises ValueError. Needs h5py.

    Parameters
    ----------
    path : str or path-like
    dataset : str
    x : array_like

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
            made = h5py.h5d.create(file.id, dataset.encode(), h5py.h5t.py_create(x.dtype, logical=True), h5py.h5s.create_simple(x.shape), plan, _links(h5py))
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


def load_zarr(*arguments, **keywords):
    """Not there: Zarr's chunks are compressed one by one. `numpy.asarray(zarr.open(path))` in parts, or `load_hdf5`."""
    raise NotImplementedName("gamelan.load_zarr is not implemented yet; zarr.open(path)[...] makes NumPy arrays, which gamelan.asarray takes")

