# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray whose elements move by what data say: x.take(), x.nonzero(), x.sort(). Each forwards to the
function of that name. A base of ndarray, of no use by itself."""

import numpy

from .. import _core
from .._folds import _scans as scans
from .._indexing import _masks as masks
from .._indexing import _nonzero as places
from .._indexing import _selecting as selecting
from .._indexing import _take_put as take_put
from .._local import unwrap
from .._sorting import _partition as partitioning
from .._sorting import _sort as sorting


class Irregular(_core.Array):
    """The methods of ndarray that gather, scatter, scan and sort."""

    __slots__ = ()

    def take(self, indices, axis=None, out=None, mode="raise"):
        """Elements at the places that integers name. See `gamelan.take`."""
        return take_put.take(self, indices, axis, out, mode)

    def put(self, indices, values, mode="raise"):
        """Writes elements at the places that integers name. See `gamelan.put`."""
        take_put.put(self, indices, values, mode)

    def nonzero(self):
        """The indices of the elements that are not zero. See `gamelan.nonzero`."""
        return places.nonzero(self)

    def compress(self, condition, axis=None, out=None):
        """The slices along an axis where a condition holds. See `gamelan.compress`."""
        return masks.compress(condition, self, axis, out)

    def choose(self, *choices, out=None, mode="raise"):
        """Elements of the arrays that the integers of this one name: of several arguments, or of one sequence. See
        `gamelan.choose`."""
        return selecting.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)

    def itemset(self, *arguments):
        """Writes one element: `itemset(value)`, `itemset(flat index, value)` or `itemset(index of every axis, ..., value)`."""
        if self._b is None:
            self._a.itemset(*map(unwrap, arguments))
            return
        if not arguments:
            raise ValueError("itemset must have at least one argument")
        *index, value = arguments
        cell = numpy.empty((), self.dtype)
        cell.itemset(unwrap(value))  # NumPy's conversion and its errors
        self[(*self._place_of(index), Ellipsis)] = cell

    def cumsum(self, axis=None, dtype=None, out=None):
        """Running sums. See `gamelan.cumsum`."""
        return scans.cumsum(self, axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        """Running products. See `gamelan.cumprod`."""
        return scans.cumprod(self, axis, dtype, out)

    def sort(self, axis=-1, kind=None, order=None):
        """Sorts the array in place. See `gamelan.sort`."""
        sorting.sort_in_place(self, axis, kind, order)

    def argsort(self, axis=-1, kind=None, order=None):
        """The indices that would sort the array. See `gamelan.argsort`."""
        return sorting.argsort(self, axis, kind, order)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Puts the kth element where sorting would put it. See `gamelan.partition`."""
        partitioning.partition_in_place(self, kth, axis, kind, order)

    def argpartition(self, kth, axis=-1, kind="introselect", order=None):
        """The indices that would partition the array. See `gamelan.argpartition`."""
        return partitioning.argpartition(self, kth, axis, kind, order)
