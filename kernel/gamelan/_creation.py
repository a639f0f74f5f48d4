# SPDX-License-Identifier: BSD-3-Clause
"""New arrays: from a shape, from a rule, from data. Arrays of at least `config.distribute_from` elements live on the
engines from the start; their elements are made there."""
import math
import operator

import numpy

from . import _core
from ._errors import unimplemented
from ._local import has_distributed, is_distributed, rewrap, unwrap, wrap, wrap_here
from ._promotion import OPS, dtype_number, is_supported


def _shape_of(shape):
    try:
        return (operator.index(shape),)
    except TypeError:
        pass
    try:
        return tuple(operator.index(extent) for extent in shape)
    except TypeError:
        numpy.empty(shape)  # NumPy says in its own words what is wrong
        raise


def _is_large(shape):
    # A negative extent makes no large array: NumPy then raises its error on the local path.
    return math.prod(shape) >= _core.threshold() and (not shape or min(shape) >= 0)


def _check_order(order):
    if order not in ("C", "F", "A", "K", "c", "f", "a", "k", None):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")


def filled(shape, dtype, value):
    """A distributed array with the same number everywhere."""
    number = dtype_number(dtype)
    cell = numpy.empty((), dtype)
    cell[...] = value  # NumPy's conversion and its errors
    result = _core.empty(shape, number)
    _core.record(OPS["copy"], number, result, True, (cell,), ())
    return result


def zeros(shape, dtype=float, order="C", *, like=None):
    """An array of zeros.

    `order` is accepted; distributed arrays are laid out in blocks whatever it says.

    Examples
    --------
    >>> import gamelan as np
    >>> np.zeros((2, 3)).shape
    (2, 3)

    See Also
    --------
    numpy.zeros
    """
    if type(shape) is int and 0 <= shape < _core.threshold():
        return wrap_here(numpy.zeros(shape, dtype))
    shape = _shape_of(shape)
    if _is_large(shape):
        _check_order(order)
        return filled(shape, numpy.dtype(dtype), 0)
    return wrap_here(numpy.zeros(shape, dtype, order))


def empty(shape, dtype=float, order="C", *, like=None):
    """An array whose elements are to be written first; distributed ones begin as zeros. See `numpy.empty`."""
    shape = _shape_of(shape)
    return zeros(shape, dtype, order) if _is_large(shape) else wrap_here(numpy.empty(shape, dtype, order))


def ones(shape, dtype=None, order="C", *, like=None):
    """An array of ones. See `numpy.ones`."""
    return full(shape, 1, float if dtype is None else dtype, order)


def full(shape, fill_value, dtype=None, order="C", *, like=None):
    """An array filled with a value, or with a value per row that broadcasts. See `numpy.full`."""
    shape = _shape_of(shape)
    if dtype is None:
        dtype = fill_value.dtype if hasattr(fill_value, "dtype") else numpy.asarray(fill_value).dtype
    if not _is_large(shape):
        value = numpy.asarray(fill_value) if isinstance(fill_value, _core.Array) else fill_value
        return wrap_here(numpy.full(shape, value, dtype, order))
    _check_order(order)
    if not is_distributed(fill_value) and numpy.ndim(unwrap(fill_value)) == 0:
        return filled(shape, numpy.dtype(dtype), numpy.full((), unwrap(fill_value), dtype)[()])
    result = filled(shape, numpy.dtype(dtype), 0)
    _core.assign(result, fill_value)
    return result


def _like(prototype, dtype, shape, make):
    prototype = asarray(prototype)
    shape = prototype.shape if shape is None else _shape_of(shape)
    dtype = prototype.dtype if dtype is None else numpy.dtype(dtype)
    if is_distributed(prototype) and is_supported(dtype):
        return make(shape, dtype)
    return None


def zeros_like(a, dtype=None, order="K", subok=True, shape=None):
    """Zeros with the shape and dtype of another array, and where it lives. See `numpy.zeros_like`."""
    result = _like(a, dtype, shape, lambda extents, kind: filled(extents, kind, 0))
    return wrap(numpy.zeros_like(unwrap(a), dtype, shape=shape)) if result is None else result


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None):
    """An array to be written first, like another one; distributed ones begin as zeros. See `numpy.empty_like`."""
    result = _like(prototype, dtype, shape, lambda extents, kind: filled(extents, kind, 0))
    return wrap(numpy.empty_like(unwrap(prototype), dtype, shape=shape)) if result is None else result


