# SPDX-License-Identifier: BSD-3-Clause
"""Which variables share objects. These are pickled together, so that they share them again; the others each alone, so that
one that fails takes no other with it."""

import math
import time
import types

import numpy

from .._files._lazy import FileArray
from ._pickling import memory_of, namespace, pickler_class

_ALONE = (bool, int, float, complex, str, bytes, tuple, frozenset, range, slice, numpy.generic, numpy.dtype)
_BY_NAME = (type, types.BuiltinFunctionType, types.ModuleType, types.CodeType, type(None), type(...), type(NotImplemented))


MOST_SECONDS = 0.05  # for a value that is kept at each cell's end


_TOO_LARGE = "too large to be kept at each cell's end; %session save takes it"


class GiveWay(BaseException):
    """Raised by `check`: the next cell has come."""


class TooLarge(Exception):
    """A value has more parts or bytes than are kept of one."""


class _Nowhere:
    """Counts what is written; `check` is called now and then."""

    def __init__(self, most_bytes, check):
        self._left, self._check = most_bytes, check
        self._end = time.thread_time() + MOST_SECONDS if most_bytes < math.inf else math.inf

    def write(self, data):
        self._check()
        size = memoryview(data).nbytes
        self._left -= size
        if self._left < 0 or time.thread_time() > self._end:
            raise TooLarge(_TOO_LARGE)
        return size


class Groups:
    """The variables that can be pickled, in groups that share objects. `failures`: why the others cannot, by name; `shared`:
    the memories of small arrays that several arrays are in. `check` is called now and then, and may raise GiveWay."""

    def __init__(self, variables, arrays, most_bytes=math.inf, check=lambda: None):
        self._most_bytes, self._check = most_bytes, check
        self.failures, self.shared, self.reached = {}, set(), {}
        self._parent, self._first_with = {}, {}
        self._kept, self._arrays_in = [], {}
        for name, value in variables.items():
            self._look_at(name, value, arrays)

    def __iter__(self):
        groups = {}
        for name in self._parent:
            groups.setdefault(self._group_of(name), []).append(name)
        return iter(groups.values())

    def _look_at(self, name, value, arrays):
        objects, reached, most_bytes = {}, set(), self._most_bytes

        def number_of(array):
            number = arrays.number_of(array)
            reached.add(number)
            return number

        def note(each):
            if _bytes_of(each) > most_bytes:  # found before they are copied
                raise TooLarge(_TOO_LARGE)
            _note(objects, each)
            self._check()

        self._check()
        started = time.perf_counter()
        try:
            file = _Nowhere(most_bytes, self._check)
            pickler_class()(file, types.SimpleNamespace(number_of=number_of, value_of=arrays.value_of), (), note).dump(value)
        except (KeyboardInterrupt, GiveWay) as error:
            error.looked_at = name, time.perf_counter() - started
            raise
        except BaseException as error:  # whatever a class of the user's raises, SystemExit, too
            self.failures[name] = why(value, error)
            return
        self._parent[name], self.reached[name] = name, reached
        for each in objects.values():
            if isinstance(each, numpy.ndarray) and (memory := memory_of(each)) is not None:
                self._join(name, memory)
                in_memory = self._arrays_in.setdefault(memory, set())
                in_memory.add(id(each))
                if len(in_memory) > 1:
                    self.shared.add(memory)
            self._join(name, id(each))
        self._kept.append(objects)  # alive: their ids are theirs

    def _join(self, name, key):
        first = self._first_with.setdefault(key, name)
        self._parent[self._group_of(name)] = self._group_of(first)

    def _group_of(self, name):
        while self._parent[name] != name:
            self._parent[name] = name = self._parent[self._parent[name]]
        return name


def _note(objects, value):
    """Of objects that can change, or whose identity may matter."""
    is_by_name = isinstance(value, types.FunctionType) and value.__globals__ is not namespace()
    if not is_by_name and not isinstance(value, _ALONE) and not isinstance(value, _BY_NAME):
        objects[id(value)] = value


def _bytes_of(value):
    """Of an array, NumPy's or another library's."""
    if not hasattr(type(value), "nbytes") or isinstance(value, FileArray):
        return 0
    size = value.nbytes
    return size if isinstance(size, int) else 0


def why(value, error):
    """What a value is that cannot be kept, and what was said of it."""
    kind = type(value).__name__
    text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    what = f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"
    return what if f"'{kind}'" in text or f".{kind}'" in text else f"{what}: {text}"
