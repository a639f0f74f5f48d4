# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray about where it lies. NumPy has none of this. A base of ndarray, of no use by itself."""

from .. import _core
from .._distribution import blocks, redistribution


class Distributed(_core.Array):
    """The methods of ndarray that know of engines."""

    __slots__ = ()

    @property
    def distribution(self):
        """How the array lies on the engines, a `gamelan.distribution`; None when it is here. Asks the engines."""
        return redistribution.distribution_of(self)

    def redistribute(self, distribution):
        """A copy that lies as chosen. See `gamelan.redistribute`."""
        return redistribution.redistribute(self, distribution)

    def local_box(self, rank):
        """The slices of the array that lie with a rank.

        Parameters
        ----------
        rank : int
            0 to the number of engines - 1.

        Returns
        -------
        tuple of slice
        """
        return blocks.local_box(self, rank)

    def local_part(self, rank):
        """The elements that lie with a rank, as a NumPy array. Triggers evaluation; at most `config.gather_limit` elements.

        Parameters
        ----------
        rank : int
            0 to the number of engines - 1.
        """
        return blocks.local_part(self, rank)
