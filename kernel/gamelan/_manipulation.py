# SPDX-License-Identifier: BSD-3-Clause
"""Shapes: what can be a view is one, made by NumPy on the proxy; the rest is copied on the engines."""
import functools
import math
import operator

import numpy
from numpy.core.numeric import normalize_axis_index

from . import _core
from ._creation import asarray, filled
from ._errors import unimplemented
from ._local import call_numpy, gathered, has_distributed, is_distributed, is_value, unwrap, wrap_here
from ._promotion import OPS, dtype_number


def copy_of(array):
    """A copy of a distributed array on the engines, in C order."""
    number = dtype_number(array.dtype)
    return _core.apply(OPS["copy"], number, number, (array,), None)


def _wrap_views(array, result):
    if isinstance(result, (list, tuple)):
        return type(result)(_wrap_views(array, item) for item in result)
    return _core.view(array, result)


def _view_function(name):
    """NumPy's function applied to the array or its proxy: for functions that never read an element."""
    function = getattr(numpy, name)

    @functools.wraps(function)
    def apply(a, *arguments, **keywords):
        a = asarray(a)
        # Only the proxy itself may meet NumPy: another array of ours would send NumPy back here with it.
        arguments = tuple(map(gathered, arguments))
        keywords = {key: gathered(value) for key, value in keywords.items()}
        if a.ndim == 0 and is_distributed(a) and name != "broadcast_to":
            # Some of them index, and would read the number: the shape comes from a stand-in.
            return _core.reshape_view(a, numpy.shape(function(numpy.empty((), a.dtype), *arguments, **keywords)))
        return _wrap_views(a, function(a._a, *arguments, **keywords))

    apply.__doc__ = f"""As `numpy.{name}`: the result shares memory with the argument, here or on the engines.

    See Also
    --------
    numpy.{name}
    """
    return apply


transpose = _view_function("transpose")
swapaxes = _view_function("swapaxes")
moveaxis = _view_function("moveaxis")
rollaxis = _view_function("rollaxis")
squeeze = _view_function("squeeze")
expand_dims = _view_function("expand_dims")
broadcast_to = _view_function("broadcast_to")
flip = _view_function("flip")
fliplr = _view_function("fliplr")
flipud = _view_function("flipud")
rot90 = _view_function("rot90")
diagonal = _view_function("diagonal")
split = _view_function("split")
array_split = _view_function("array_split")
hsplit = _view_function("hsplit")
vsplit = _view_function("vsplit")
dsplit = _view_function("dsplit")


def _at_least(name):
    function = getattr(numpy, name)

    @functools.wraps(function)
    def apply(*arys):
        results = [_core.view(array, function(array._a)) for array in map(asarray, arys)]
        return results[0] if len(results) == 1 else results

    apply.__doc__ = f"As `numpy.{name}`; the results are views."
    return apply


atleast_1d = _at_least("atleast_1d")
atleast_2d = _at_least("atleast_2d")
atleast_3d = _at_least("atleast_3d")


def broadcast_arrays(*args, subok=False):
    """Views of the arguments with a common shape, read-only. See `numpy.broadcast_arrays`."""
    arrays = [asarray(array) for array in args]
    shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


def resolve_shape(newshape, size):
    """The shape as a tuple with -1 worked out; NumPy's ValueError when it does not hold `size` elements."""
    try:
        shape = [operator.index(newshape)]
    except TypeError:
        shape = [operator.index(extent) for extent in newshape]
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


def reshape(a, newshape, order="C"):
    """The array with another shape: a view where NumPy could make one, else a copy made on the engines.

    See Also
    --------
    numpy.reshape
    """
    a = asarray(a)
    if not is_distributed(a):
        return wrap_here(numpy.reshape(a._a, newshape, order))
    shape = resolve_shape(newshape, a.size)
    if order == "A":
        order = "F" if a._a.flags.f_contiguous and not a._a.flags.c_contiguous else "C"
    if order == "F":
        return reshape(a.T, shape[::-1]).T
    if order != "C":
        raise ValueError(f"order must be one of 'C', 'F', or 'A' (got {order!r})")
    view = None if is_value(a) else _core.reshape_view(a, shape)
    return _core.reshape_view(copy_of(a), shape) if view is None else view


def ravel(a, order="C"):
    """The elements in one dimension: a view when they lie consecutively, else a copy. See `numpy.ravel`."""
    a = asarray(a)
    if not is_distributed(a):
        return wrap_here(numpy.ravel(a._a, order))
    if order == "K":
        # The order in memory, but with negative steps followed as they are.
        strides = [abs(stride) for stride in a._a.strides]
        a, order = transpose(a, sorted(range(a.ndim), key=lambda axis: -strides[axis])), "C"
    if order == "F" or order == "A" and a._a.flags.f_contiguous:
        a, order = transpose(a), "C"
    return reshape(a if a._a.flags.c_contiguous else copy_of(a), -1, "C" if order == "A" else order)


def _join_dtype(arrays, dtype, casting):
    result = numpy.result_type(*(array.dtype for array in arrays)) if dtype is None else numpy.dtype(dtype)
    for array in arrays:
        if not numpy.can_cast(array.dtype, result, casting):
            raise TypeError(f"Cannot cast array data from {array.dtype!r} to {result!r} according to the rule {casting!r}")
    return result


