# SPDX-License-Identifier: BSD-3-Clause
"""np.mgrid and np.ogrid: grids written as slices. An imaginary step counts points, ends included."""

import math

import numpy

from .. import _core
from .._local import wrap_here
from ._filled import filled
from ._grids import line
from ._ranges import arange

__all__ = ["mgrid", "ogrid"]


def number_of(value, otherwise=None):
    """A part of a slice as a Python or NumPy number; distributed ones are waited for. Arrays are left as they are."""
    if value is None:
        return otherwise
    return value.item() if isinstance(value, (_core.Array, numpy.ndarray)) and value.size == 1 else value


class _Axis:
    """One slice of the key: how many numbers it names, and which."""

    def __init__(self, part):
        self.start, self.stop, step = number_of(part.start, 0), number_of(part.stop), number_of(part.step, 1)
        self.kinds = [self.start, self.stop, step]
        self.is_counted = isinstance(step, (complex, numpy.complexfloating))
        if self.is_counted:
            self.kinds[2] = abs(step)
            self.extent = int(abs(step))
            self.step = (self.stop - self.start) / float(self.extent - 1) if self.extent != 1 else 1
        else:
            self.extent = math.ceil((self.stop - self.start) / (step * 1.0))
            self.step = step

    def numbers(self, dtype, dims=1, place=0):
        """They, as the only axis that is not 1 of so many; bounds that are arrays are broadcast against it."""
        shape = (1,) * place + (-1,) + (1,) * (dims - place - 1)
        return line(self.extent, dtype).reshape(shape) * self.step + self.start


def _dtype_of(kinds):
    return numpy.result_type(*(kind.dtype if _core.is_ours(kind) else kind for kind in kinds))


class _Grid:
    """`np.mgrid[0:3, 0:2]` and `np.ogrid[...]`: see `numpy.mgrid`.

    Examples
    --------
    >>> import gamelan as np
    >>> np.mgrid[0:2, 0:3].shape
    (2, 2, 3)
    """

    def __init__(self, name, is_sparse):
        self._name, self._is_sparse = name, is_sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            if not isinstance(number_of(key.step), (complex, numpy.complexfloating)):
                return arange(number_of(key.start, 0), number_of(key.stop), number_of(key.step, 1))
            axis = _Axis(key)
            return axis.numbers(_dtype_of(axis.kinds))
        axes = [_Axis(part) for part in key]
        dtype = _dtype_of([0, *(kind for axis in axes for kind in axis.kinds)])
        if not self._is_sparse and any(axis.extent < 0 for axis in axes):
            raise ValueError("negative dimensions are not allowed")
        dims, extents = len(axes), tuple(axis.extent for axis in axes)
        if self._is_sparse:
            return [
                axis.numbers(dtype)[(None,) * place + (slice(None),) + (None,) * (dims - place - 1)]
                for place, axis in enumerate(axes)
            ]
        lines = [axis.numbers(dtype, dims, place) for place, axis in enumerate(axes)]
        if math.prod(extents) * dims < _core.threshold():
            result = wrap_here(numpy.empty((dims, *extents), dtype))
        else:
            result = filled((dims, *extents), dtype, 0)
        for place, each in enumerate(lines):
            result[place] = each
        return result

    def __repr__(self):
        return f"<gamelan.{self._name}>"


mgrid = _Grid("mgrid", False)
ogrid = _Grid("ogrid", True)
