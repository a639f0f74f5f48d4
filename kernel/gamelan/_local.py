# SPDX-License-Identifier: BSD-3-Clause
"""The small-array path: NumPy computes, our class wraps. Also the way from any object to an array."""
import functools
from types import ModuleType

import numpy

from . import _core
from ._errors import NotImplementedName, unimplemented

wrap = _core.wrap
wrap_here = _core.wrap_here


def is_distributed(value):
    """True for a gamelan array whose elements live on the engines."""
    return isinstance(value, _core.Array) and value._b is not None


def as_value(array):
    """Marks a new 0-d array of the engines as a value. NumPy returns scalars from reductions and from full indices: they
    cannot be written, and `x += 1` binds x to a new one. Arrays with axes are returned as they are."""
    if array._b is not None and not array._a.ndim:
        array._a.flags.writeable = False
    return array


def is_value(array):
    """True for a 0-d array of the engines that stands for a NumPy scalar."""
    return array._b is not None and not array._a.ndim and not array._a.flags.writeable


def as_output(out):
    """The array that an output is, alone or in a tuple; NumPy's error for one that is none."""
    if type(out) is tuple and len(out) == 1:
        (out,) = out
    if not isinstance(out, (_core.Array, numpy.ndarray)):
        raise TypeError(f"output must be an array, not {type(out).__name__}")
    return out


def decides_itself(value):
    """True for an operand whose class says what a ufunc does with it (NEP 13), if only that it is no operand of any."""
    method = getattr(type(value), "__array_ufunc__", numpy.ndarray.__array_ufunc__)
    return method is not numpy.ndarray.__array_ufunc__ and not isinstance(value, _core.Array)


def unwrap(value):
    """What NumPy may be given for a value: the data of a local array, a copy of a distributed one (bounded by
    `config.gather_limit`), also inside tuples, lists and dicts; other objects as they are."""
    if isinstance(value, _core.Array):
        return value._a if value._b is None else numpy.asarray(value)  # never the proxy, which has no memory
    if type(value) in (tuple, list):
        return type(value)(map(unwrap, value))
    if type(value) is dict:
        return {key: unwrap(item) for key, item in value.items()}
    return value


def gathered(value):
    """The value with every array of ours brought here, also inside tuples and lists. Triggers evaluation."""
    if isinstance(value, _core.Array):
        return numpy.asarray(value)
    if type(value) in (tuple, list):
        return type(value)(map(gathered, value))
    return value


def has_distributed(values):
    """True when a distributed array is among the values, also inside tuples, lists and dicts."""
    for value in values:
        if is_distributed(value):
            return True
        if type(value) in (tuple, list) and has_distributed(value):
            return True
        if type(value) is dict and has_distributed(value.values()):
            return True
    return False


def rewrap(value):
    """Wraps NumPy's results, also inside tuples and lists; arrays of another class (matrix, masked) stay NumPy's."""
    if type(value) in (tuple, list):
        return type(value)(map(rewrap, value))
    return wrap(value) if type(value) is numpy.ndarray else value


_HINTS = {
    "info": "x.shape, x.dtype, x.flags, x.distribution and print(x) tell what there is to know",
}


def call_numpy(function, name, arguments, keywords, wrap_result=rewrap):
    """NumPy's function for arguments that are all here; NotImplementedError when one of them is distributed."""
    if has_distributed(arguments) or has_distributed(keywords.values()):
        raise unimplemented(name, _HINTS.get(name, ""))
    return wrap_result(function(*map(unwrap, arguments), **unwrap(keywords)))


_ITERATORS = ("nditer", "ndenumerate")  # classes that go through the elements of what they are called with


def forwarded(module, name, prefix):
    """What `gamelan.<name>` is when gamelan does not have it: NumPy's function for arrays that are here, which refuses
    distributed ones by name; for a module the same of its functions. Classes and values are NumPy's own, but classes
    whose objects are NumPy arrays of a kind of their own raise NotImplementedError."""
    theirs = getattr(module, name)
    if isinstance(theirs, ModuleType):
        return _Forwarded(theirs, f"{prefix}{name}.")
    if isinstance(theirs, type) and issubclass(theirs, numpy.ndarray) and theirs is not numpy.matrix and not prefix:
        raise NotImplementedName(f"gamelan.{name} is not implemented: its objects are NumPy's own arrays; numpy.{name} makes them, "
                                 "and gamelan.asarray takes what they hold")  # fmt: skip
    if isinstance(theirs, type) and name not in _ITERATORS or not callable(theirs):
        return theirs

    @functools.wraps(theirs, updated=())
    def function(*arguments, **keywords):
        return call_numpy(theirs, f"{prefix}{name}", arguments, keywords)

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


def coerce(value):
    """What `_core` operates on in place of a list or another library's array; NotImplemented lets that library try."""
    if hasattr(type(value), "__gamelan_array__"):
        return value.__gamelan_array__()
    if decides_itself(value) or value is None or isinstance(value, (str, bytes)):
        return NotImplemented
    if isinstance(value, (list, tuple)) and has_distributed(value) or hasattr(value, "distributed_elements"):
        from ._creation import asarray

        return asarray(value)
    array = numpy.asarray(value)
    return NotImplemented if array.dtype.kind in "OUSV" else array


_core.set_coerce_hook(coerce)
