# SPDX-License-Identifier: BSD-3-Clause
"""Distributed arrays of a session: what is said of them, and their elements as Zarr arrays (format version 2, not packed),
which the engines write and read. A base is stored once; the arrays that share it are views of it again."""

import ctypes
import json
import math
import os
import pickle
import re
import weakref
import zlib
from dataclasses import dataclass

import numpy

from .. import _core
from .._creation._filled import empty
from .._files._crc import combined
from .._files._pieces import checksum, read, write
from .._files._places import reserve
from .._local import is_distributed
from .._promotion import dtype_number
from ._folder import synchronise

CHUNK_BYTES = 1 << 30  # of larger arrays each chunk has some of the rows: other programs read them one by one


@dataclass
class ArrayFacts:
    """An array of the engines as the state of a program names it: a view of a stored base. `id` is the number by which the
    engines knew the base; who has them compute it again can put another array in its place."""

    id: int
    base: int  # which of the stored ones
    dtype: str
    shape: tuple
    strides: tuple  # in bytes
    offset: int  # in bytes
    is_writeable: bool
    is_view: bool

    def of(self, root):
        """The array, of the base that was loaded."""
        if not self.is_view:
            return root
        view = numpy.ndarray(tuple(self.shape), self.dtype, _proxy(root), self.offset, tuple(self.strides))
        view.flags.writeable = self.is_writeable and view.flags.writeable
        return _core.view(root, view) if is_distributed(root) else _core.share(view)


def _proxy(root):
    return root._a if is_distributed(root) else numpy.asarray(root)


@dataclass
class _Stored:
    """A base as it is stored: `array` has its elements, in C order."""

    array: object
    name: str


class ArraysToSave:
    """The distributed arrays that a program's variables reach, numbered as they are met. Without `may_recover` no engines are
    started in the place of lost ones."""

    def __init__(self, may_recover=True):
        self._may_recover, self.check = may_recover, lambda: None  # called before anybody waits
        self._arrays, self._numbers = [], {}
        self.bases, self.facts, self._alike = [], [], {}
        self.failures = {}  # why an array is not there, by its number

    def number_of(self, array):
        """Once it is known where the arrays are, others are those of objects that make a view each time when they are pickled."""
        number = self._numbers.get(id(array))
        if number is None and self.facts:
            number = self._alike.get(place_of(array))
            if number is None:
                raise pickle.PicklingError("it makes other distributed arrays each time when it is pickled")
        if number is None:
            number = self._numbers[id(array)] = len(self._arrays)
            self._arrays.append(array)  # alive: its id is its own
            if array._b.is_lost:
                self.failures[number] = "it is lost"
        return number

    def value_of(self, array):
        """The number that a value of the engines is."""
        self.check()
        if not self._may_recover and not _core.is_connected():
            raise pickle.PicklingError("its engines have ended")
        return _core.value(array)

    def divide(self, named, wanted, are_whole=False):
        """Finds the bases of the arrays whose numbers are `wanted`. `named`: those that are variables, by name."""
        names = {id(array): name for name, array in reversed(named.items())}
        sharing = {}
        for number, array in enumerate(self._arrays):
            if number not in wanted:
                self.failures[number] = "nothing that is saved has it"
            if number not in self.failures:
                sharing.setdefault(array._b.id, []).append(array)
        places, taken = {}, set()
        for place, (key, arrays) in enumerate(sharing.items()):
            places[key] = place
            whole = are_whole or len(arrays) > 1 or arrays[0].nbytes >= arrays[0]._b.nbytes
            root = root_of(arrays[0]) if whole else arrays[0]
            name = next((names[id(array)] for array in arrays if id(array) in names), "")
            if not re.fullmatch("[A-Za-z0-9_]+", name) or name in taken:
                name = f"array-{place}"
            taken.add(name)
            self.bases.append(_Stored(root, name))
        for number, array in enumerate(self._arrays):
            if number in self.failures:
                self.facts.append(None)
                continue
            self._alike[place_of(array)] = number
            self.facts.append(facts_of(array, places[array._b.id], self.bases[places[array._b.id]].array))

    def numbers_of(self, names, variables):
        """Of the variables that are distributed arrays themselves: their numbers, by name. They come back without a pickle."""
        numbers = ((name, self._numbers.get(id(variables[name]))) for name in names)
        return {name: number for name, number in numbers if number is not None and self.facts[number] is not None}

    def references(self):
        """Weak ones, by number."""
        return [weakref.ref(array) for array in self._arrays]

    def fail(self, place, why):
        """The base cannot be computed: its arrays are not saved."""
        for number, facts in enumerate(self.facts):
            if facts is not None and facts.base == place:
                self.failures[number] = why


