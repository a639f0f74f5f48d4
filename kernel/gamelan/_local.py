# SPDX-License-Identifier: BSD-3-Clause
"""The small-array path: NumPy computes, and its results get our class."""

import functools
import sys
from types import ModuleType

import numpy

from . import _core
from ._errors import unimplemented
from ._promotion import is_supported


wrap = _core.wrap
wrap_here = _core.wrap_here


def is_distributed(value):
    """True for a gamelan array whose elements live on the engines."""
    return _core.is_ours(value) and value._b is not None


def has_own_class(value):
    """True for a NumPy array of a class derived from numpy.ndarray, or from ours, which NumPy's functions treat as that class
    says: masked arrays, matrices, a user's own. A memmap is plain data."""
    kind = type(value)
    is_plain = kind is numpy.ndarray or _core.is_ours(value)
    return not is_plain and issubclass(kind, numpy.ndarray) and not issubclass(kind, numpy.memmap)


def is_numpys(value):
    """True for an array in the memory of this process: NumPy's, and small ones of ours. (`isinstance` is true for distributed
    ones, too.)"""
    return issubclass(type(value), numpy.ndarray)


def ours_of(value):
    """The array of ours that an object's `__array__` gives, which NumPy refuses because it is not its own; None where it
    gives none."""
    if isinstance(value, numpy.generic) or not hasattr(type(value), "__array__"):
        return None
    ours = value.__array__()
    return ours if _core.is_ours(ours) else None


def as_value(array):
    """Marks a new 0-d array of the engines as a value. NumPy returns scalars from reductions and from full indices: they
    cannot be written, and `x += 1` binds x to a new one. Arrays with axes are returned as they are."""
    if array._b is not None and not array._a.ndim:
        array._a.flags.writeable = False
    return array


def is_value(array):
    """True for a 0-d array of the engines that stands for a NumPy scalar."""
    return array._b is not None and not array._a.ndim and not array._a.flags.writeable


def alone(out):
    """The output that universal functions may be given in a tuple."""
    if type(out) is not tuple:
        return out
    if len(out) != 1:
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    return out[0]


def as_output(out):
    """The array that an output is; NumPy's error for one that is none."""
    if not is_output(out):
        raise TypeError(f"output must be an array, not {type(out).__name__}")
    return out


def is_output(out):
    """True for what results can be written into: an array, and no value."""
    return isinstance(out, numpy.ndarray) or _core.is_ours(out) and not is_value(out)


def decides_itself(value):
    """True for an operand whose class says what a ufunc does with it (NEP 13), if only that it is no operand of any."""
    method = getattr(type(value), "__array_ufunc__", numpy.ndarray.__array_ufunc__)
    return method is not numpy.ndarray.__array_ufunc__ and not _core.is_ours(value)


def decides_functions(value):
    """True for an object whose class may say what NumPy's functions make like it (NEP 35), and for one that cannot."""
    if value is None or _core.is_ours(value):
        return False
    return getattr(type(value), "__array_function__", None) is not numpy.ndarray.__array_function__


def each(function, values):
    """A tuple or a list with a function applied to its items: itself, where that changes none, else a plain one."""
    items = list(map(function, values))
    if all(new is old for new, old in zip(items, values)):
        return values
    return tuple(items) if isinstance(values, tuple) else items


def unwrap(value):
    """What NumPy may be given for a value: the data of a local array, a copy of a distributed one (bounded by
    `config.gather_limit`), also inside tuples, lists and dicts; other objects as they are."""
    if _core.is_ours(value):
        return value._a if value._b is None else numpy.asarray(value)  # never the proxy, which has no memory
    if isinstance(value, (tuple, list)):
        return each(unwrap, value)
    if isinstance(value, dict):
        return {key: unwrap(item) for key, item in value.items()}
    return value


def gathered(value):
    """The value with every array of ours brought here, also inside tuples and lists; without axes as a scalar. Triggers
    evaluation."""
    if _core.is_ours(value):
        return numpy.asarray(value) if value.ndim else _core.value(value)
    return each(gathered, value) if isinstance(value, (tuple, list)) else value


def stays_here(value):
    """True for an array, or a scalar of NumPy's, whose dtype the engines do not hold: texts, dates, records."""
    return isinstance(value, (numpy.ndarray, numpy.generic)) and not is_supported(value.dtype)


