# SPDX-License-Identifier: BSD-3-Clause
"""Keys: what a[key] names and what a[key] = value writes.

Basic keys of a distributed array are applied by NumPy to its proxy, so results and errors are NumPy's. Keys that depend on
data (masks, index arrays) are told apart first: a proxy must never be read.
"""
import operator

import numpy

from . import _core
from . import _index_arrays as index_arrays
from ._errors import unimplemented
from ._local import as_value, is_value
from ._promotion import OPS, dtype_number

_BASIC = frozenset({int, slice, type(None), type(Ellipsis), *(numpy.dtype(code).type for code in "bBhHiIlLqQ")})
_INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
)


def _is_integer(part):
    return not isinstance(part, (bool, numpy.bool_)) and hasattr(part, "__index__")


def _basic_part(part):
    """The part as NumPy's basic indexing takes it, or None when it is an array key."""
    if isinstance(part, (bool, numpy.bool_)):
        return None
    if isinstance(part, (_core.Array, numpy.ndarray)):
        return operator.index(part) if part.ndim == 0 and part.dtype.kind in "iu" else None
    if isinstance(part, (list, tuple)):
        return None
    if _is_integer(part):
        return operator.index(part)
    raise IndexError(_INVALID)


def _basic_parts(key):
    """The key as a tuple of basic parts, or None when it holds array keys."""
    parts = key if type(key) is tuple else (key,)
    for part in parts:
        if type(part) not in _BASIC:
            break
    else:
        return parts
    plain = []
    for part in parts:
        if type(part) not in _BASIC:
            part = _basic_part(part)
            if part is None:
                return None
        plain.append(part)
    return tuple(plain)


def _proxy_at(array, parts):
    # With an Ellipsis NumPy returns a 0-d view where it would otherwise read an element of the proxy.
    has_ellipsis = any(part is Ellipsis for part in parts)
    return array._a[parts] if has_ellipsis else array._a[parts + (Ellipsis,)], has_ellipsis


def getitem(array, key):
    """a[key] of a distributed array: a view, or for a full integer index a new 0-d array with the value."""
    parts = _basic_parts(key)
    if parts is None:
        return index_arrays.get(array, key)
    proxy, has_ellipsis = _proxy_at(array, parts)
    if is_value(array):
        # What NumPy returns for an index of a scalar is new, and can be written.
        number = dtype_number(proxy.dtype)
        array = _core.apply(OPS["copy"], number, number, (array,), None)
        proxy, has_ellipsis = _proxy_at(array, parts)
    view = _core.view(array, proxy)
    if proxy.ndim == 0 and not has_ellipsis:
        number = dtype_number(proxy.dtype)
        return as_value(_core.apply(OPS["copy"], number, number, (view,), None))
    return view


def setitem(array, key, value):
    """a[key] = value where the array, or only the value, is distributed."""
    if array._b is None:
        array._a[key] = numpy.asarray(value)
        return
    parts = _basic_parts(key)
    if parts is not None:
        _core.assign(_core.view(array, _proxy_at(array, parts)[0]), value)
        return
    mask = key[0] if type(key) is tuple and len(key) == 1 else key
    if isinstance(mask, (list, bool, numpy.bool_)):
        mask = numpy.asarray(mask)
    if isinstance(mask, (_core.Array, numpy.ndarray)) and mask.dtype == bool:
        _assign_where(array, mask, value)
    else:
        index_arrays.set(array, key, value)


def _assign_where(array, mask, value):
    if mask.ndim > array.ndim:
        raise IndexError(
            f"too many indices for array: array is {array.ndim}-dimensional, but {mask.ndim} were indexed"
        )
    for axis, extent in enumerate(mask.shape):
        if extent != array.shape[axis]:
            raise IndexError(
                f"boolean index did not match indexed array along dimension {axis}; dimension is {array.shape[axis]} "
                f"but corresponding boolean dimension is {extent}"
            )
    if not array._a.flags.writeable:
        raise ValueError("assignment destination is read-only")
    trailing = array.shape[mask.ndim :]
    if not isinstance(value, (_core.Array, numpy.ndarray)):
        if numpy.ndim(value) == 0:
            cell = numpy.empty((), array.dtype)
            cell[...] = value  # NumPy's conversion of a number, with its errors and warnings
            value = cell
        else:
            value = numpy.asarray(value)
    if value.ndim == len(trailing) + 1 and value.shape[0] == 1:
        value = value[0]
    if value.ndim > len(trailing) or any(
        own not in (1, extent) for own, extent in zip(value.shape[::-1], trailing[::-1])
    ):
        raise unimplemented("ndarray.__setitem__ with a mask and one value per element", "the value must be the same for all")
    if value.ndim == 0 and isinstance(value, numpy.ndarray):
        value = value.astype(array.dtype)
    stretched = (Ellipsis,) + (None,) * len(trailing)
    mask = _core.view(mask, mask._a[stretched]) if isinstance(mask, _core.Array) else mask[stretched]
    number = dtype_number(array.dtype)
    _core.apply(OPS["where"], number, number, (mask, value, array), array)


_core.set_index_hooks(getitem, setitem)
