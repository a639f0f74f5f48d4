# SPDX-License-Identifier: BSD-3-Clause
"""An array that is still in its file. NumPy maps the file without reading it, and does the slicing; the engines read the
part that the slice names, and no more."""

import numpy

from ._pieces import read
from ._places import resolve


class FileArray:
    """What `load(..., mmap_mode="r")` returns for a large array: a subscript reads that part into a new array, any other
    use reads all of it. Read-only; a subscript sees the file as it is then.

    Examples
    --------
    >>> import gamelan as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory, np.options(distribute_from=0):
    ...     np.save(os.path.join(directory, "a.npy"), np.arange(10))
    ...     lazy = np.load(os.path.join(directory, "a.npy"), mmap_mode="r")
    ...     lazy.shape, lazy[2:8:3].tolist()
    ((10,), [2, 5])
    """

    __array_priority__ = 1000.0  # NumPy's operators leave it to ours

    def __init__(self, path, offset, dtype, shape, is_fortran=False):
        self._path = resolve(path)
        self._map = numpy.memmap(self._path, dtype, "r", offset, shape, "F" if is_fortran else "C")
        self._first = self._map.ctypes.data - offset

    shape = property(lambda self: self._map.shape)
    dtype = property(lambda self: self._map.dtype.newbyteorder("="), doc="Of the parts that are read.")
    ndim = property(lambda self: self._map.ndim)
    size = property(lambda self: self._map.size)
    nbytes = property(lambda self: self._map.nbytes)
    filename = property(lambda self: self._path)

    def __len__(self):
        return len(self._map)

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if not all(each is None or each is Ellipsis or isinstance(each, (slice, int, numpy.integer)) for each in keys):
            return self.__gamelan_array__()[key]
        part = self._map[(*keys, Ellipsis) if Ellipsis not in keys else keys]  # never a number, which would be read here
        array = read(self._path, part.ctypes.data - self._first, self._map.dtype, part.shape, part.strides)
        return array[()] if part.ndim == 0 else array

    def __gamelan_array__(self):
        """What functions of ours make of it."""
        return self[...]

    def __iter__(self):
        return (self[index] for index in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("the elements are in a file: only a copy of them can be handed over")
        array = numpy.asarray(self.__gamelan_array__())
        return array if dtype is None else array.astype(dtype)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.__gamelan_array__(), name)

    def __reduce__(self):
        """A pickle names the file."""
        offset, is_fortran = (
            self._map.ctypes.data - self._first,
            self._map.flags.f_contiguous and not self._map.flags.c_contiguous,
        )
        return FileArray, (self._path, offset, self._map.dtype, self._map.shape, is_fortran)

    def __repr__(self):
        return f"FileArray({self._path!r}, shape={self.shape}, dtype={self.dtype})"


def _add_operators():
    """Every operator of ndarray, on all of the file."""
    names = """add sub mul truediv floordiv mod pow and or xor lshift rshift matmul""".split()
    names = [f"__{side}{name}__" for name in names for side in ("", "r")]
    names += [f"__{name}__" for name in "neg pos abs invert eq ne lt le gt ge bool float int complex divmod".split()]
    for name in names:
        setattr(FileArray, name, lambda self, *others, _name=name: getattr(self.__gamelan_array__(), _name)(*others))
    FileArray.__hash__ = None


_add_operators()