def with_numbers(value):
    """The value with the NumPy scalar in the place of every array of ours without axes, also inside tuples and lists.
    Triggers evaluation."""
    if _core.is_ours(value):
        return value if value.ndim else _core.value(value)
    return each(with_numbers, value) if isinstance(value, (tuple, list)) else value


def has_distributed(values):
    """True when a distributed array is among the values, also inside tuples, lists and dicts."""
    for value in values:
        if is_distributed(value):
            return True
        if isinstance(value, (tuple, list)) and has_distributed(value):
            return True
        if isinstance(value, dict) and has_distributed(value.values()):
            return True
    return False


def _references(value):
    return sys.getrefcount(value)


def _rewrapper(references_of_new):
    """`rewrap`, which takes an array for new that has no more references than that."""

    def rewrap(value):
        """New results of NumPy as ours, also inside tuples and lists; arrays of another class (matrix, masked) stay NumPy's.
        Of an array that others hold, too, it is a view: its class is theirs to choose."""
        if type(value) in (tuple, list):
            return type(value)(map(_rewrap_item, value))
        if isinstance(value, tuple) and hasattr(type(value), "_make"):  # with names, as of NumPy 2's decompositions
            return type(value)._make(map(_rewrap_item, value))
        if type(value) is not numpy.ndarray:
            return value
        return wrap(value if sys.getrefcount(value) <= references_of_new else _core.share(value))

    return rewrap


# Counted where `rewrap` counts: versions of Python differ.
rewrap = _rewrapper(_references(numpy.empty(0)))
_rewrap_item = _rewrapper(next(map(_references, (numpy.empty(0),))))


_HINTS = {
    "info": "x.shape, x.dtype, x.flags, x.distribution and print(x) tell what there is to know",
}


def call_numpy(function, name, arguments, keywords, wrap_result=rewrap):
    """NumPy's function for arguments that are all here, or numbers: their values are fetched. NotImplementedError when an
    array with axes is distributed."""
    if has_distributed(arguments) or has_distributed(keywords.values()):
        arguments = each(with_numbers, arguments)
        keywords = {key: value if key == "out" else with_numbers(value) for key, value in keywords.items()}
        if has_distributed(arguments) or has_distributed(keywords.values()):
            raise unimplemented(name, _HINTS.get(name, ""))
    plain, named = [unwrap(value) for value in arguments], unwrap(keywords)
    results = [function(*plain, **named)]
    for value, given in zip((*arguments, *keywords.values()), (*plain, *named.values())):
        if given is results[0]:  # an output, or what needs no change
            return value if _core.is_ours(value) else wrap_result(_core.share(given))
    del plain, named
    return wrap_result(results.pop())  # which has no name here: `rewrap` counts


def write_here(function, target, *operands):
    """NumPy's function that writes into its first argument, an array that is here. What it writes comes here, bounded by
    `config.gather_limit`."""
    function(unwrap(target), *map(gathered, operands))


_ITERATORS = ("nditer",)  # classes that go through the elements of what they are called with


@functools.cache
def forwarded(module, name, prefix):
    """What `gamelan.<name>` is when gamelan does not have it: NumPy's function for arrays that are here, which refuses
    distributed ones by name; for a module the same of its functions. Classes and values are NumPy's own."""
    theirs = getattr(module, name)
    if isinstance(theirs, ModuleType):
        return _Forwarded(theirs, f"{prefix}{name}.")
    if isinstance(theirs, type) and name not in _ITERATORS or not callable(theirs):
        return theirs

    @functools.wraps(theirs, updated=())
    def function(*arguments, **keywords):
        return call_numpy(theirs, f"{prefix}{name}", arguments, keywords)

    function.__module__, function.__qualname__ = __package__, f"{prefix}{name}"  # where pickles find it
    return function


class _Forwarded:
    """A module of NumPy's whose functions take arrays that are here: `gamelan.char`, `gamelan.ma`, `gamelan.polynomial`, ..."""

    def __init__(self, module, prefix):
        self._module, self._prefix = module, prefix

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return forwarded(self._module, name, self._prefix)

    def __dir__(self):
        return [name for name in dir(self._module) if not name.startswith("_")]
