# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that other libraries call: how NumPy's functions and ufuncs find ours, how the elements are handed
over (__array__, DLPack, pickles, bytes), and the array-API namespace. Whatever hands elements over is bounded by
`config.gather_limit`. A base of DistributedArray, of no use by itself."""

import copy
import types as python_types

import numpy

from .. import _core, _package
from .._arguments import check_device
from .._config import config
from .._creation._from_data import array as make_array
from .._creation._from_data import asarray
from .._errors import NotImplementedDtype, unimplemented
from .._float_errors import numpys_own
from .._gathering import as_it_lies, copy_here, here
from .._local import call_numpy, decides_itself, gathered, has_distributed, is_numpys, is_value, rewrap, unwrap, wrap_here
from .._ufuncs._odd_comparisons import COMPARISONS, by_numpy

__all__ = ["from_dlpack"]

_DEVICE = "cpu"


def _ours(function):
    """Gamelan's function in place of one of NumPy's, by the place where NumPy has it; None where there is none. A
    namesake from elsewhere (a ufunc of scipy, of `numpy.frompyfunc`) is not it."""
    module = "numpy" if isinstance(function, numpy.ufunc) else function.__module__ or ""  # numba's have none
    if module.split(".")[0] != "numpy":
        return None
    theirs, ours = numpy, _package.public
    for name in (*module.split(".")[1:], function.__name__):
        theirs, ours = getattr(theirs, name, None), getattr(ours, name, None)
    return ours if theirs is function else None


def _computed_here(function, inputs, keywords):
    """The result of another library's ufunc (scipy.special, numba, np.frompyfunc): operands come here, large results and
    distributed outputs go to the engines."""
    out = keywords.pop("out", None)
    keywords = {name: gathered(value) for name, value in keywords.items()}
    results = function(*map(gathered, inputs), **keywords)
    if out is None:
        return rewrap(results)
    if not isinstance(out, tuple):
        return _written(results, out)
    return tuple(map(_written, results, out))


def _written(result, out):
    if out is None:
        return rewrap(result)
    out[...] = result
    return out


def _described(value):
    """An array as NumPy's functions about dtypes and shapes may see it. They read no elements, except of a 0-d array."""
    if not _core.is_ours(value):
        return value
    return value._a if value.ndim else unwrap(value)


def _with_its_axes(value):
    """An array of ours that has axes; without any as NumPy's, which sends nothing back here."""
    return here(value) if _core.is_ours(value) and not value.ndim else value


