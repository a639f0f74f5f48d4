# SPDX-License-Identifier: BSD-3-Clause
"""Dtypes of the array-API standard: the objects, their kinds and limits, and promotion by dtype alone. `promoted` is
what the functions of this package give to NumPy's rules, which in NumPy 1.x look at the values of 0-d arrays."""

import builtins
from dataclasses import dataclass

import numpy

from .. import _core

bool = numpy.dtype("bool")
int8, int16, int32, int64 = map(numpy.dtype, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(numpy.dtype, ("uint8", "uint16", "uint32", "uint64"))
float32, float64 = map(numpy.dtype, ("float32", "float64"))
complex64, complex128 = map(numpy.dtype, ("complex64", "complex128"))

__all__ = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "astype",
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "result_type",
]

KINDS = {
    "bool": (bool,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


@dataclass(frozen=True)
class FloatLimits:
    """What `finfo` answers, in Python's numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: numpy.dtype


def _dtype_of(value):
    return value.dtype if _core.is_ours(value) or isinstance(value, (numpy.ndarray, numpy.generic)) else numpy.dtype(value)


def astype(x, dtype, /, *, copy=True, device=None):
    """The array cast to another dtype.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array_api.astype(np.array([1.5]), np.array_api.int32).tolist()
    [1]
    """
    return x.astype(dtype, copy=copy)


def can_cast(from_, to, /):
    """True when values of one dtype fit into another by the standard's promotion."""
    return numpy.can_cast(_dtype_of(from_), to)


def finfo(type, /):
    """Limits of a floating dtype, of a complex one those of its parts."""
    dtype = _dtype_of(type)
    found = numpy.finfo(dtype)
    return FloatLimits(
        found.bits, float(found.eps), float(found.max), float(found.min), float(found.smallest_normal), found.dtype
    )


def iinfo(type, /):
    """Limits of an integer dtype."""
    return numpy.iinfo(_dtype_of(type))


def isdtype(dtype, kind):
    """True when a dtype is of a kind: the name of one, a dtype, or a tuple of these."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"got the kind {kind!r}, expected one of {', '.join(KINDS)}")
        return numpy.dtype(dtype) in KINDS[kind]
    return numpy.dtype(dtype) == kind


def result_type(*arrays_and_dtypes):
    """The dtype that dtypes promote to; of arrays only the dtype counts, of numbers of Python only their kind.

    Examples
    --------
    >>> import gamelan as np
    >>> np.array_api.result_type(np.array_api.float32, 1)
    dtype('float32')
    """
    numbers = [value for value in arrays_and_dtypes if type(value) in _LEAST]
    result = numpy.result_type(*(_dtype_of(value) for value in arrays_and_dtypes if type(value) not in _LEAST))
    for value in numbers:
        if _KINDS[type(value)] > _KINDS[result.kind]:
            result = numpy.result_type(result, _LEAST[type(value)] if result.kind == "f" else type(value))
    return result


# Python's numbers and dtypes by how much they can hold; a real array and a complex number may meet.
_KINDS = {builtins.bool: 0, int: 1, float: 2, complex: 3, "b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
_LEAST = {builtins.bool: bool, int: int8, float: float32, complex: complex64}


def number(value, array):
    """A Python number as the 0-d array it stands for beside a 0-d array. With others NumPy's rule is the standard's; so it
    is for a number that the dtype cannot hold, of which the standard says nothing."""
    dtype = array.dtype
    if array.ndim or _KINDS.get(type(value), 4) > _KINDS[dtype.kind] + (dtype.kind == "f"):
        return value
    if dtype.kind in "iu" and not numpy.iinfo(dtype).min <= value <= numpy.iinfo(dtype).max:
        return value
    return numpy.asarray(value, numpy.result_type(dtype, numpy.complex64) if type(value) is complex else dtype)


def promoted(*values):
    """The values such that NumPy's rules give the standard's dtype: 0-d arrays among others are cast first, and numbers of
    Python stand for arrays of the dtype that they meet."""
    first = next((value for value in values if _core.is_ours(value)), None)
    if first is not None:
        values = tuple(number(value, first) if type(value) in _LEAST else value for value in values)
    arrays = [value for value in values if _core.is_ours(value)]
    if len({array.dtype for array in arrays}) < 2 or len({array.ndim == 0 for array in arrays}) < 2:
        return values
    dtype = numpy.result_type(*(array.dtype for array in arrays))
    return tuple(value.astype(dtype, copy=False) if _core.is_ours(value) else value for value in values)
