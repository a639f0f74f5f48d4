# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray whose elements move by what data say: x.take(), x.nonzero(), x.sort(). Each forwards to the
function of that name. A base of DistributedArray, of no use by itself."""

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
        """Take elements that integers name."""
        return take_put.take(self, indices, axis, out, mode)

    def put(self, indices, values, mode="raise"):
        """Write values to elements that integers name."""
        take_put.put(self, indices, values, mode)

    def nonzero(self):
        """The indices of the elements that are not zero."""
        return places.nonzero(self)

    def compress(self, condition, axis=None, out=None):
        """The slices along an axis where a condition is true."""
        return masks.compress(condition, self, axis, out)

    def choose(self, *choices, out=None, mode="raise"):
        """Pick each element from the array that this array of integers names."""
        return selecting.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)

    def itemset(self, *arguments):
        """Write one element.

        Lazy. Called as `itemset(value)`, `itemset(flat_index, value)` or `itemset(index, index, ..., value)`.
        """
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
        """The cumulative sums of the elements along an axis."""
        return scans.cumsum(self, axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        """The cumulative products of the elements along an axis."""
        return scans.cumprod(self, axis, dtype, out)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=numpy._NoValue):
        """Sort the array in place."""
        sorting.sort_in_place(self, axis, kind, order, stable, descending)

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None, descending=numpy._NoValue):
        """The indices that would sort the array."""
        return sorting.argsort(self, axis, kind, order, stable=stable, descending=descending)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Partition the array in place: the kth element is where sorting puts it."""
        partitioning.partition_in_place(self, kth, axis, kind, order)

    def argpartition(self, kth, axis=-1, kind="introselect", order=None):
        """The indices that partition the array."""
        return partitioning.argpartition(self, kth, axis, kind, order)
