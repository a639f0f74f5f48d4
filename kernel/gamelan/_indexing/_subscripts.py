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
from .._local import each, gathered, is_distributed, is_value, stays_here
from .._promotion import OPS, dtype_number
from . import _arrays as arrays
from ._keys import basic_parts, is_scalar_array, parts_of


def _proxy_at(array, parts):
    # With an Ellipsis NumPy returns a 0-d view where it would otherwise read an element of the proxy.
    has_ellipsis = Ellipsis in parts
    return array._a[parts] if has_ellipsis else array._a[parts + (Ellipsis,)], has_ellipsis


def getitem(array, key):
    """a[key] of a distributed array: a view, or for a full integer index the value, here or on the engines."""
    try:
        return _item(array, key)
    except IndexError:
        if is_value(array):
            raise IndexError("invalid index to scalar variable.") from None
        raise


def _item(array, key):
    parts = basic_parts(key)
    if parts is None:
        if stays_here(array):  # the key comes to the elements
            return _core.wrap(array._a[gathered(key)])
        here = _brought(array, key)
        return arrays.get(array, key) if here is None else _core.wrap(here[0][here[1]])
    proxy, has_ellipsis = _proxy_at(array, parts)
    if array._b is None:
        return _core.wrap(array._a[each(_here, key)] if isinstance(key, tuple) else array._a[_here(key)])
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


def _here(part):
    """A part of a key as NumPy takes it: an array of the engines without axes as such, for then NumPy copies; its value where it
    stands for a number."""
    if not is_distributed(part):
        return part
    return _core.value(part) if is_value(part) else numpy.asarray(part)


def _are_apart(array):
    """True when no two elements of a NumPy array lie over each other."""
    reach = array.itemsize
    for stride, extent in sorted((abs(stride), extent) for stride, extent in zip(array.strides, array.shape) if extent > 1):
        if stride < reach:
            return False
        reach += stride * (extent - 1)
    return True


def _set_there(array, key, value):
    """A small array goes to its key, and what has changed comes back: where the key picks more elements than the array has, less
    is moved so. False where the key is to come here."""
    most = max((part.size for part in parts_of(key) if is_distributed(part)), default=0)
    target = array._a
    if (
        not target.ndim
        or most < max(array.size + 1, _core.threshold())
        or stays_here(array)
        or not target.flags.writeable
        or not _are_apart(target)
    ):
        return False
    before = target.copy()
    there = _core.upload(before)
    arrays.set(there, key, value)
    after = copy_here(there)
    # Other threads may have written other elements meanwhile.
    has_changed = (after.view("u1") != before.view("u1")).reshape(*target.shape, target.itemsize).any(-1)
    numpy.copyto(target, after, where=has_changed)
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
