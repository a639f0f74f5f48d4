# SPDX-License-Identifier: BSD-3-Clause
"""What an interrupt leaves whole: every function and method that users call becomes an object of `_core` that holds together
what is recorded while it runs (docs/decisions/018). Called once, at the end of the import. Inside the package functions call
each other as they are."""

import functools
from types import FunctionType, MethodType

import numpy

from . import _core, _docs
from ._small import _dear_calls, _own_loops, _small_calls

_core.Call.__doc__ = _docs.Documentation(
    "A function of Gamelan: an interrupt undoes all that one call has recorded, or nothing of it."
)
_WITHOUT_DOC = tuple(name for name in functools.WRAPPER_ASSIGNMENTS if name != "__doc__")
_NOT_OF_ARRAYS = ("gamelan._session", "gamelan._config")
# Special methods that record nothing, or one command.
_SIMPLE = """
__init__ __getattr__ __repr__ __str__ __format__ __len__ __iter__ __bool__ __int__ __float__ __complex__ __index__ __hash__
__reduce__ __array__ __dlpack__ __dlpack_device__ __bytes__ __enter__ __exit__ __array_namespace__
""".split()
_made = {}  # by function: what has two names is one object


def _is_ours(value):
    return isinstance(value, FunctionType) and value.__module__.startswith("gamelan") and value.__module__ not in _NOT_OF_ARRAYS


# Of another library's object that has a method of the name, NumPy calls that: `np.cumsum(series)` is a Series.
_LEFT_TO_METHODS = frozenset(
    """all any argmax argmin argsort choose clip compress cumprod cumsum diagonal max mean min nonzero prod ptp put repeat
    reshape round searchsorted squeeze std sum swapaxes take trace transpose var""".split()
)


def _call(function, place):
    if function not in _made:
        call = _made[function] = functools.update_wrapper(_core.Call(function), function, _WITHOUT_DOC)
        if place == "numpy" and function.__name__ in _LEFT_TO_METHODS:
            call._theirs = getattr(numpy, function.__name__)
        if place is not None and not function.__name__.startswith("_"):
            _docs.namesakes[call] = place, function.__name__
            if place == "numpy.ndarray":
                _small_calls.bind_method(call)
            else:
                _small_calls.bind(call, place)
            if place == "numpy":
                _dear_calls.bind(call)
            if place in ("numpy", "numpy.ndarray"):
                _own_loops.bind_row_fold(call)
    return _made[function]


def of_module(module, place):
    """Turn the functions that a module shows into calls. Pickles find them there. `place` is the module of NumPy for which it
    stands, None where there is none."""
    for name, value in list(vars(module).items()):
        if name.startswith("_"):
            continue
        if _is_ours(value):
            is_new = value not in _made
            setattr(module, name, _call(value, place))
            if is_new:
                _made[value].__module__ = module.__name__
        elif isinstance(value, MethodType) and _is_ours(value.__func__):
            setattr(module, name, getattr(value.__self__, value.__name__))


def of_class(owner, place):
    """Turn the methods of a class, and the setters of its properties, into calls. `place` is NumPy's class."""
    for name, value in list(vars(owner).items()):
        is_private = name.startswith("_") and not name.endswith("__")
        if is_private or name in _SIMPLE:
            continue
        if _is_ours(value):
            setattr(owner, name, _call(value, place))
        elif isinstance(value, property) and _is_ours(value.fset):
            setattr(owner, name, value.setter(_call(value.fset, None)))
