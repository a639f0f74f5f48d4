# SPDX-License-Identifier: BSD-3-Clause
"""Arrays written as subscripts: mgrid and ogrid (coordinates), r_ and c_ (pieces joined). Slices with an imaginary step
give so many points, ends included, as NumPy has it."""
import math

import numpy

from .. import _core
from .._creation import arange, asarray, filled
from .._errors import unimplemented
from .._local import call_numpy, has_distributed
from .._manipulation import concatenate, moveaxis, reshape


def _is_count(step):
    return isinstance(step, (complex, numpy.complexfloating))


class _Axis:
    """A slice as a row of coordinates: how many, and from where in which steps."""

    def __init__(self, part):
        start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
        self.numbers = [start, part.stop, abs(step) if _is_count(step) else step]
        self.start, self.step = start, step
        if _is_count(step):
            self.size = int(abs(step))
            self.step = (part.stop - start) / float(self.size - 1) if self.size != 1 else 1
        else:
            self.size = math.ceil((part.stop - start) / step)

    def values(self, dtype):
        return arange(self.size, dtype=dtype) * self.step + self.start


class _Grid:
    """`mgrid` and `ogrid`: subscripts with slices give coordinates.

    Examples
    --------
    >>> import gamelan as np
    >>> np.mgrid[0:2, 0:3].tolist()
    [[[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]]]
    >>> [axis.shape for axis in np.ogrid[0:2, 0:1:5j]]
    [(2, 1), (1, 5)]
    """

    def __init__(self, numpys, is_dense):
        self._numpys, self._is_dense = numpys, is_dense

    def __repr__(self):
        return f"<gamelan.{'mgrid' if self._is_dense else 'ogrid'}>"

    def __getitem__(self, key):
        parts = key if type(key) is tuple else (key,)
        if not all(isinstance(part, slice) and part.stop is not None for part in parts):
            return call_numpy(self._numpys.__getitem__, repr(self), (key,), {})
        axes = [_Axis(part) for part in parts]
        shape = tuple(axis.size for axis in axes)
        longest = math.prod(shape) * len(shape) if self._is_dense else max(shape, default=0)
        if shape and min(shape) < 0 or longest < _core.threshold():
            return call_numpy(self._numpys.__getitem__, repr(self), (key,), {})
        dtype = numpy.result_type(0, *(number for axis in axes for number in axis.numbers))
        if type(key) is slice:
            return axes[0].values(dtype) if _is_count(key.step) else arange(axes[0].start, key.stop, axes[0].step)
        rows = [reshape(axis.values(dtype), (axis.size,) + (1,) * (len(axes) - place - 1)) for place, axis in enumerate(axes)]
        if not self._is_dense:
            return [row[(None,) * place] for place, row in enumerate(rows)]
        result = filled((len(axes), *shape), dtype, 0)
        for place, row in enumerate(rows):
            result[place] = row
        return result


class _Joined:
    """`r_` and `c_`: subscripts with arrays, numbers and slices give them joined.

    Examples
    --------
    >>> import gamelan as np
    >>> np.r_[1:3, 0, [7, 8]].tolist()
    [1, 2, 0, 7, 8]
    >>> np.c_[[1, 2], [3, 4]].tolist()
    [[1, 3], [2, 4]]
    """

    def __init__(self, numpys, name, axis, dims, place):
        self._numpys, self._name, self._defaults = numpys, name, (axis, dims, place)

    def __repr__(self):
        return f"<gamelan.{self._name}>"

    def __getitem__(self, key):
        parts = list(key) if type(key) is tuple else [key]
        if not has_distributed(parts) and not any(_is_long(part) for part in parts):
            return call_numpy(self._numpys.__getitem__, self._name, (key,), {})
        axis, dims, place = self._defaults
        if isinstance(parts[0], str):
            numbers = parts.pop(0).split(",")
            if len(numbers) > 3 or not all(number.strip().lstrip("-").isdigit() for number in numbers):
                raise unimplemented(f"{self._name}[{key[0]!r}, ...]", "name the axis by its number")
            axis, dims, place = (*map(int, numbers), *self._defaults[len(numbers) :])
        arrays = [self._piece(part, dims, place) for part in parts]
        dtype = numpy.result_type(*(array.dtype if array.ndim else numpy.asarray(part) for array, part in zip(arrays, parts)))
        arrays = [reshape(array, (1,) * max(dims, 1)) if array.ndim == 0 else array for array in arrays]
        return concatenate(arrays, axis, dtype=dtype)

    @staticmethod
    def _piece(part, dims, place):
        if isinstance(part, slice):
            array = _Grid(numpy.mgrid, True)[part]
        else:
            array = asarray(part)
            if array.ndim == 0:
                return array
        missing = dims - array.ndim
        if missing <= 0:
            return array
        before = array.ndim
        array = reshape(array, (1,) * missing + array.shape)
        first = place if place >= 0 else place + missing + 1
        return moveaxis(array, range(missing, missing + before), range(first, first + before))


def _is_long(part):
    return isinstance(part, slice) and part.stop is not None and _Axis(part).size >= _core.threshold()


mgrid = _Grid(numpy.mgrid, True)
ogrid = _Grid(numpy.ogrid, False)
r_ = _Joined(numpy.r_, "r_", 0, 1, -1)
c_ = _Joined(numpy.c_, "c_", -1, 2, 0)