def ones_like(a, dtype=None, order="K", subok=True, shape=None):
    """Ones with the shape and dtype of another array, and where it lives. See `numpy.ones_like`."""
    result = _like(a, dtype, shape, lambda extents, kind: filled(extents, kind, 1))
    return wrap(numpy.ones_like(unwrap(a), dtype, shape=shape)) if result is None else result


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """A value with the shape and dtype of another array, and where it lives. See `numpy.full_like`."""

    def make(extents, kind):
        result = filled(extents, kind, 0)
        _core.assign(result, fill_value)
        return result

    result = _like(a, dtype, shape, make)
    return wrap(numpy.full_like(unwrap(a), unwrap(fill_value), dtype, shape=shape)) if result is None else result


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """An array from data: lists, numbers, NumPy arrays, arrays of other libraries.

    Large data are copied to the engines. See `numpy.array`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if hasattr(type(object), "__gamelan_array__"):
        object, copy = object.__gamelan_array__(), False  # it is in a file still
    if isinstance(object, _core.Array):
        result = object
        if dtype is not None and numpy.dtype(dtype) != result.dtype or copy:
            result = result.astype(result.dtype if dtype is None else dtype)
        if result.ndim < ndmin:
            result = result[(None,) * (ndmin - result.ndim)]
        return result
    if type(object) in (list, tuple) and any(map(is_distributed, object)):
        result = _from_sequence(object)
        return array(result, dtype, copy=False, ndmin=ndmin)
    return wrap(numpy.array(object, dtype, copy=copy, order=order, ndmin=ndmin))


def _from_sequence(items):
    from ._manipulation import stack

    arrays = [asarray(item) for item in items]
    if any(item.ndim for item in arrays):
        return stack(arrays)
    # Numbers: one round trip for all of them, and NumPy finds the dtype.
    values = iter(_core.fetch([item for item in arrays if is_distributed(item)]))
    return wrap(numpy.array([next(values)[()] if is_distributed(item) else item._a[()] for item in arrays]))


def asarray(a, dtype=None, order=None, *, like=None):
    """The argument as an array: itself when it is one, sharing memory with a small NumPy array. See `numpy.asarray`."""
    if isinstance(a, _core.Array):
        return a if dtype is None or numpy.dtype(dtype) == a.dtype else a.astype(dtype)
    return array(a, dtype, copy=False, order=order or "K")


def asanyarray(a, dtype=None, order=None, *, like=None):
    """As `asarray`."""
    return asarray(a, dtype, order)


def ascontiguousarray(a, dtype=None, *, like=None):
    """The argument as an array of at least one dimension whose elements are consecutive. See `numpy.ascontiguousarray`."""
    result = array(a, dtype, copy=False, ndmin=1)
    return result if result._a.flags.c_contiguous else result.copy()


def copy(a, order="K", subok=False):
    """A copy of an array. See `numpy.copy`."""
    return array(a)


def arange(start, stop=None, step=1, dtype=None, *, like=None):
    """Evenly spaced numbers in [start, stop). See `numpy.arange`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.arange(3).tolist()
    [0, 1, 2]
    """
    if stop is None:
        start, stop = 0, start
    if type(start) is int and type(stop) is int and step == 1 and stop - start < _core.threshold():
        return wrap_here(numpy.arange(start, stop, step, dtype))
    start, stop, step = (value.item() if isinstance(value, _core.Array) else value for value in (start, stop, step))
    try:
        length = max(0, math.ceil((stop - start) / step))
    except (TypeError, ZeroDivisionError, OverflowError, ValueError):
        length = -1  # NumPy knows what to say
    if length < _core.threshold() or length < 0:
        return wrap_here(numpy.arange(start, stop, step, dtype=dtype))
    if dtype is None:
        # As NumPy: at least the default integer.
        kinds = [numpy.asarray(value).dtype for value in (start, stop, step)]
        dtype = numpy.result_type(numpy.dtype(int), *kinds)
    dtype = numpy.dtype(dtype)
    if dtype == bool:
        return wrap(numpy.arange(start, stop, step, dtype=dtype))
    # NumPy stores the first two elements and continues with their difference.
    first, second = numpy.empty(2, dtype)
    ends = numpy.empty(2, dtype)
    ends[0], ends[1] = start, start + step
    with numpy.errstate(over="ignore"):
        delta = ends[1] - ends[0]
    return _sequence((length,), dtype, ends[0], delta)


def _sequence(shape, dtype, first, delta):
    number = dtype_number(dtype)
    result = _core.empty(shape, number)
    _core.record(OPS["sequence"], number, result, True, (first, delta), ())
    return result


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Evenly spaced numbers over an interval; the last one is exactly `stop`. See `numpy.linspace`.

    Distributed results need scalar ends.

    Examples
    --------
    >>> import gamelan as np
    >>> np.linspace(0, 1, 3).tolist()
    [0.0, 0.5, 1.0]
    """
    num = operator.index(num)
    start, stop = (numpy.asarray(value) if isinstance(value, _core.Array) else value for value in (start, stop))
    if num < 0 or num < _core.threshold() or numpy.ndim(start) or numpy.ndim(stop):
        if numpy.ndim(start) or numpy.ndim(stop):
            if num * max(numpy.size(start), numpy.size(stop)) >= _core.threshold():
                raise unimplemented("linspace of arrays", "with this many elements")
        result = numpy.linspace(start, stop, num, endpoint, retstep, dtype, axis)
        return (wrap_here(result[0]), result[1]) if retstep else wrap_here(result)
    intervals = num - 1 if endpoint else num
    first, last = numpy.asanyarray(start) * 1.0, numpy.asanyarray(stop) * 1.0
    working = numpy.result_type(first, last, float(num))
    delta = last - first
    step = numpy.array(numpy.nan if intervals == 0 else delta / intervals)
    if intervals > 0 and step == 0:
        # A difference too small to divide: NumPy divides the index instead.
        values = _sequence((num,), working, 0, 1)
        values /= intervals
        values *= working.type(delta)
        values += working.type(first)
    else:
        values = _sequence((num,), working, first, working.type(delta if intervals == 0 else step))
    if endpoint and num > 1:
        values[-1] = working.type(last)
    if dtype is not None and numpy.dtype(dtype) != working:
        if numpy.issubdtype(dtype, numpy.integer):
            values = _core.evaluate(OPS["floor"], values)
        values = values.astype(dtype)
    return (values, working.type(step)) if retstep else values


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Numbers spaced evenly on a log scale: powers of `base`. See `numpy.logspace`."""
    values = base ** linspace(start, stop, num, endpoint, axis=axis)
    return values if dtype is None else values.astype(dtype)


def eye(N, M=None, k=0, dtype=float, order="C", *, like=None):
    """Ones on a diagonal, zeros elsewhere. See `numpy.eye`."""
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    if not _is_large((rows, columns)):
        return wrap_here(numpy.eye(rows, columns, k, dtype))
    result = filled((rows, columns), numpy.dtype(dtype), 0)
    view = result._a
    diagonal = view[:, k:] if k >= 0 else view[-k:]
    if min(diagonal.shape) > 0:
        _core.assign(_core.view(result, _writable_diagonal(diagonal)), 1)
    return result


def _writable_diagonal(matrix):
    """NumPy's diagonal view, but writable: strides of both axes added."""
    extent = min(matrix.shape)
    return numpy.lib.stride_tricks.as_strided(matrix, (extent,), (sum(matrix.strides),))


