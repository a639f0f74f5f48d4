# SPDX-License-Identifier: BSD-3-Clause
"""class distribution: a choice, independent of arrays and of how many engines there are, and its form in messages
(protocol/chosen_layout.hpp). Nothing is sent here."""

import math
import operator


from .._imported_numpy import normalize_axis_index

__all__ = ["distribution"]


class distribution:
    """How the elements of an array lie on the engines. Made by its four class methods, not by calling it.

    Ranks are numbered from 0; blocks are dealt to them in C order over the grid. `ranks=(first, count)` names the ranks that
    take part, for arrays that are to lie side by side: what is computed from such arrays alone is computed there, while
    other ranks go on.

    Examples
    --------
    >>> import gamelan as np
    >>> np.distribution.block((2, 1))
    distribution.block((2, 1))
    """

    __slots__ = ("kind", "grid", "cuts", "axis", "length", "ranks")

    def __init__(self, *arguments, **keywords):
        raise TypeError("use distribution.block, cyclic, irregular or replicated")

    @classmethod
    def _make(cls, kind, **fields):
        made = object.__new__(cls)
        for name in cls.__slots__:
            setattr(made, name, fields.get(name))
        made.kind = kind
        return made

    @classmethod
    def block(cls, grid, ranks=None):
        """Blocks of even size.

        Parameters
        ----------
        grid : int or tuple of int
            The number of blocks along each axis. Axes that it does not mention are not cut. One of the numbers may be -1: as many
            blocks as there are ranks for.
        ranks : (int, int), optional
            The first rank that takes part, and how many do. By default all of them.

        Returns
        -------
        distribution

        Raises
        ------
        ValueError
            If a number of blocks is not positive, or -1 occurs twice.
        """
        grid = _integers(grid, "grid")
        if any(parts < 1 and parts != -1 for parts in grid) or grid.count(-1) > 1:
            raise ValueError(f"a grid has a positive number of blocks for each axis, or -1 once; got {grid}")
        return cls._make("block", grid=grid, ranks=_rank_range(ranks))

    @classmethod
    def cyclic(cls, axis=0, block=1, ranks=None):
        """Blocks of some indices of an axis, dealt to the ranks in turns.

        The extent of the axis must be a multiple of `block` times the number of ranks. Whole arrays are computed where they are
        stored. A part of one is first copied into even blocks.

        Parameters
        ----------
        axis : int, optional
            The axis that is cut.
        block : int, optional
            The number of indices of a block.
        ranks : (int, int), optional
            The first rank that takes part, and how many do. By default all of them.

        Returns
        -------
        distribution

        Raises
        ------
        ValueError
            If `block` is below 1.
        """
        block = operator.index(block)
        if block < 1:
            raise ValueError(f"a block has at least one index, got {block}")
        return cls._make("cyclic", axis=operator.index(axis), length=block, ranks=_rank_range(ranks))

    @classmethod
    def irregular(cls, *cuts, ranks=None):
        """Blocks of any size.

        `irregular([10, 30])` cuts an axis of 100 indices into 10, 20 and 70, for three ranks.

        Parameters
        ----------
        *cuts : sequence of int
            For each axis the ascending indices at which it is cut; () for an axis that is not cut.
        ranks : (int, int), optional
            The first rank that takes part, and how many do. By default all of them.

        Returns
        -------
        distribution

        Raises
        ------
        ValueError
            If the indices are not ascending.
        """
        cuts = tuple(_integers(each, "cuts") for each in cuts)
        if any(low > high for each in cuts for low, high in zip((0, *each), each)):
            raise ValueError(f"cuts are ascending indices, got {cuts}")
        return cls._make("irregular", cuts=cuts, ranks=_rank_range(ranks))

    @classmethod
    def replicated(cls):
        """A copy of the whole array on every rank.

        Meant for tables that all ranks read at random. Takes the memory of the array on every rank.

        Returns
        -------
        distribution
        """
        return cls._make("replicated")

    def __repr__(self):
        told = {
            "block": [f"{self.grid}"],
            "cyclic": [f"axis={self.axis}", f"block={self.length}"],
            "irregular": [str(list(each)) for each in self.cuts or ()],
            "replicated": [],
        }[self.kind]
        if self.ranks is not None:
            told.append(f"ranks={self.ranks}")
        return f"distribution.{self.kind}({', '.join(told)})"

    def __eq__(self, other):
        return isinstance(other, distribution) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self):
        return hash(repr(self))

    def integers(self, shape, ranks):
        """The choice for an array of that shape on so many ranks, as messages carry it; ValueError where it does not fit."""
        first, count = self.ranks or (0, ranks)
        if first + count > ranks:
            raise ValueError(f"{self!r} takes ranks {first} to {first + count - 1}; there are {ranks}")
        axes = getattr(self, f"_{self.kind}_axes")(shape, count)
        taken = math.prod(parts for _, parts, _ in axes)
        if taken > count:
            raise ValueError(f"{self!r} has {taken} blocks, for {count} ranks")
        words = [first, int(self.kind == "replicated"), len(axes)]
        for extent, parts, cuts in axes:
            words += [extent, parts, len(cuts), *cuts]
        return tuple(words)

    def _block_axes(self, shape, count):
        if len(self.grid) > len(shape):
            raise ValueError(f"{self!r} has more axes than an array of {len(shape)} dimensions")
        known = math.prod(parts for parts in self.grid if parts > 0)
        grid = [max(count // known, 1) if parts < 0 else parts for parts in self.grid]
        return [(extent, parts, ()) for extent, parts in zip(shape, [*grid, *[1] * (len(shape) - len(grid))])]

    def _cyclic_axes(self, shape, count):
        axis = normalize_axis_index(self.axis, len(shape))
        turn = self.length * count
        if shape[axis] % turn:
            raise ValueError(f"{self!r}: {shape[axis]} indices are not a multiple of {self.length} for each of {count} ranks")
        dealt = [(shape[axis] // turn, 1, ()), (count, count, ()), (self.length, 1, ())]
        whole = [(extent, 1, ()) for extent in shape]
        return [*whole[:axis], *dealt, *whole[axis + 1 :]]

    def _irregular_axes(self, shape, count):
        if len(self.cuts) > len(shape):
            raise ValueError(f"{self!r} has more axes than an array of {len(shape)} dimensions")
        cuts = [*self.cuts, *[()] * (len(shape) - len(self.cuts))]
        for extent, each in zip(shape, cuts):
            if each and each[-1] > extent:
                raise ValueError(f"{self!r} cuts an axis of {extent} indices at {each[-1]}")
        return [(extent, len(each) + 1, each) for extent, each in zip(shape, cuts)]

    def _replicated_axes(self, shape, count):
        return [(extent, 1, ()) for extent in shape]


def _integers(values, name):
    try:
        return (operator.index(values),)
    except TypeError:
        pass
    try:
        return tuple(operator.index(value) for value in values)
    except TypeError:
        raise TypeError(f"{name}: expected integers, got {values!r}") from None


def _rank_range(ranks):
    if ranks is None:
        return None
    ranks = _integers(ranks, "ranks")
    if len(ranks) != 2 or ranks[0] < 0 or ranks[1] < 1:
        raise ValueError(f"ranks are the first one and their number, got {ranks}")
    return ranks