def place_of(array):
    return array._b.id, array._a.ctypes.data, array.shape, array._a.strides, array.dtype


def facts_of(array, base, root):
    is_same = place_of(array) == place_of(root) and (array is root or array.base is None)
    is_writeable = array._a.flags.writeable
    offset = 0 if array is root else array._a.ctypes.data - root._a.ctypes.data
    strides = _c_strides(array) if array is root else array._a.strides  # a root is stored in C order
    is_view = not is_same or not is_writeable
    return ArrayFacts(array._b.id, base, array.dtype.str, array.shape, strides, offset, is_writeable, is_view)


def _c_strides(array):
    return tuple(array.dtype.itemsize * math.prod(array.shape[axis + 1 :]) for axis in range(array.ndim))


def root_of(array):
    """All elements of the memory that an array is in: what it is a view of."""
    root = array if array.base is None else array.base
    if root.nbytes == root._b.nbytes and root._a.flags.c_contiguous:
        return root
    # Of a view by as_strided NumPy does not know the base; every base begins at the same address.
    start = _core.empty((1,), dtype_number(array.dtype))._a.ctypes.data
    count = array._b.nbytes // array.dtype.itemsize
    memory = (ctypes.c_char * array._b.nbytes).from_address(start)
    return _core.view(array, numpy.ndarray((count,), array.dtype, memory))


def write_base(folder, stored):
    """Writes a base as a Zarr array; what the manifest says of it."""
    array, name = stored.array, f"arrays/{stored.name}"
    chunks = _chunks_of(array.shape, array.dtype.itemsize)
    facts = {
        "zarr_format": 2,
        "shape": array.shape,
        "chunks": chunks,
        "dtype": array.dtype.str,
        "compressor": None,
        "fill_value": None,
        "order": "C",
        "filters": None,
        "dimension_separator": ".",
    }
    folder.write(f"{name}/.zarray", json.dumps(facts).encode())
    sums = []
    for key, rows in _parts(array.shape, chunks):
        path = os.path.join(folder.path, name, key)
        with folder.create(f"{name}/{key}") as file:
            size = math.prod(chunks) * array.dtype.itemsize
            reserve(file.fileno(), size, path)
            pieces = write(array if rows is None else array[rows], path, 0, checksums=True)
            os.ftruncate(file.fileno(), size)
            synchronise(file)
        sums.append(combined(0, pieces))
    return {"path": name, "dtype": array.dtype.str, "shape": array.shape, "chunks": chunks, "crc32": sums, "bytes": array.nbytes}


def read_base(folder, about):
    """The base that a manifest describes. OSError or ValueError where its files are not what was written."""
    shape, chunks, dtype = tuple(about["shape"]), tuple(about["chunks"]), numpy.dtype(about["dtype"])
    result = None
    for (key, rows), wanted in zip(_parts(shape, chunks), about["crc32"], strict=True):
        name = f"{about['path']}/{key}"
        extents = shape if rows is None else (rows.stop - rows.start, *shape[1:])
        with folder.open(name) as file:
            if os.fstat(file.fileno()).st_size != math.prod(chunks) * dtype.itemsize:
                raise ValueError(f"the file {name} is truncated")
        part = read(os.path.join(folder.path, name), 0, dtype, extents)
        if _sum_of(part) != wanted:
            raise ValueError(f"the file {name} is damaged: its checksum is not the one that was saved")
        if rows is None:
            return part
        if result is None:
            result = empty(shape, dtype)
        result[rows] = part
    return empty(shape, dtype) if result is None else result


def _sum_of(array):
    if is_distributed(array):
        return combined(0, checksum(array))
    return zlib.crc32(numpy.ascontiguousarray(array).view("u1").data if array.ndim else numpy.asarray(array).tobytes())


def _chunks_of(shape, item_bytes):
    """All of a small array; of a large one as many rows as fit."""
    if not shape or math.prod(shape) * item_bytes <= CHUNK_BYTES:
        return tuple(max(extent, 1) for extent in shape)
    rows = max(1, CHUNK_BYTES // (math.prod(shape[1:]) * item_bytes))
    return (min(rows, shape[0]), *shape[1:])


def _parts(shape, chunks):
    """(key, rows) of every chunk; None where one has all rows."""
    if 0 in shape:
        return
    rest = [".0"] * (len(shape) - 1)
    if not shape or chunks[0] >= shape[0]:
        yield "".join(["0", *rest]), None
        return
    for number, first in enumerate(range(0, shape[0], chunks[0])):
        yield "".join([str(number), *rest]), slice(first, min(first + chunks[0], shape[0]))
