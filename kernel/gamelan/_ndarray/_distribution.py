# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray about where it lies. NumPy has none of this. A base of DistributedArray, of no use by itself."""

from .. import _core
from .._distribution import blocks, redistribution


class Distributed(_core.Array):
    """The methods of ndarray that know of engines."""

    __slots__ = ()

    @property
    def distribution(self):
        """The `gamelan.distribution` of the array over the engines; None for a small array. Asks the engines."""
        return redistribution.distribution_of(self)

    def redistribute(self, distribution):
        """A copy of the array with another distribution over the engines.

        Lazy. Takes the memory of both arrays until the first is gone.

        Parameters
        ----------
        distribution : gamelan.distribution
            The distribution of the copy.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            If the distribution does not fit the shape, or takes more ranks than there are engines.

        See Also
        --------
        gamelan.redistribute
        """
        return redistribution.redistribute(self, distribution)

    def local_box(self, rank):
        """The part of the array that a rank stores, as slices: `x[x.local_box(2)]`.

        Asks the engines, and triggers evaluation when the array is not computed yet.

        Parameters
        ----------
        rank : int
            0 to the number of engines - 1.

        Returns
        -------
        tuple of slice
            One for each axis; empty ones for a rank that stores nothing of the array.

        Raises
        ------
        IndexError
            If there is no such rank.
        NotImplementedError
            If a rank stores several boxes of the array (cyclic).
        ValueError
            If the array is not distributed.
        """
        return blocks.local_box(self, rank)

    def local_part(self, rank):
        """The elements of the array that a rank stores.

        Triggers evaluation. To write them, assign to `x[x.local_box(rank)]`.

        Parameters
        ----------
        rank : int
            0 to the number of engines - 1.

        Returns
        -------
        numpy.ndarray
            A copy, of at most `config.gather_limit` elements.

        Raises
        ------
        IndexError
            If there is no such rank.
        NotImplementedError
            If a rank stores several boxes of the array (cyclic).
        ValueError
            If the array is not distributed.
        """
        return blocks.local_part(self, rank)
