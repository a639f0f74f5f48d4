# SPDX-License-Identifier: BSD-3-Clause
"""Functions on small arrays for which `_core` has loops of its own that are faster than NumPy's, with the same bits. Each gives
None for arguments that NumPy shall have."""

import numpy

from .. import _core

_SORTS_FAST = tuple(map(int, numpy.__version__.split(".")[:2])) >= (1, 25)  # by AVX-512, and by AVX2 a little later


def sort(array, axis=-1, kind=None):
    """`numpy.sort` of a vector."""
    return None if _SORTS_FAST else _core.sorted_here(array, False)


def unique(array):
    """`numpy.unique` of an array, alone."""
    return _core.sorted_here(array.ravel(), True)


def searchsorted(edges, values, side="left"):
    """`numpy.searchsorted` without a sorter."""
    return _core.searched_here(edges, values, side == "right", False)


def digitize(values, edges, right=False):
    """`numpy.digitize` for edges that ascend."""
    return _core.searched_here(edges, values, not right, True)


OWN = {each.__name__: each for each in (sort, unique, searchsorted, digitize)}


class Where:
    """Stands for `numpy.where`."""

    def __init__(self, numpys):
        self._numpys = numpys

    def __call__(self, *arguments):
        result = _core.chosen_here(*arguments) if len(arguments) == 3 else None
        return self._numpys(*arguments) if result is None else result
