# SPDX-License-Identifier: BSD-3-Clause
"""Another shape for the same elements: a view where NumPy could make one, else a copy made on the engines."""

import math
import sys

import numpy

from .. import _arguments, _core
from .._creation._filled import filled, shape_of
from .._creation._from_data import asarray, copy_of
from .._creation._memory_order import axes_of_ravel
from .._local import is_distributed, is_value, wrap_here
from ._plain import transpose

__all__ = ["ravel", "reshape", "resize"]

_OWN_REFERENCES = 5  # to an array whose resize() was called: of its only name, the call, the method, the function, and its count


def resolve_shape(newshape, size):
    """The shape as a tuple with -1 worked out; NumPy's ValueError when it does not hold `size` elements."""
    shape = list(_arguments.shape(newshape))
    unknown = [axis for axis, extent in enumerate(shape) if extent < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(extent for extent in shape if extent >= 0)
    if unknown and known > 0 and size % known == 0:
        shape[unknown[0]] = size // known
    if any(extent < 0 for extent in shape) or math.prod(shape) != size:
        text = tuple(shape) if len(shape) != 1 else f"({shape[0]},)"
        raise ValueError(f"cannot reshape array of size {size} into shape {text}".replace(", ", ","))
    return tuple(shape)


def _order_of(order, allowed):
    """The order in capitals; NumPy's errors for others."""
    order = _arguments.order_of(order)
    if order not in allowed:
        raise ValueError(f"order {order!r} is not permitted for reshaping")
    return order


_unset = numpy._NoValue


def reshape(a, shape=_unset, order="C", *, newshape=_unset, copy=None):
    """The array with another shape.

    The result is a view where NumPy could make one, else a copy on the engines. Lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.reshape(np.arange(6), (2, -1)).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    a = asarray(a)
    if shape is _unset or newshape is not _unset:
        given = {"shape": shape, "newshape": newshape}
        numpy.reshape(0, **{name: () for name, value in given.items() if value is not _unset})  # for its errors
        shape = newshape
    if not is_distributed(a):
        return _core.view(a, numpy.reshape(a._a, shape, order, **({} if copy is None else {"copy": copy})))
    if copy:
        return _reshaped(copy_of(a), shape, order)
    result = _reshaped(a, shape, order)
    if copy is False and result._b is not a._b:
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return result


def _reshaped(a, shape, order):
    """Of a distributed array."""
    shape = resolve_shape(shape, a.size)
    order = _order_of(order, "CFA")
    if order == "F" or order == "A" and a._a.flags.f_contiguous and not a._a.flags.c_contiguous:
        return transpose(_reshaped(transpose(a), shape[::-1], "C"))
    view = None if is_value(a) else _core.reshape_view(a, shape)
    return _core.reshape_view(copy_of(a), shape) if view is None else view


def _rows(a, order):
    """A view whose C order is that order of the array."""
    order = _order_of(order, "CFAK")
    if order == "K":
        return transpose(a, axes_of_ravel(a))
    return transpose(a) if order == "F" or order == "A" and a._a.flags.f_contiguous else a


def ravel(a, order="C"):
    """The elements in one dimension.

    The result is a view where the elements are consecutive, else a copy. Lazy.
    """
    a = asarray(a)
    if not is_distributed(a):
        return _core.view(a, numpy.ravel(a._a, order))
    a = _rows(a, order)
    return reshape(a if a._a.flags.c_contiguous else copy_of(a), -1)


def flatten(a, order="C"):
    """The elements of a distributed array in one dimension, a copy."""
    return reshape(copy_of(_rows(a, order)), -1)


def resize(a, new_shape):
    """A new array of any shape, filled with repeated copies of the elements.

    Examples
    --------
    >>> import gamelan as np
    >>> np.resize([1, 2, 3], (2, 2)).tolist()
    [[1, 2], [3, 1]]
    """
    shape = shape_of(new_shape)
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    a, size = asarray(a), math.prod(shape)
    if not is_distributed(a) and size < _core.threshold():
        return wrap_here(numpy.resize(a._a, shape))
    flat = ravel(a)
    if size == 0 or flat.size == 0:
        return filled(shape, a.dtype, 0)
    if size <= flat.size:
        return reshape(copy_of(flat[:size]), shape)
    result = filled((size,), a.dtype, 0)
    whole = size // flat.size * flat.size
    result[:whole].reshape(-1, flat.size)[...] = flat
    result[whole:] = flat[: size - whole]
    return reshape(result, shape)


def resize_in_place(array, shape, refcheck=True):
    """`array.resize(shape)`: the elements that fit, then zeros. Other views, if allowed, keep the elements that they had."""
    refcheck = _arguments.flag(refcheck)
    if not shape or shape == (None,):
        return
    if len(shape) == 1:
        (shape,) = shape
    shape = _arguments.shape(shape)
    if any(extent < 0 for extent in shape):
        raise ValueError("negative dimensions not allowed")
    size = math.prod(shape)
    if size == array.size:  # the memory stays: NumPy allows it of views, too
        array.shape = shape
        return
    if isinstance(array._a.base, numpy.ndarray) or not array._a.flags.writeable:
        raise ValueError("cannot resize this array: it does not own its data")
    # Beside the array's own reference to its data and the call's; and beside those to the array of the caller, of the method
    # and of this function.
    if refcheck and (sys.getrefcount(array._a) > 2 or sys.getrefcount(array) > _OWN_REFERENCES):
        raise ValueError(
            "cannot resize an array that references or is referenced\nby another array in this way.\n"
            "Use the np.resize function or refcheck=False"
        )
    result = filled((size,), array.dtype, 0)
    flat, count = ravel(array), min(size, array.size)
    result[:count] = flat[:count]
    _core.rebind(array, result.reshape(shape))
