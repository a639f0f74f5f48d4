# SPDX-License-Identifier: BSD-3-Clause
"""Arrays from what is there: lists, numbers, NumPy arrays, other libraries' arrays, arrays of ours."""

import operator

import numpy
from numpy import _CopyMode

from .. import _core
from .._errors import unsupported_dtype
from .._imported_numpy import FALSE_FORBIDS_COPIES
from .._local import has_distributed, has_own_class, is_distributed, ours_of, unwrap, wrap, wrap_here
from .._promotion import OPS, dtype_number, is_supported
from . import _memory_order
from ._filled import filled

__all__ = ["array", "ascontiguousarray", "copy", "asarray_chkfinite", "asfarray", "asfortranarray", "require"]

_FLAGS = {
    "C": "C",
    "C_CONTIGUOUS": "C",
    "CONTIGUOUS": "C",
    "F": "F",
    "F_CONTIGUOUS": "F",
    "FORTRAN": "F",
    "A": "A",
    "ALIGNED": "A",
    "W": "W",
    "WRITEABLE": "W",
    "O": "O",
    "OWNDATA": "O",
    "E": "E",
    "ENSUREARRAY": "E",
}


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """An array from data: lists, numbers, NumPy arrays, arrays of other libraries.

    Data of `np.config.distribute_from` elements or more are copied to the engines. Lazy when the data are a distributed array.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if copy is _CopyMode.NEVER or copy is False and FALSE_FORBIDS_COPIES:
        return _never_copied(object, dtype, order, subok, ndmin)
    copy = copy is not None and bool(copy)
    if hasattr(type(object), "__gamelan_array__"):
        object, copy = object.__gamelan_array__(), False  # it is in a file still
    if _core.is_ours(object):
        result = object
        if dtype is not None and numpy.dtype(dtype) != result.dtype:
            result, copy = result.astype(dtype), False
        result = copy_of(result, order) if copy else _ordered(result, order)
        if result.ndim < (ndmin := operator.index(ndmin)):
            result = result[(None,) * (ndmin - result.ndim)]
        return result
    if hasattr(type(object), "distributed_elements"):  # x.flat
        return array(object.distributed_elements(), dtype, copy=copy or None, ndmin=ndmin)
    if type(object) in (list, tuple) and any(map(_has_ours, object)):
        if has_distributed(object):
            if dtype is not None and not is_supported(numpy.dtype(dtype)):
                raise unsupported_dtype(numpy.dtype(dtype))
            return array(_from_sequence(object), dtype, copy=None, order=order, ndmin=ndmin)
        if dtype is None or numpy.dtype(dtype) != numpy.object_:
            object = unwrap(object)
    if subok and has_own_class(object):
        return numpy.array(object, dtype, copy=copy or _CopyMode.IF_NEEDED, order=order, subok=True, ndmin=ndmin)
    try:
        data = numpy.array(object, dtype, copy=copy or _CopyMode.IF_NEEDED, order=order, ndmin=ndmin)
    except ValueError:
        ours = ours_of(object)
        if ours is None:
            raise
        return array(ours, dtype, copy=copy or None, order=order, ndmin=ndmin)
    is_new = copy or type(object) in (list, tuple) or type(object) is numpy.ndarray and not numpy.may_share_memory(data, object)
    return _from_numpy(data if is_new else _core.share(data))


def _never_copied(object, dtype, order, subok, ndmin):
    """The array over the memory of the object; NumPy's ValueError where only a copy has that dtype, order or place."""
    if is_distributed(object):
        result = array(object, dtype, copy=None, order=order, ndmin=ndmin)
        is_shared = is_distributed(result) and result._b is object._b
    else:
        data = numpy.array(object, dtype, copy=_CopyMode.NEVER, order=order, subok=subok, ndmin=ndmin)
        if subok and has_own_class(data):
            return data
        is_ours = _core.is_ours(object) and (data.dtype, data.ndim) == (object.dtype, object.ndim)
        result = object if is_ours else _core.share(data)
        is_shared = is_ours or data.size < _core.threshold() or not is_supported(data.dtype)
    if not is_shared:
        numpy.array(numpy.empty(1, "i1"), "f8", copy=_CopyMode.NEVER)  # for its error
    return result


def _from_numpy(data):
    """A NumPy array as one of ours; what lies in columns also does on the engines."""
    if data.size < _core.threshold():
        return wrap_here(data)
    if _memory_order.lies_in_columns(data):
        result = wrap(data.T)
        return _core.view(result, result._a.T)
    return wrap(data)


def _has_ours(item):
    return _core.is_ours(item) or type(item) in (list, tuple) and any(map(_has_ours, item))


def _has_distributed(item):
    return is_distributed(item) or isinstance(item, (list, tuple)) and any(map(_has_distributed, item))


