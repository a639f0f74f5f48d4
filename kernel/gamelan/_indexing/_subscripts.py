# SPDX-License-Identifier: BSD-3-Clause
"""Subscripts: what a[key] names and what a[key] = value writes, where the array, the key or the value is distributed.

Basic keys of a distributed array are applied by NumPy to its proxy, so results and errors are NumPy's. Keys that depend on
data (masks, index arrays) are told apart first: a proxy must never be read.
"""

import numpy

from .. import _core
from .._creation._from_data import copy_of
from .._float_errors import numpys_own
from .._gathering import copy_here
from .._imported_numpy import NUMBERS_HAVE_NO_AXES
from .._local import gathered, is_distributed, is_value, stays_here
from .._promotion import OPS, dtype_number
from . import _arrays as arrays
from ._keys import basic_parts, is_scalar_array, parts_of


def _proxy_at(array, parts):
    # With an Ellipsis NumPy returns a 0-d view where it would otherwise read an element of the proxy.
    has_ellipsis = Ellipsis in parts
    return array._a[parts] if has_ellipsis else array._a[parts + (Ellipsis,)], has_ellipsis


def getitem(array, key):
    """a[key] of a distributed array: a view, or for a full integer index the value, here or on the engines."""
    parts = basic_parts(key)
    if parts is None:
        if stays_here(array):  # the key comes to the elements
            return _core.wrap(array._a[gathered(key)])
        here = _brought(array, key)
        return arrays.get(array, key) if here is None else _core.wrap(here[0][here[1]])
    proxy, has_ellipsis = _proxy_at(array, parts)
    if array._b is None:
        return _core.wrap(array._a[parts])
    if is_value(array):
        # What NumPy returns for an index of a scalar is new, and can be written.
        number = dtype_number(proxy.dtype)
        array = _core.apply(OPS["copy"], number, number, (array,), None)
        proxy, has_ellipsis = _proxy_at(array, parts)
    view = _core.view(array, proxy)
    if proxy.ndim == 0 and not has_ellipsis:
        return _core.element(view)
    is_copy = parts is not key and any(map(is_scalar_array, parts_of(key)))
    return copy_of(view) if is_copy else view


def _brought(array, key):
    """A small array in frequent use and its key as NumPy's arrays; None where the key is none or what it picks may be large."""
    if not isinstance(key, numpy.ndarray) or not array.ndim:
        return None
    most = array.size if key.dtype == bool else key.size * (array.size // max(len(array), 1))
    return _core.brought(array, key) if most < _core.threshold() else None


def _set_there(array, key, value):
    """A small array goes to its key, and comes back: where the key picks more elements than the array has, less is moved so.
    False where NumPy is as good."""
    most = max((part.size for part in parts_of(key) if is_distributed(part)), default=0)
    if most <= array.size or stays_here(array) or not array._a.flags.writeable or most < _core.threshold():
        return False
    there = _core.upload(array._a)
    arrays.set(there, key, value)
    array._a[...] = copy_here(there)
    return True


@numpys_own
def setitem(array, key, value):
    """a[key] = value where the array, or only the key or the value, is distributed."""
    if array._b is None:
        if not _set_there(array, key, value):
            array._a[gathered(key)] = gathered(value)
        return
    parts = basic_parts(key)
    if parts is None:
        arrays.set(array, key, value)
    else:
        proxy, has_ellipsis = _proxy_at(array, parts)
        if NUMBERS_HAVE_NO_AXES and not proxy.ndim and not has_ellipsis and isinstance(value, (_core.Array, numpy.ndarray)):
            if value.ndim and value.dtype.kind in "biufc":
                numpy.empty(1, array.dtype)[0] = numpy.broadcast_to(numpy.zeros((), value.dtype), value.shape)  # for its error
        _core.assign(_core.view(array, proxy), value)


_core.set_get_item_hook(getitem)
_core.set_set_item_hook(setitem)
