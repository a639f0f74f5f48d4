# SPDX-License-Identifier: BSD-3-Clause
"""np.broadcast: what a broadcast of arrays is like, and its elements one after the other."""

import itertools
import math

import numpy

from .._creation._from_data import asarray
from .._imported_numpy import MOST_OPERANDS
from .._local import has_distributed, unwrap
from ._plain import broadcast_to
from ._reshape import ravel

__all__ = ["broadcast"]


class broadcast:
    """The shape that arrays have together, and an iterator of their elements.

    of arrays that are here it is NumPy's own object. Elements of large arrays come here in parts.

    Examples
    --------
    >>> import gamelan as np
    >>> np.broadcast([1, 2, 3], [[4], [5]]).shape
    (2, 3)
    """

    def __new__(cls, *args):
        if not any(isinstance(each, broadcast) for each in args) and not has_distributed(args):
            return numpy.broadcast(*map(unwrap, args))
        return super().__new__(cls)

    def __init__(self, *args):
        self._arrays = list(itertools.chain.from_iterable(map(_arrays_of, args)))
        if len(self._arrays) > MOST_OPERANDS:
            raise ValueError(f"Need at least 0 and at most {MOST_OPERANDS} array objects.")
        self.shape = numpy.broadcast_shapes(*(each.shape for each in self._arrays))
        self.nd = self.ndim = len(self.shape)
        self.size, self.numiter = math.prod(self.shape), len(self._arrays)
        self.reset()

    index = property(lambda self: self._index, doc="How many elements the iteration has given.")
    iters = property(
        lambda self: tuple(broadcast_to(each, self.shape).flat for each in self._arrays), doc="An iterator of each array."
    )

    def __iter__(self):
        return self

    def __next__(self):
        if self._elements is None:
            self._elements = zip(*map(self._elements_of, self._arrays))
        elements = next(self._elements)
        self._index += 1
        return elements

    def _elements_of(self, array):
        if array.size == 1:
            return itertools.repeat(numpy.asarray(array).reshape(-1)[0], self.size)
        return iter(ravel(broadcast_to(array, self.shape)))

    def reset(self):
        """The iteration begins again."""
        self._index, self._elements = 0, None


def _arrays_of(argument):
    """The array that an argument is, or those of another broadcast."""
    if isinstance(argument, broadcast):
        return argument._arrays
    return [asarray(each.base) for each in argument.iters] if isinstance(argument, numpy.broadcast) else [asarray(argument)]
