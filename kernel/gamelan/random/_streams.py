# SPDX-License-Identifier: BSD-3-Clause
"""Draws: arrays of random numbers, made here when they are small and on the engines when they are not, from the same key and
counters by the same code (protocol/philox.hpp, protocol/distributions.def). Parameters may be arrays, here or there."""

import functools
import math

import numpy

from .. import _arguments, _core
from .._creation._filled import filled
from .._folds._reductions import reduce
from .._local import is_distributed, wrap_here
from .._promotion import OPS, dtype_number
from .._views._plain import broadcast_to

_DISTRIBUTIONS = _core.distributions()
_WHOLE = {"binomial": (int, float), "hypergeometric": (int, int, int)}  # others take floats
PLAIN = frozenset({float, int})
_checker = numpy.random.Generator(numpy.random.PCG64(0))  # is asked for its errors, never for numbers


def shape_of(size):
    """`size` as a tuple; None for one number."""
    if size is None:
        return None
    shape = _arguments.shape(size)
    if any(extent < 0 for extent in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def numbers(bits, name, size, dtype, first, second):
    """Uniform or normal numbers of op `name` with its two parameters; one number, no array, when size is None."""
    dtype = numpy.dtype(dtype)
    shape = shape_of(size)
    extents = () if shape is None else shape
    count = math.prod(extents)
    key, offset = bits.reserve(count)
    if shape is not None and count >= _core.threshold():
        number = dtype_number(dtype)
        result = _core.empty(shape, number)
        _core.record(OPS[name], number, result, True, (first, second), (key, offset))
        return result
    values = numpy.empty(extents, dtype)
    _core.random_fill(values, OPS[name], key, offset, first, second)
    return values[()] if shape is None else wrap_here(values)


def parameter(value, dtype=None):
    """What a draw computes with: a distributed array, or a NumPy array. What is no array yet becomes one of that dtype, if
    NumPy would ask for one."""
    if is_distributed(value):
        if value.dtype.kind == "c":
            raise TypeError("Cannot cast array data from complex to float64 according to the rule 'safe'")
        return value
    if isinstance(value, (_core.Array, numpy.ndarray)):
        return value._a if _core.is_ours(value) else value
    array = numpy.array(value, dtype)
    if dtype is float and array.ndim == 0 and (value is None or isinstance(value, (str, bytes))):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return array


def _ends(arrays):
    """For each distributed array its least and greatest element, in one round trip; NaN where there is one."""
    found = iter(_core.fetch([reduce(name, array) for array in arrays for name in ("min", "max")]))
    return [numpy.array([next(found)[()], next(found)[()]]) for _ in arrays]


def check(name, parameters):
    """NumPy's errors for parameters of a distribution. Those on the engines are looked at (one round trip)."""
    numpy.broadcast_shapes(*(array.shape for array in parameters))
    there = [array for array in parameters if is_distributed(array) and array.size]
    ends = iter(_ends(there)) if there else iter(())
    asked = [next(ends) if is_distributed(array) and array.size else array for array in parameters]
    asked = [numpy.ones(0, array.dtype) if is_distributed(array) else array for array in asked]
    if there:  # ends of one parameter do not belong to those of another: along axes of their own
        asked = [array.reshape(array.size, *(1,) * place) for place, array in enumerate(asked)]
    shape = numpy.broadcast_shapes(*(array.shape for array in asked))
    getattr(_checker, name)(*asked, size=(0, *shape))


@functools.lru_cache(1024)
def checked(name, dtype, *values):
    """Plain numbers as parameters of a distribution. NumPy's errors are asked for once."""
    parameters = [parameter(value, kind) for value, kind in zip(values, _WHOLE.get(name, (dtype,) * len(values)))]
    check(name, parameters)
    return parameters


def output_shape(size, parameters):
    """The shape of a result; None for one number. NumPy's ValueError when `size` does not hold the parameters."""
    shape = shape_of(size)
    shapes = [array.shape for array in parameters]
    if shape is None:
        is_number = all(array.ndim == 0 and not is_distributed(array) for array in parameters)
        return None if is_number else numpy.broadcast_shapes(*shapes)
    if numpy.broadcast_shapes(shape, *shapes) != shape:
        broadcast = numpy.broadcast_shapes(*shapes)
        raise ValueError(f"Output size {shape} is not compatible with broadcast dimensions of inputs {broadcast}.")
    return shape


def draw(bits, name, parameters, size=None, dtype=float, is_checked=False):
    """Numbers of a distribution (protocol/distributions.def)."""
    number, count = _DISTRIBUTIONS[name]
    assert len(parameters) == count
    if not is_checked and count and all(type(value) in PLAIN and value for value in parameters):  # to a cache 0.0 is -0.0
        parameters = checked(name, float, *parameters)
        shape = shape_of(size)
    else:
        parameters = [parameter(value, dtype) for value, dtype in zip(parameters, _WHOLE.get(name, (float,) * count))]
        shape = output_shape(size, parameters)
        if not is_checked and count:
            check(name, parameters)
    dtype = numpy.dtype(dtype)
    extents = () if shape is None else shape
    size = math.prod(extents)
    key, offset = bits.reserve(size)
    if shape is not None and (size >= _core.threshold() or any(map(is_distributed, parameters))):
        return _there(number, key, offset, parameters, shape, dtype)
    values = numpy.empty(extents)
    _core.draw_fill(values, number, key, offset, [_row(array, extents) for array in parameters])
    if shape is None:
        return values.item() if dtype.kind == "f" else int(values)
    return wrap_here(values.astype(dtype, copy=False))


def _row(array, shape):
    """A parameter as float64: one element, or as many as the result in C order."""
    array = numpy.asarray(array, float)
    return array.reshape(1) if array.size == 1 else numpy.ascontiguousarray(numpy.broadcast_to(array, shape))


def _there(number, key, offset, parameters, shape, dtype):
    if 0 in shape:
        return filled(shape, dtype, 0)
    inputs = []
    for array in parameters:
        if not is_distributed(array):
            array = array.astype(float).reshape(())[()] if array.size == 1 else _core.upload(array.astype(float))
        inputs.append(float(array) if isinstance(array, float) else broadcast_to(array, shape))
    result = _core.empty(shape, dtype_number(dtype))
    _core.record(OPS["draw"], dtype_number(float), result, True, tuple(inputs), (number, key, offset))
    return result


def size_for(size, out, dtype):
    """The size of what goes to `out`, with NumPy's errors when it cannot."""
    if out is None:
        return size
    if not isinstance(out, (_core.Array, numpy.ndarray)):
        raise ValueError("Supplied output array must be contiguous, writable, aligned, and in machine byte-order.")
    if out.dtype != dtype:
        raise TypeError(f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}")
    if size is not None and shape_of(size) != tuple(out.shape):
        raise ValueError("size must match out.shape when used together")
    return out.shape


def put_out(values, out):
    """`out` filled with the values, or the values themselves."""
    if out is None:
        return values
    out[...] = values
    return out
