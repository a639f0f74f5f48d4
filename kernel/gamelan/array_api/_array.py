# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of the standard: gamelan's, whose operators promote by dtype alone, as the standard's functions do; and the
way from one kind to the other at the door of every function. Elements are never copied on this way."""

import functools

import numpy

from .. import _core
from .._creation._from_data import copy_of
from .._local import each, is_distributed, is_value
from .._ndarray._class import DistributedArray, ndarray
from .._views._copyto import copyto
from ._dtypes import number, promoted
from ._elementwise import floor_divide

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
_COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
_OF_ONE = ("__neg__", "__pos__", "__abs__", "__invert__", "__getitem__", "__copy__", "__deepcopy__", "to_device")
_PROPERTIES = ("T", "mT")
_SET_CLASS = vars(object)["__class__"].__set__  # DistributedArray's own `__class__` cannot be set


class Array(ndarray):
    """An ndarray that the functions of `gamelan.array_api` return. It differs from others in its operators: a 0-d array
    promotes by its dtype as every array does, a Python number takes the dtype of the array that it meets, and what has
    no axes is an array, never a NumPy scalar. Its methods beyond the standard are those of ndarray, and return such.

    Examples
    --------
    >>> import gamelan as np
    >>> xp = np.array_api
    >>> (xp.asarray(1, dtype=xp.uint8) + 1).dtype
    dtype('uint8')
    """

    __slots__ = ()

    def __new__(cls, *arguments, **keywords):
        return standard(ndarray(*arguments, **keywords))

    def __repr__(self):
        return repr(plain(self))


class LargeArray(DistributedArray):
    """Such an array on the engines."""

    __slots__ = ()
    __class__ = property(lambda self: Array)


def __floordiv__(self, other):
    return standard(floor_divide(*_operands(self, other)))


def __rfloordiv__(self, other):
    return standard(floor_divide(*reversed(_operands(self, other))))


def __ifloordiv__(self, other):
    result = self // other
    if not is_value(self):
        copyto(self, result, casting="same_kind")
    return result if is_value(self) else self


_FLOOR_DIVISION = (__floordiv__, __rfloordiv__, __ifloordiv__)


def standard(value):
    """The value as the standard's functions return it, also inside tuples and lists."""
    if type(value) in (Array, LargeArray):
        return value
    if is_distributed(value):
        if is_value(value):  # what has no axes may be written, as every array of the standard
            value = copy_of(value, "C")
        result = _core.view(value, value._a)
        _SET_CLASS(result, LargeArray)
        return result
    if isinstance(value, (_core.ndarray, numpy.generic)):
        return numpy.ndarray.view(numpy.asanyarray(value), Array)
    if type(value) is list:
        return list(map(standard, value))
    if isinstance(value, tuple):
        return type(value)(*map(standard, value)) if hasattr(value, "_fields") else tuple(map(standard, value))
    return value


def plain(value):
    """The value as gamelan's functions take it: with the operators that they expect."""
    if type(value) is Array:
        return numpy.ndarray.view(value, ndarray)
    if type(value) is LargeArray:
        return _core.view(value, value._a)
    return each(plain, value) if isinstance(value, (tuple, list)) else value


def by_the_standard(function):
    """The function for and of arrays of the standard."""

    @functools.wraps(function)
    def call(*arguments, **keywords):
        return standard(function(*map(plain, arguments), **{name: plain(value) for name, value in keywords.items()}))

    return call


def _operands(array, other):
    """Both operands, such that NumPy's operators give the standard's dtype."""
    return tuple(map(plain, promoted(array, other))) if _core.is_ours(other) else (plain(array), number(other, array))


def _add_operators(kind, plain_kind):
    def two(name):
        function = getattr(plain_kind, name)
        return lambda self, other: standard(function(*_operands(self, other)))

    def in_place(name):
        function = getattr(plain_kind, name)

        def operator(self, other):
            result = function(self, plain(number(other, self)))
            return self if result is self else standard(result)

        return operator

    def one(name):
        function = getattr(plain_kind, name)
        return lambda self, *arguments, **keywords: standard(function(self, *arguments, **keywords))

    def define(name, function):
        function = functools.wraps(getattr(plain_kind, name), assigned=("__name__", "__doc__"))(function)
        function.__qualname__, function.__module__ = f"Array.{name}", __name__
        setattr(kind, name, function)

    for name in _ARITHMETIC:
        for make, prefix in ((two, ""), (two, "r"), (in_place, "i")):
            define(f"__{prefix}{name}__", make(f"__{prefix}{name}__"))
    for name in _COMPARISONS:
        define(name, two(name))
    for name in _OF_ONE:
        define(name, one(name))
    for function in _FLOOR_DIVISION:
        setattr(kind, function.__name__, function)
    for name in _PROPERTIES:
        theirs = getattr(plain_kind, name)
        setattr(kind, name, property(lambda self, theirs=theirs: standard(theirs.__get__(self)), doc=theirs.__doc__))


_add_operators(Array, ndarray)
_add_operators(LargeArray, DistributedArray)
_core.set_standard_class(Array)
