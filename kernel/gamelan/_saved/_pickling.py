# SPDX-License-Identifier: BSD-3-Clause
"""How values are kept: pickles in which distributed arrays, modules and the program's own namespace stand by name. Functions
of the notebook are kept as code and come back as functions of the notebook; its classes need cloudpickle. Small arrays that
share memory share it again."""

import ctypes
import functools
import importlib
import io
import marshal
import pickle
import sys
import types

import numpy

from .. import _core
from .._creation._filled import empty
from .._local import is_distributed, is_value
from ..random import _legacy

_PLAIN = (numpy.ndarray, _core.ndarray)
_WITHOUT_PARTS = frozenset((int, float, bool, str, bytes, tuple, complex, type(None)))
_CODE = sys.implementation.cache_tag  # of which Python compiled code is
_MARSHAL = 2  # the newest version in which equal code is written with equal bytes
_CLOUDPICKLE = "needs cloudpickle (apt install python3-cloudpickle, or pip install cloudpickle)"
_random_of_numpy = numpy.random.mtrand._rand


def namespace():
    """The names of the notebook, or of the script."""
    return vars(sys.modules["__main__"])


def memory_of(array):
    """(address, bytes) of the memory that a small array is in; None for what shares none that can be kept."""
    if type(array) not in _PLAIN or array.dtype.hasobject:
        return None
    root, base = array, array
    while type(base) in _PLAIN:
        root, base = base, numpy.ndarray.base.__get__(base)
    is_whole = root.nbytes and (root.flags.c_contiguous or root.flags.f_contiguous)
    return (root.ctypes.data, root.nbytes) if is_whole else None


@functools.cache
def _pickler_base():
    try:
        import cloudpickle
    except ImportError:
        return pickle.Pickler
    return cloudpickle.CloudPickler


@functools.cache
def has_cloudpickle():
    return _pickler_base() is not pickle.Pickler


class _Cells:
    """The variables that a function shares with the function around it. They are made first and filled later, because they
    may hold the function itself."""

    def __init__(self, cells):
        self.cells = cells


@functools.cache
def pickler_class():
    """The class, made when something is saved: who saves nothing needs no cloudpickle."""
    base = _pickler_base()

    class Pickler(base):
        """Writes values to a file. `arrays` numbers distributed arrays; `shared`: memories of small arrays that are stored
        once; `on_object` hears of every object."""

        def __init__(self, file, arrays, shared=(), on_object=None):
            super().__init__(file, protocol=5)
            self._arrays, self._shared, self._on_object = arrays, shared, on_object
            self._roots, self._cells, self._own, self._main = {}, {}, {}, namespace()

        def persistent_id(self, value):
            kind = type(value)
            if kind in _WITHOUT_PARTS:
                return None
            if kind is types.ModuleType:
                return _name_of_module(value)
            if kind is _Cells:
                return "cells", [self._cells.setdefault(id(cell), len(self._cells)) for cell in value.cells]
            if value is self._main:
                return ("namespace",)
            if value is _legacy._global or value is _random_of_numpy:
                return "random", "gamelan" if value is _legacy._global else "numpy"
            if is_distributed(value):
                if is_value(value) or not value.size:
                    return None
                return "array", self._arrays.number_of(value)
            if self._on_object is not None and id(value) not in self._own:
                self._on_object(value)
            return None

        def reducer_override(self, value):
            kind = type(value)
            if kind is types.FunctionType and value.__globals__ is self._main:
                return self._reduce_function(value)
            if is_distributed(value):
                return (empty, (value.shape, value.dtype.str)) if value.ndim else self._arrays.value_of(value).__reduce__()
            if isinstance(value, io.IOBase) and not isinstance(value, (io.BytesIO, io.StringIO)):
                raise pickle.PicklingError("an open file")
            if isinstance(value, type) and value.__module__ == "__main__" and not has_cloudpickle():
                raise pickle.PicklingError(f"{_CLOUDPICKLE} for its class {value.__name__}, which is the notebook's own")
            if kind in _PLAIN and id(value) not in self._own:
                return self._reduce_array(value)
            override = getattr(super(), "reducer_override", None)
            return NotImplemented if override is None else override(value)

        def _reduce_function(self, function):
            for cell in function.__closure__ or () if self._on_object is not None else ():
                self._on_object(cell)
            return _reduce_function(function)

        def _reduce_array(self, array):
            memory = memory_of(array)
            data = numpy.asarray(array)
            if memory is None or memory not in self._shared:
                if _is_ours(array):
                    self._own[id(data)] = data
                    return _ours, (data,)
                return NotImplemented
            root = self._roots.get(memory)
            if root is None:
                address, size = memory
                root = self._roots[memory] = numpy.frombuffer((ctypes.c_char * size).from_address(address), "u1")
                self._own[id(root)] = root
            facts = data.dtype, data.shape, data.strides, data.ctypes.data - memory[0], data.flags.writeable
            return _view, (root, _is_ours(array), *facts)

    return Pickler


class Unpickler(pickle.Unpickler):
    """Reads what Pickler wrote. `array_of(number)` gives the distributed arrays."""

    def __init__(self, data, array_of):
        super().__init__(io.BytesIO(data))
        self._array_of, self._cells = array_of, {}

    def persistent_load(self, key):
        kind, *rest = key
        if kind == "array":
            return self._array_of(rest[0])
        if kind == "module":
            return importlib.import_module(rest[0])
        if kind == "cells":
            return tuple(self._cells.setdefault(number, types.CellType()) for number in rest[0])
        if kind == "namespace":
            return namespace()
        if kind == "random":
            return _legacy._global if rest[0] == "gamelan" else _random_of_numpy
        raise pickle.UnpicklingError(f"unknown kind of value: {kind!r}")


def _is_ours(array):
    return type(array) is _core.ndarray


def _name_of_module(module):
    name = module.__name__
    if sys.modules.get(name) is not module or name == "__main__":
        raise pickle.PicklingError("a module that cannot be imported by its name")
    return "module", name


def _reduce_function(function):
    code = function.__code__
    state = {
        "cells": [_content_of(cell) for cell in function.__closure__ or ()],
        "facts": {
            name: getattr(function, name)
            for name in ("__defaults__", "__kwdefaults__", "__doc__", "__annotations__", "__module__", "__name__", "__qualname__")
        },
        "dict": function.__dict__,
    }
    making = _CODE, marshal.dumps(code, _MARSHAL), namespace(), _Cells(function.__closure__ or ())
    return _function, making, state, None, None, _finish_function


def _content_of(cell):
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()  # nothing is in it yet


def _function(python, code, main, cells):
    if python != _CODE:
        raise ValueError(f"a function that was compiled by another Python ({python}, this is {_CODE})")
    return types.FunctionType(marshal.loads(code), main, closure=cells or None)


def _finish_function(function, state):
    for cell, content in zip(function.__closure__ or (), state["cells"]):
        if content:
            cell.cell_contents = content[0]
    for name, value in state["facts"].items():
        setattr(function, name, sys.intern(value) if type(value) is str else value)  # so that its pickle is the same again
    function.__dict__.update(state["dict"])


def _ours(data):
    return _core.share(data)


def _view(root, is_ours, dtype, shape, strides, offset, is_writeable):
    """A small array over memory that others share."""
    view = numpy.ndarray(shape, dtype, root, offset, strides)
    view.flags.writeable = is_writeable
    return _core.share(view) if is_ours else view
