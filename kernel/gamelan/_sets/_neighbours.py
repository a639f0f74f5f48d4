# SPDX-License-Identifier: BSD-3-Clause
"""Sorted rows and where in them something new begins."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._indexing._positions import remember_inside
from .._local import is_distributed
from .._ufuncs._objects import UFUNCS
from .._views._reshape import ravel


def on_engines(a):
    """The argument as a distributed array of one dimension."""
    a = asarray(a)
    return ravel(a if is_distributed(a) else _core.upload(numpy.asarray(a)))


def short(index, extent, most=None):
    """An index whose numbers lie below `extent`, in half the memory if numbers up to `most` (`extent` itself) have room there."""
    if (extent if most is None else most) <= numpy.iinfo(numpy.int32).max:
        index = index.astype(numpy.int32)
        remember_inside(index, extent)
    return index


def is_new(row, equal_nan=False):
    """True where an element of a sorted row differs from the one before it; with equal_nan a NaN follows a NaN as its equal."""
    result = filled(row.shape, bool, True)
    if row.size > 1:
        differ = row[1:] != row[:-1]
        if equal_nan and row.dtype.kind in "fc":
            nans = UFUNCS["isnan"](row)
            differ = differ & ~(nans[1:] & nans[:-1])
        result[1:] = differ
    return result
