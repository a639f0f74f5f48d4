# SPDX-License-Identifier: BSD-3-Clause
"""class ndarray: NumPy's array interface over `_core.Array`, put together of its parts, the other modules here. Here is what
belongs to none of them: that methods are called as the user knows them, and that what is missing says so by name."""

from types import FunctionType

import numpy

from .. import _core
from .._creation._filled import empty
from .._creation._from_data import asarray
from .._errors import unimplemented
from .._files._methods import Files
from .._local import call_numpy, unwrap
from ._calculation import Calculation
from ._distribution import Distributed
from ._elements import Elements
from ._irregular import Irregular
from ._operators import Operators
from ._protocols import Protocols
from ._shapes import Shapes

__all__ = ["ndarray"]


class ndarray(Operators, Shapes, Elements, Calculation, Irregular, Protocols, Files, Distributed):
    """A NumPy array that lives here when it is small and on the engines when it is large.

    Usually made by `gamelan.array`, `zeros`, `arange`, ... Operations on distributed arrays are
    recorded and computed when a value is asked for, at `gamelan.sync()`, or at the end of a notebook cell.
    """

    __slots__ = ()

    def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        """An array of a shape whose elements nobody has set; with a buffer or strides NumPy's array of these."""
        if buffer is None and strides is None:
            return empty(shape, dtype)
        return asarray(numpy.ndarray(shape, dtype, unwrap(buffer), offset, strides, order))

    def __init__(self, *arguments, **keywords):
        pass


def _name_methods():
    """Methods of the parts are called as the user knows them, in messages of Python, in help and in pickles."""
    for part in ndarray.__bases__:
        for method in vars(part).values():
            if isinstance(method, FunctionType):
                method.__module__, method.__qualname__ = __name__, f"ndarray.{method.__name__}"


_HINTS = {
    "getfield": "x.view(dtype) shows all bytes of the elements",
    "setfield": "write through x.view(dtype)",
    "dump": "np.save writes the array",
    "dumps": "np.save writes the array",
}


_SUMMARIES = {
    "getfield": "A field of the bytes of each element, as another dtype.",
    "setfield": "Write a value into a field of the bytes of each element.",
    "newbyteorder": "The array with the dtype of another byte order, as a view.",
    "tostring": "The elements as bytes: an old name of `tobytes`.",
}


def _add_missing_methods():
    """Methods that NumPy has and we have not: NumPy's own for small arrays, an error that names them for others."""

    def forward(name):
        def method(self, *arguments, **keywords):
            if self._b is not None:
                raise unimplemented(f"ndarray.{name}", _HINTS.get(name, ""))
            return call_numpy(
                lambda data, *rest, **options: getattr(data, name)(*rest, **options),
                f"ndarray.{name}",
                (self, *arguments),
                keywords,
            )

        method.__name__ = name
        method.__qualname__ = f"ndarray.{name}"
        summary = _SUMMARIES.get(name, "A method of numpy.ndarray.")
        method.__doc__ = f"{summary}\n\nNot implemented for distributed arrays. Needs no evaluation."
        return method

    for name, attribute in vars(numpy.ndarray).items():
        if not name.startswith("_") and not hasattr(ndarray, name) and callable(attribute):
            setattr(ndarray, name, forward(name))


def _drop_methods():
    """Methods of ours that NumPy 2 has no more."""
    for part in ndarray.__bases__:
        for name in ("itemset", "ptp"):
            if name in vars(part) and not hasattr(numpy.ndarray, name):
                delattr(part, name)


_drop_methods()
_name_methods()
_add_missing_methods()
_core.set_array_class(ndarray)