def concatenate(arrays, axis=0, out=None, dtype=None, casting="same_kind"):
    """Join arrays along an existing axis.

    See Also
    --------
    numpy.concatenate
    """
    arrays = [asarray(array) for array in arrays]
    total = sum(array.size for array in arrays)
    if not has_distributed((*arrays, out)) and total < _core.threshold() or not arrays:
        keywords = {"dtype": dtype, "casting": casting} if dtype is not None else {"casting": casting}
        return call_numpy(numpy.concatenate, "concatenate", (arrays, axis), {"out": out, **keywords})
    if axis is None:
        arrays, axis = [ravel(array) for array in arrays], 0
    dims = arrays[0].ndim
    if dims == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normalize_axis_index(axis, dims)
    for index, array in enumerate(arrays):
        if array.ndim != dims:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{dims} dimension(s) and the array at index {index} has {array.ndim} dimension(s)"
            )
        for other in range(dims):
            if other != axis and array.shape[other] != arrays[0].shape[other]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {other}, the array at index 0 has size {arrays[0].shape[other]} and the array at index "
                    f"{index} has size {array.shape[other]}"
                )
    shape = list(arrays[0].shape)
    shape[axis] = sum(array.shape[axis] for array in arrays)
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    joined = _join_dtype(arrays, dtype if out is None else out.dtype, casting)
    result = out if out is not None else filled(tuple(shape), joined, 0)
    if result.shape != tuple(shape):
        raise ValueError("Output array is the wrong shape")
    start = 0
    for array in arrays:
        stop = start + array.shape[axis]
        result[(slice(None),) * axis + (slice(start, stop),)] = array
        start = stop
    return result


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays along a new axis. See `numpy.stack`."""
    arrays = [asarray(array) for array in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, arrays[0].ndim + 1)
    key = (slice(None),) * axis + (None,)
    return concatenate([array[key] for array in arrays], axis, out, dtype, casting)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays as rows. See `numpy.vstack`."""
    return concatenate([atleast_2d(array) for array in tup], 0, None, dtype, casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays as columns. See `numpy.hstack`."""
    arrays = [atleast_1d(array) for array in tup]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, None, dtype, casting)


def dstack(tup):
    """Join arrays along the third axis. See `numpy.dstack`."""
    return concatenate([atleast_3d(array) for array in tup], 2)


row_stack = vstack


def column_stack(tup):
    """Join one-dimensional arrays as columns. See `numpy.column_stack`."""
    arrays = [asarray(array) for array in tup]
    return concatenate([array if array.ndim > 1 else array[:, None] for array in arrays], 1)


def append(arr, values, axis=None):
    """A new array with values at the end. See `numpy.append`."""
    arr, values = asarray(arr), asarray(values)
    if axis is None:
        arr, values, axis = ravel(arr), ravel(values), arr.ndim and 0
    return concatenate((arr, values), axis)


def clip(a, a_min, a_max, out=None, **keywords):
    """The array limited to an interval.

    See Also
    --------
    numpy.clip
    """
    if not has_distributed((a, a_min, a_max, out)):
        a = asarray(a)
        if a.size < _core.threshold():
            return call_numpy(numpy.clip, "clip", (a, a_min, a_max), {"out": out, **keywords})
    from ._ufunc.clip import clip as compute

    return compute(a, a_min, a_max, out, **keywords)


def copyto(dst, src, casting="same_kind", where=True):
    """Copy values into an array. See `numpy.copyto`."""
    if not has_distributed((dst, src, where)):
        call_numpy(numpy.copyto, "copyto", (dst, src, casting, where), {})
        return
    source = src if isinstance(src, (int, float, complex)) else asarray(src)
    if not isinstance(dst, (_core.Array, numpy.ndarray)):
        raise TypeError(f"copyto() argument 1 must be numpy.ndarray, not {type(dst).__name__}")
    if not is_distributed(dst):  # a small target: what it is made of comes here
        numpy.copyto(unwrap(dst), unwrap(source), casting, where if where is True else unwrap(where))
        return
    if not numpy.can_cast(getattr(source, "dtype", source), dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {source.dtype!r} to {dst.dtype!r} according to the rule {casting!r}")
    if where is True:
        dst[...] = source
    else:
        number = dtype_number(dst.dtype)
        _core.apply(OPS["where"], number, number, (where, source, dst), dst)


def real(val):
    """The real part, a view. See `numpy.real`."""
    return asarray(val).real


def imag(val):
    """The imaginary part, a view of a complex array. See `numpy.imag`."""
    return asarray(val).imag


def shape(a):
    """The shape of an array. See `numpy.shape`."""
    return a.shape if isinstance(a, _core.Array) else numpy.shape(a)


def ndim(a):
    """The number of dimensions of an array. See `numpy.ndim`."""
    return a.ndim if isinstance(a, _core.Array) else numpy.ndim(a)


def size(a, axis=None):
    """The number of elements, or along one axis. See `numpy.size`."""
    if not isinstance(a, _core.Array):
        return numpy.size(a, axis)
    return a.size if axis is None else a.shape[axis]

