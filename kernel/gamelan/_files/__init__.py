# SPDX-License-Identifier: BSD-3-Clause
"""Files: .npy, .npz, raw bytes, HDF5, Zarr and text. The engines read and write the elements of large arrays themselves, each its
own part; the notebook reads and writes headers, and gives a file its name when all of it is on disk."""

from ._hdf5 import load_hdf5, save_hdf5
from ._npy import load, save
from ._npz import savez, savez_compressed
from ._raw import frombuffer, fromfile, fromstring
from ._text import genfromtxt, loadtxt, savetxt
from ._zarr import load_zarr

__all__ = [
    "frombuffer",
    "fromfile",
    "fromstring",
    "genfromtxt",
    "load",
    "load_hdf5",
    "load_zarr",
    "loadtxt",
    "save",
    "save_hdf5",
    "savetxt",
    "savez",
    "savez_compressed",
]