def identity(n, dtype=None, *, like=None):
    """The square matrix with ones on its diagonal. See `numpy.identity`."""
    return eye(n, dtype=float if dtype is None else dtype)


def diag(v, k=0):
    """A matrix with a given diagonal, or a copy of a matrix's diagonal. See `numpy.diag`."""
    v = asarray(v)
    if v.ndim == 2:
        return v.diagonal(k).copy() if is_distributed(v) else wrap(numpy.diag(v._a, k))
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    extent = v.shape[0] + abs(k)
    if not is_distributed(v) and not _is_large((extent, extent)):
        return wrap(numpy.diag(v._a, k))
    result = filled((extent, extent), v.dtype, 0)
    diagonal = result._a[:, k:] if k >= 0 else result._a[-k:]
    _core.assign(_core.view(result, _writable_diagonal(diagonal)), v)
    return result


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate matrices from coordinate vectors. See `numpy.meshgrid`."""
    from ._manipulation import broadcast_arrays

    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    dims = len(xi)
    vectors = [asarray(x).reshape((1,) * axis + (-1,) + (1,) * (dims - axis - 1)) for axis, x in enumerate(xi)]
    if indexing == "xy" and dims > 1:
        vectors[0] = vectors[0].reshape((1, -1) + (1,) * (dims - 2))
        vectors[1] = vectors[1].reshape((-1, 1) + (1,) * (dims - 2))
    if not sparse:
        vectors = broadcast_arrays(*vectors)
    return [vector.copy() for vector in vectors] if copy else list(vectors)


def fromfunction(function, shape, *, dtype=float, like=None, **keywords):
    """An array from a function of its indices. See `numpy.fromfunction`."""
    return function(*indices(shape, dtype), **keywords)


def indices(dimensions, dtype=int, sparse=False):
    """The index of every element along every axis. See `numpy.indices`."""
    if sparse:
        return rewrap(numpy.indices(dimensions, dtype, sparse))
    dimensions = _shape_of(dimensions)
    grids = meshgrid(*(arange(extent, dtype=dtype) for extent in dimensions), indexing="ij")
    from ._manipulation import stack

    return stack(grids) if grids else wrap_here(numpy.indices(dimensions, dtype))