def _ordered(array, order):
    """The array itself where it lies in that order, else a copy that does."""
    if order in ("C", "c") and not array._a.flags.c_contiguous or order in ("F", "f") and not array._a.flags.f_contiguous:
        return copy_of(array, order)
    _memory_order.axes_for(array, order)  # for its error
    return array


def values_for(dtype, value):
    """What is to be written into an array of that dtype: data of Python become its numbers here, with NumPy's errors for what
    is none; arrays of numbers stay what they are, and are cast where they are written."""
    if _core.is_ours(value) or isinstance(value, (list, tuple)) and any(map(_has_distributed, value)):
        return asarray(value)
    is_array = isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc"
    return asarray(value if is_array else numpy.array(value, dtype))


def source_of(value, dtype, casting):
    """What is copied into an array of that dtype. Of a number the casting rule looks at the value; where there is no rule it is
    an array's element."""
    if isinstance(value, (bool, int, float, complex)) and casting != "unsafe":
        return value
    if _core.is_ours(value) or has_distributed((value,)):
        return asarray(value)
    if type(value) is int:
        numpy.copyto(numpy.empty(0, dtype), value, casting)  # for NumPy 2's error: the dtype does not hold it
    value = numpy.asarray(value)
    is_text = value.dtype.kind not in "biufc"
    return asarray(value.astype(dtype) if is_text and numpy.can_cast(value.dtype, dtype, casting) else value)


def copy_of(array, order="C"):
    """A copy, where the array lives; `order` as in `numpy.copy`."""
    if array._b is None:
        return wrap_here(array._a.copy(order))
    axes = _memory_order.axes_for(array, order)
    source = array if axes is None else _memory_order.permuted(array, axes)
    number = dtype_number(array._a.dtype)
    copy = _core.apply(OPS["copy"], number, number, (source,), None)
    return copy if axes is None else _memory_order.restored(copy, axes)


def _from_sequence(items):
    arrays = [asarray(item) for item in items]
    if any(item.ndim for item in arrays):
        return _stacked(arrays)
    # Numbers: one round trip for all of them, and NumPy finds the dtype.
    values = iter(_core.fetch([item for item in arrays if is_distributed(item)]))
    return wrap(numpy.array([next(values)[()] if is_distributed(item) else item._a[()] for item in arrays]))


def _stacked(arrays):
    """The arrays as rows of a new one."""
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError("all input arrays must have the same shape")
    result = filled((len(arrays), *arrays[0].shape), numpy.result_type(*(array.dtype for array in arrays)), 0)
    for row, array in enumerate(arrays):
        result[row : row + 1] = array[None]
    return result


def asarray(a, dtype=None, order=None):
    """What the functions of this package compute with: the argument as an array, itself when it is one. A masked array or a
    matrix stays what it is, so that NumPy treats it as its class says; `_public.asarray` is what users call."""
    if _core.is_ours(a) and order is None:
        return a if dtype is None or numpy.dtype(dtype) == a.dtype else a.astype(dtype)
    if has_own_class(a):
        return _core.hold(numpy.asanyarray(a, dtype, order))
    return array(a, dtype, copy=None, order="K" if order is None else order)


def ascontiguousarray(a, dtype=None, *, like=None):
    """The argument as an array of at least one dimension in C order."""
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a, dtype=None, *, like=None):
    """The argument as an array in Fortran order.

    The order of a distributed array is that of its virtual memory: it decides which views there are, not how the blocks lie on
    the engines. Lazy.
    """
    return array(a, dtype, copy=None, order="F", ndmin=1)


def asfarray(a, dtype=numpy.float64):
    """The argument as an array of a floating dtype."""
    return asarray(_as_base_class(a), dtype if numpy.issubdtype(dtype, numpy.inexact) else numpy.float64)


def _as_base_class(a):
    """A matrix or a masked array as a plain one."""
    return numpy.asarray(a) if has_own_class(a) else a


def asarray_chkfinite(a, dtype=None, order=None):
    """The argument as an array without NaN and infinity.

    Triggers evaluation, because the elements are checked at once.
    """
    result = asarray(_as_base_class(a), dtype, order)
    if result.dtype.kind in "fc" and not bool(_core.evaluate(OPS["isfinite"], result).all()):
        raise ValueError("array must not contain infs or NaNs")
    return result


def require(a, dtype=None, requirements=None, *, like=None):
    """An array with the dtype and flags that are asked for."""
    wanted = {_FLAGS[each.upper()] for each in requirements or ()} - {"E"}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "C" if "C" in wanted else "F" if "F" in wanted else "A"
    result = array(a, dtype, copy=None, order=order)
    return result if all(result._a.flags[flag] for flag in wanted - {"C", "F"}) else copy_of(result, order)


def copy(a, order="K", subok=False):
    """A copy of an array."""
    return array(a, order=order, subok=subok)
