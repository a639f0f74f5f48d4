# SPDX-License-Identifier: BSD-3-Clause
"""Sorted rows and where in them something new begins."""
import numpy

from .._creation import filled
from .._manipulation import ravel
from .._local import is_distributed
from .._creation import asarray
from .. import _core


def on_engines(a):
    """The argument as a distributed array of one dimension."""
    a = asarray(a)
    return ravel(a if is_distributed(a) else _core.upload(numpy.asarray(a)))


def is_new(row, equal_nan=False):
    """True where an element of a sorted row differs from the one before it; with equal_nan a NaN follows a NaN as its equal."""
    result = filled(row.shape, bool, True)
    if row.size > 1:
        differ = row[1:] != row[:-1]
        if equal_nan and row.dtype.kind in "fc":
            from .._ufuncs import UFUNCS

            nans = UFUNCS["isnan"](row)
            differ = differ & ~(nans[1:] & nans[:-1])
        result[1:] = differ
    return result
