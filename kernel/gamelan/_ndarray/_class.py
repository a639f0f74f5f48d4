# SPDX-License-Identifier: BSD-3-Clause
"""The two classes of arrays. `DistributedArray` is NumPy's array interface over `_core.Array`, put together of its parts, the
other modules here. `ndarray`, the class of small arrays, is a numpy.ndarray that takes from the parts what NumPy's methods
cannot do: results that may be large, and operands on the engines. Decision 025 says why there are two."""

from types import FunctionType

import numpy

from .. import _core
from .._creation._filled import empty
from .._errors import unimplemented
from .._files._methods import Files
from .._local import call_numpy, is_value
from ._calculation import Calculation
from ._distribution import Distributed
from ._elements import Elements
from ._irregular import Irregular
from ._operators import Operators
from ._protocols import Protocols
from ._shapes import Shapes

__all__ = ["DistributedArray", "ndarray"]


class DistributedArray(Operators, Shapes, Elements, Calculation, Irregular, Protocols, Files, Distributed):
    """An array whose elements live on the engines.

    Operations are recorded and computed when a value is asked for, at `gamelan.sync()`, or at the end of a notebook cell.
    Functions make such arrays where the result is large; see `gamelan.ndarray`.
    """

    __slots__ = ()

    @property
    def __class__(self):
        """What `isinstance` takes it for: an array of NumPy's, or of a value such as `x.mean()` the NumPy scalar that it
        stands for."""
        if self._b is None:
            return type(self)
        return self.dtype.type if is_value(self) else ndarray


ndarray = _core.ndarray


def _new(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    """An array of a shape whose elements nobody has set; with a buffer or strides NumPy's array of these."""
    if cls is ndarray and buffer is None and strides is None:
        return empty(shape, dtype, "C" if order is None else order)
    return numpy.ndarray.__new__(cls, shape, dtype, buffer, offset, strides, order)


# What a small array leaves to numpy.ndarray: facts, views, and what concerns its elements alone.
_NUMPYS = """shape dtype strides ndim size itemsize nbytes flags setflags T base real imag flat data ctypes
    reshape ravel flatten transpose swapaxes squeeze diagonal view resize byteswap copy item tolist tobytes tofile dump dumps
    conj conjugate itemset
    __iter__ __contains__ __bool__ __float__ __int__ __complex__ __index__ __hash__ __trunc__ __sizeof__ __copy__ __deepcopy__
    __array__ __array_priority__ __array_interface__ __array_struct__ __array_ufunc__ __array_function__ __dlpack__
    __dlpack_device__ __jax_array__ __arrow_array__ __bytes__ __class_getitem__ __getattr__ __doc__ __module__ __slots__ _typ
    _number _place_of _python_number""".split()
# Methods of which NumPy computes a small array's result, if no argument is on the engines.
_WITH_NUMPY = """sum prod max min any all mean var std ptp argmin argmax cumsum cumprod round trace nonzero argsort fill put
    compress sort partition""".split()


def _is_numpys(name):
    """Whether NumPy's arrays have a method. NumPy 2.0 to 2.4 keep what they took away, as an attribute that says so."""
    return callable(getattr(numpy.ndarray, name, None))


def _add_methods_of_small_arrays():
    """What a small array has besides: the operators, methods whose result may be large, and what NumPy lacks."""
    ndarray.__new__ = _new
    for part in DistributedArray.__bases__:
        for name, attribute in vars(part).items():
            if name not in _NUMPYS and name not in _WITH_NUMPY:
                setattr(ndarray, name, _or_numpys(name, attribute))


def _or_numpys(name, attribute):
    """A method that is NumPy's for arrays of a class derived from ours, whoever calls it."""
    if isinstance(attribute, FunctionType) and name not in _SHOWN and callable(theirs := getattr(numpy.ndarray, name, None)):
        return _core.Operator(name, -1, _core.BY_GENERAL, theirs, attribute)
    return attribute


_SHOWN = ("__repr__", "__str__", "__format__")


def add_methods_with_numpy():
    """The other methods of small arrays, once those of distributed ones are what users call."""
    for name in filter(_is_numpys, _WITH_NUMPY):
        theirs, ours = getattr(numpy.ndarray, name), getattr(DistributedArray, name)
        setattr(ndarray, name, _core.Operator(name, -1, _core.METHOD, theirs, ours))
    ndarray.dot = _core.Operator("dot", -1, _core.PRODUCT, numpy.ndarray.dot, DistributedArray.dot)


def _name_methods():
    """Methods of the parts are called as the user knows them, in messages of Python, in help and in pickles."""
    DistributedArray.__module__ = "gamelan"
    for part in DistributedArray.__bases__:
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
        if not name.startswith("_") and not hasattr(DistributedArray, name) and callable(attribute):
            setattr(DistributedArray, name, forward(name))


def _drop_methods():
    """Methods of ours that NumPy 2 has no more."""
    for part in DistributedArray.__bases__:
        for name in ("itemset", "ptp"):
            if name in vars(part) and not _is_numpys(name):
                delattr(part, name)


def _leave_to_numpy(cls, **keywords):
    """A class that a user derives from ours has NumPy's own methods, unless it has others: results keep the class, and
    `__array_finalize__` is called, as with NumPy. (Methods that are Operators see to that themselves.)"""
    super(ndarray, cls).__init_subclass__(**keywords)
    for name in _NUMPYS_OF_DERIVED if ndarray in cls.__bases__ else ():
        of = next(each for each in cls.__mro__ if name in vars(each))
        if of is ndarray:  # and neither the class nor a mixin has its own
            setattr(cls, name, getattr(numpy.ndarray, name))


_NUMPYS_OF_DERIVED = []


def _prepare_for_derived_classes():
    kept = ("__new__", "__doc__", "base", "__getitem__", "__setitem__")
    for name, attribute in vars(ndarray).items():
        theirs = vars(numpy.ndarray).get(name, attribute)
        if name not in kept and theirs is not attribute and not isinstance(attribute, _core.Operator):
            _NUMPYS_OF_DERIVED.append(name)
    ndarray.__init_subclass__ = classmethod(_leave_to_numpy)


_drop_methods()
_name_methods()
_add_missing_methods()
_add_methods_of_small_arrays()
_prepare_for_derived_classes()
_core.set_array_class(DistributedArray)
