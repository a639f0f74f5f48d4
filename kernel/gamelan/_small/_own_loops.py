# SPDX-License-Identifier: BSD-3-Clause
"""Functions on small arrays for which `_core` has loops of its own that are faster than NumPy's, with the same bits. Each gives
None for arguments that NumPy shall have."""

import functools
import time

import numpy

from .. import _core

_SAMPLE = 8192  # numbers that are sorted once for each dtype: a millisecond where NumPy has no vector instructions for it


def _shortest_s(sort, numbers):
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        sort(numbers)
        taken.append(time.perf_counter() - start)
    return min(taken)


@functools.cache
def sorts_sooner(dtype):
    """Whether ours is the faster sort for this dtype, which NumPy's version and the processor decide."""
    numbers = numpy.random.default_rng(0).integers(0, 2**31, _SAMPLE).astype(dtype)
    return _shortest_s(lambda given: _core.sorted_here(given, False), numbers) < _shortest_s(numpy.sort, numbers)


def sort(array, axis=-1, kind=None):
    """`numpy.sort` of a vector in which equal elements have equal bits."""
    return _core.sorted_here(array, False) if sorts_sooner(array.dtype) else None


def unique(array):
    """`numpy.unique` of such an array, alone."""
    return _core.sorted_here(array.ravel(), True) if sorts_sooner(array.dtype) else None


def searchsorted(edges, values, side="left"):
    """`numpy.searchsorted` without a sorter, for edges that ascend."""
    return _core.searched_here(edges, values, side == "right")


def digitize(values, edges, right=False):
    """`numpy.digitize` for edges that ascend."""
    return _core.searched_here(edges, values, not right)


OWN = {each.__name__: each for each in (sort, unique, searchsorted, digitize)}


class Where:
    """Stands for `numpy.where`."""

    def __init__(self, numpys):
        self._numpys = numpys

    def __call__(self, *arguments, **keywords):
        result = _core.chosen_here(*arguments) if len(arguments) == 3 and not keywords else None
        return self._numpys(*arguments, **keywords) if result is None else result


_core.set_begin_of_sums(float(numpy.add.reduce(numpy.full(2, -0.0))))


_ROW_FOLDS = {name: name for name in ("sum", "mean", "max", "min", "argmax", "argmin")} | {"amax": "max", "amin": "min"}


def bind_row_fold(call):
    """Has a function or method ask our loops, if it folds rows and NumPy's own is called for small arrays."""
    if call.__name__ in _ROW_FOLDS and getattr(call, "_numpys", None) is not None:
        call._dear, call._dear_from = _RowFold(_ROW_FOLDS[call.__name__], call._numpys), _core.LEAST_OF_ROWS


class _RowFold:
    """Stands for NumPy's function or method."""

    def __init__(self, name, numpys):
        self._name, self._numpys = name, numpys

    def __call__(self, *arguments, **keywords):
        result = self._of_short_rows(*arguments, **keywords)
        return self._numpys(*arguments, **keywords) if result is None else result

    def _of_short_rows(self, array=None, axis=None, *others, keepdims=False, **settings):
        return None if others or settings else _core.folded_here(self._name, array, axis, keepdims)
