# SPDX-License-Identifier: BSD-3-Clause
"""Files: .npy, .npz, raw bytes, HDF5, Zarr and text. The engines read and write the elements of large arrays themselves, each its
own part; the notebook reads and writes headers, and gives a file its name when all of it is on disk."""
