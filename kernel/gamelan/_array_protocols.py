# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that other libraries call: how NumPy's functions and ufuncs find ours, how the elements are handed
over (__array__, DLPack, pickles, bytes), and the array-API namespace. Whatever hands elements over is bounded by
`config.gather_limit`. A base of ndarray, of no use by itself."""
import types as python_types

import numpy

from . import _core
from ._array_elements import here
from ._creation import array as make_array
from ._creation import asarray
from ._errors import unimplemented
from ._float_errors import numpys_own
from ._local import call_numpy, decides_itself, has_distributed, is_value, rewrap, unwrap

_DEVICE = "cpu"


def _ours(function):
    """Gamelan's function in place of one of NumPy's, by the place where NumPy has it; None where there is none. A
    namesake from elsewhere (a ufunc of scipy, of `numpy.frompyfunc`) is not it."""
    import gamelan

    module = "numpy" if isinstance(function, numpy.ufunc) else function.__module__
    if module.split(".")[0] != "numpy":
        return None
    theirs, ours = numpy, gamelan
    for name in (*module.split(".")[1:], function.__name__):
        theirs, ours = getattr(theirs, name, None), getattr(ours, name, None)
    return ours if theirs is function else None


def _described(value):
    """An array as NumPy's functions about dtypes and shapes may see it. They read no elements, except of a 0-d array."""
    if not isinstance(value, _core.Array):
        return value
    return value._a if value.ndim else unwrap(value)


def _rebuild(data):
    return make_array(data)


def from_dlpack(x, /):
    """An array of an object that speaks DLPack. A small one shares memory with it, as NumPy's does.

    Examples
    --------
    >>> import numpy
    >>> import gamelan as np
    >>> np.from_dlpack(numpy.arange(3)).tolist()
    [0, 1, 2]

    See Also
    --------
    numpy.from_dlpack
    """
    return x if isinstance(x, _core.Array) else asarray(numpy.from_dlpack(x))


class Protocols(_core.Array):
    """ndarray as other libraries see it."""

    __slots__ = ()
    __array_priority__ = 100.0

    def __array__(self, dtype=None):
        data = here(self)
        return data if dtype is None or numpy.dtype(dtype) == data.dtype else data.astype(dtype)

    def _memory(self, name):
        if self._b is not None:
            raise AttributeError(f"ndarray.{name}: a distributed array has no memory here; numpy.asarray(x) brings a copy")
        return getattr(self._a, name)

    __array_interface__ = property(lambda self: self._memory("__array_interface__"), doc="NumPy's description of the memory of a small array.")
    def _struct(self):
        if self.dtype.kind not in "biufc":  # NumPy reads such a one with another size of text, and dates without their unit
            raise AttributeError("ndarray.__array_struct__: of numbers only; __array_interface__ describes the others")
        return self._memory("__array_struct__")

    __array_struct__ = property(lambda self: self._struct(), doc="NumPy's description of the memory of a small array, for C.")
    data = property(lambda self: here(self).data, doc="The memory of a small array; a read-only copy of a large one's elements.")
    ctypes = property(lambda self: self._memory("ctypes"), doc="The memory of a small array, for ctypes.")

    @numpys_own
    def __array_ufunc__(self, function, method, *inputs, out=None, **keywords):
        if any(map(decides_itself, (*inputs, *(out or ())))):
            return NotImplemented
        if out is not None:
            keywords["out"] = out[0] if len(out) == 1 else out
        if not has_distributed((*inputs, *keywords.values())):
            result = getattr(function, method)(*map(unwrap, inputs), **unwrap(keywords))
            return rewrap(result) if out is None else keywords["out"]
        ours = _ours(function)
        if ours is None:
            if getattr(numpy, function.__name__, None) is function:
                raise unimplemented(function.__name__)
            raise NotImplementedError(f"the ufunc {function.__name__!r} is another library's, which computes in the memory of this process: "
                                      "give it numpy.asarray(x), a copy of up to np.config.gather_limit elements")  # fmt: skip
        if isinstance(keywords.get("out"), numpy.ndarray):
            target = keywords.pop("out")
            elements = (here(value) if isinstance(value, _core.Array) else value for value in inputs)
            getattr(function, method)(*elements, out=target, **unwrap(keywords))
            return target
        return ours(*inputs, **keywords) if method == "__call__" else getattr(ours, method)(*inputs, **keywords)

    @numpys_own
    def __array_function__(self, function, types, arguments, keywords):
        if not all(issubclass(each, (_core.Array, numpy.ndarray)) for each in types):
            return NotImplemented
        ours = _ours(function)
        if ours is function:  # NumPy's own, about dtypes and shapes
            return function(*map(_described, arguments), **{key: _described(value) for key, value in keywords.items()})
        if callable(ours):
            return ours(*arguments, **keywords)
        name = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
        return call_numpy(function, name, arguments, keywords)

    def __array_namespace__(self, /, *, api_version=None):
        """The functions of the array-API standard: `gamelan.array_api`, or those that an older version of it has."""
        from .array_api import _versions

        return _versions.namespace(_versions.NEWEST if api_version is None else api_version)

    device = property(lambda self: _DEVICE, doc='"cpu", for small arrays and for distributed ones: they mix freely.')

    def to_device(self, device, /, *, stream=None):
        """The array itself: there is one device."""
        if device != _DEVICE or stream is not None:
            raise ValueError(f"got the device {device!r}, expected {_DEVICE!r} and no stream: there is no other")
        return self

    def __dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("gamelan hands over memory of the processor only")
        data = here(self)
        if self._b is not None:
            if copy is False:
                raise BufferError("a distributed array can be handed over as a copy only")
            data.flags.writeable = True  # a fresh copy that nobody else holds; DLPack has no read-only memory
        elif copy:
            data = data.copy()
        return data.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return (1, 0)  # the processor

    def __reduce__(self):
        return _core.value(self).__reduce__() if is_value(self) else (_rebuild, (numpy.array(here(self)),))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __bytes__(self):
        return bytes(here(self))

    def tobytes(self, order="C"):
        """The elements as Python bytes. Triggers evaluation; bounded by `config.gather_limit`."""
        return here(self).tobytes(order)

    def itemset(self, *arguments):
        """Sets one element: `x.itemset(index, value)`."""
        if self._b is None:
            self._a.itemset(*map(unwrap, arguments))
            return
        if not arguments:
            raise ValueError("itemset must have at least one argument")
        *index, value = arguments
        if not index and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        if len(index) == 1 and not isinstance(index[0], tuple):
            self.item(index[0])  # NumPy's error for an index that is out of bounds
            index = [int(part) for part in numpy.unravel_index(int(index[0]) % self.size, self.shape)]
        elif len(index) == 1:
            index = index[0]
        self[tuple(index) if index else (0,) * self.ndim] = value

    @classmethod
    def __class_getitem__(cls, parameters):
        return python_types.GenericAlias(cls, parameters)