def _rebuild(data):
    return make_array(data)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array from an object that supports DLPack.

    A small array shares memory with the object. A large one is copied to the engines; this triggers no evaluation.

    Examples
    --------
    >>> import numpy
    >>> import gamelan as np
    >>> np.from_dlpack(numpy.arange(3)).tolist()
    [0, 1, 2]
    """
    check_device(device)
    if _core.is_ours(x):
        return x.copy() if copy else x
    keywords = {} if copy is None else {"copy": copy}
    return asarray(numpy.from_dlpack(x, **keywords))


class Protocols(_core.Array):
    """ndarray as other libraries see it."""

    __slots__ = ()
    __array_priority__ = 100.0
    _typ = "npy_extension"  # pandas asks such an object for to_numpy() before it makes a Series or a DataFrame of it

    def __array__(self, dtype=None, copy=None):
        _core.raise_refusal(self)  # NumPy has asked for the memory, and has dropped an error, or an interrupt
        if copy is False and self._b is not None:
            raise ValueError("a distributed array has no memory here: only a copy of it can be handed over")
        data = copy_here(self) if copy and self._b is not None else as_it_lies(self)
        is_cast = dtype is not None and numpy.dtype(dtype) != data.dtype
        if copy is False and is_cast:
            raise ValueError(f"only a copy has the dtype {numpy.dtype(dtype)}: the array has {data.dtype}")
        return data.astype(dtype) if is_cast else data.copy() if copy and self._b is None else data

    def to_numpy(self, dtype=None, copy=False):
        """The elements as a `numpy.ndarray`: of a small array its own memory, of a large one a read-only copy.

        As of pandas and xarray. Matplotlib asks for it: `plt.hist(x)` and `plt.boxplot(x)` take the array as one, and do
        not go through its elements. Triggers evaluation; bounded by `config.gather_limit`.

        Parameters
        ----------
        dtype : dtype, optional
            The dtype of the result. By default that of the array.
        copy : bool, optional
            Copy a small array, too.

        Returns
        -------
        numpy.ndarray
        """
        return numpy.array(self, dtype) if copy else self.__array__(dtype)

    def __sizeof__(self):
        """Bytes that the object holds in this process: of a small array with its elements, of a large one without."""
        return object.__sizeof__(self) + (self._a.__sizeof__() if self._b is None else 0)

    @property
    def __array_interface__(self):
        """A description of the elements for other libraries: of a read-only copy, which lives as long as whoever uses it."""
        if _core.is_refused(self):
            raise AttributeError("ndarray.__array_interface__: an error came, which __array__ raises")
        try:
            data = here(self)
        except ValueError as too_large:
            raise AttributeError(f"ndarray.__array_interface__: {too_large}") from None
        return {"version": 3, "shape": data.shape, "typestr": data.dtype.str, "data": data}

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
            return _computed_here(getattr(function, method), inputs, keywords)
        if is_numpys(keywords.get("out")):
            target = keywords.pop("out")
            elements = (here(value) if _core.is_ours(value) else value for value in inputs)
            getattr(function, method)(*elements, out=target, **unwrap(keywords))
            return target
        if method == "__call__" and not keywords and function.__name__ in COMPARISONS:
            try:
                return ours(*inputs)
            except NotImplementedDtype:  # NumPy's == with what no engine holds: it makes an answer of the error, too
                return by_numpy(function, [_with_its_axes(each) for each in inputs])
        return ours(*inputs, **keywords) if method == "__call__" else getattr(ours, method)(*inputs, **keywords)

    @numpys_own
    def __array_function__(self, function, types, arguments, keywords):
        if not all(issubclass(each, (_core.Array, numpy.ndarray)) for each in types):
            return NotImplemented
        if (
            function is numpy.empty_like
            and len(arguments) == 1
            and keywords.get("shape") is None
            and arguments[0].size <= config.gather_limit
        ):
            return function(arguments[0]._a, **keywords)  # who asks NumPy, not us, will fill it, and perhaps in C
        ours = _ours(function)
        if ours is function:  # NumPy's own, about dtypes and shapes
            return function(*map(_described, arguments), **{key: _described(value) for key, value in keywords.items()})
        if callable(ours):
            return ours(*arguments, **keywords)
        name = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
        return call_numpy(function, name, arguments, keywords)

    device = property(lambda self: _DEVICE, doc='"cpu", for small arrays and for distributed ones: they mix freely.')

    def to_device(self, device, /, *, stream=None):
        """The array itself, because there is only one device.

        Parameters
        ----------
        device : str
            "cpu".
        stream : None, optional
            There are no streams.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            If there is no such device or stream.
        """
        if device != _DEVICE or stream is not None:
            raise ValueError(f"got the device {device!r}, expected {_DEVICE!r} and no stream: there is no other")
        return self

    def __jax_array__(self):
        """What `jax.numpy.asarray` gives: a copy, bounded by `config.gather_limit`. Triggers evaluation."""
        from jax import numpy as theirs  # which asks, so it is there

        return theirs.asarray(numpy.asarray(self))

    def __arrow_array__(self, type=None):
        """What `pyarrow.array` gives: a column of a copy, bounded by `config.gather_limit`. Triggers evaluation."""
        from pyarrow import array as theirs

        return theirs(numpy.asarray(self), type)

    def __dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("gamelan hands over memory of the processor only")
        if self._b is not None and copy is False:
            raise BufferError("a distributed array can be handed over as a copy only")
        data = copy_here(self) if self._b is not None else self._a.copy() if copy else self._a  # DLPack has no read-only memory
        return data.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return (1, 0)  # the processor

    def __reduce__(self):
        if is_value(self):
            return _core.value(self).__reduce__()
        lies_in_columns = self._b is not None and self._a.flags.fnc
        return _rebuild, (here(self.T).T if lies_in_columns else numpy.array(here(self)),)

    def __copy__(self):
        return self.copy("K")

    def __deepcopy__(self, memo):
        return wrap_here(copy.deepcopy(self._a, memo)) if self._b is None else self.copy("K")

    def __bytes__(self):
        return bytes(here(self))

    def tobytes(self, order="C"):
        """The elements as bytes.

        Triggers evaluation. At most `config.gather_limit` elements.
        """
        return here(self).tobytes(order)

    def __getattr__(self, name):
        """What a NumPy scalar has and an array has not, of a value such as `x.mean()`: as_integer_ratio, is_integer, ..."""
        if not name.startswith("_") and is_value(self) and hasattr(self.dtype.type, name):
            return getattr(_core.value(self), name)
        if name in ("data", "ctypes", "__array_struct__"):  # netCDF4 takes what has `data` for memory
            raise AttributeError(f"ndarray.{name}: a distributed array has no memory here; numpy.asarray(x) brings a copy")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @classmethod
    def __class_getitem__(cls, parameters):
        return python_types.GenericAlias(cls, parameters)
