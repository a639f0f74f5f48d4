# SPDX-License-Identifier: BSD-3-Clause
"""class ndarray: NumPy's array interface over `_core.Array`, put together of its parts (_array_*.py). Here is what
belongs to none of them: how NumPy's functions find ours, pickling, and that what is missing says so by name."""
from types import FunctionType

import numpy

from . import _core
from . import _linalg as linalg
from ._array_calculation import Calculation
from ._array_elements import Elements, here
from ._array_irregular import Irregular
from ._array_operators import Operators
from ._array_shapes import Shapes
from ._creation import array as make_array
from ._errors import unimplemented
from ._files._methods import Files
from ._local import call_numpy, has_distributed, rewrap, unwrap
from ._ufuncs import PUBLIC


class ndarray(Operators, Shapes, Elements, Calculation, Irregular, Files):
    """A NumPy array that lives here when it is small and on the engines when it is large.

    Made by `gamelan.array`, `zeros`, `arange`, ...; not by calling this class. Operations on distributed arrays are
    recorded and computed when a value is asked for, at `gamelan.sync()`, or at the end of a notebook cell.
    """

    __slots__ = ()
    __array_priority__ = 100.0

    def __init__(self, *arguments, **keywords):
        raise TypeError("use gamelan.array, zeros, empty, ... to make an array")

    def __array__(self, dtype=None):
        data = here(self)
        return data if dtype is None or numpy.dtype(dtype) == data.dtype else data.astype(dtype)

    def __array_ufunc__(self, function, method, *inputs, out=None, **keywords):
        ours = PUBLIC.get(function.__name__) or (linalg.matmul if function is numpy.matmul else None)
        if out is not None:
            keywords["out"] = out[0] if len(out) == 1 else out
        if not has_distributed((*inputs, *keywords.values())):
            result = getattr(function, method)(*map(unwrap, inputs), **unwrap(keywords))
            return keywords["out"] if out is not None and len(out) == 1 else rewrap(result)
        if ours is None:
            raise unimplemented(f"{function.__name__}")
        if isinstance(keywords.get("out"), numpy.ndarray):
            target = keywords.pop("out")
            elements = (here(value) if isinstance(value, _core.Array) else value for value in inputs)
            getattr(function, method)(*elements, out=target, **keywords)
            return target
        return ours(*inputs, **keywords) if method == "__call__" else getattr(ours, method)(*inputs, **keywords)

    def __array_function__(self, function, types, arguments, keywords):
        import gamelan

        ours = gamelan.__dict__.get(function.__name__) if function.__module__ == "numpy" else None
        if ours is function:  # NumPy's own, about dtypes and shapes
            return function(*map(_described, arguments), **{key: _described(value) for key, value in keywords.items()})
        if callable(ours):
            return ours(*arguments, **keywords)
        name = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
        return call_numpy(function, name, arguments, keywords)

    def __reduce__(self):
        return _rebuild, (numpy.array(here(self)),)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()


def _described(value):
    """An array as NumPy's functions about dtypes and shapes may see it. They read no elements, except of a 0-d array."""
    if not isinstance(value, _core.Array):
        return value
    return value._a if value.ndim else unwrap(value)


def _rebuild(data):
    return make_array(data)


def _name_methods():
    """Methods of the parts are called as the user knows them, in messages of Python, in help and in pickles."""
    for part in ndarray.__bases__:
        for method in vars(part).values():
            if isinstance(method, FunctionType):
                method.__module__, method.__qualname__ = __name__, f"ndarray.{method.__name__}"


def _add_missing_methods():
    """Methods that NumPy has and we have not: NumPy's own for small arrays, an error that names them for others."""

    def forward(name):
        def method(self, *arguments, **keywords):
            if self._b is not None:
                raise unimplemented(f"ndarray.{name}")
            return call_numpy(lambda data, *rest, **options: getattr(data, name)(*rest, **options), f"ndarray.{name}",
                              (self, *arguments), keywords)  # fmt: skip

        method.__name__ = name
        method.__qualname__ = f"ndarray.{name}"
        method.__doc__ = f"As `numpy.ndarray.{name}`, for small arrays."
        return method

    for name, attribute in vars(numpy.ndarray).items():
        if not name.startswith("_") and not hasattr(ndarray, name) and callable(attribute):
            setattr(ndarray, name, forward(name))


_name_methods()
_add_missing_methods()
_core.set_array_class(ndarray)
