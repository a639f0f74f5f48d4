# SPDX-License-Identifier: BSD-3-Clause
"""From which size on the engines are worth the way to them: measured when engines are first used.

NumPy's time for an operation grows with the array. A batch takes the time of the way to the engines and back, whatever the
size. `np.config.distribute_from`, where it says "measured", becomes the smaller of two sizes only where even a single operation
on an array of that size would not lose by the way; else the larger one, from which on engines win as soon as a program
does something between two looks. There are two answers only, a factor of four apart, so that it seldom differs between two
sessions.
"""

import time

import numpy

from . import _core
from ._promotion import OPS, dtype_number

LEAST = 1 << 16  # smaller arrays cost NumPy less than any batch costs the engines
MOST = 1 << 18  # larger ones gain by fusion and by more ranks even where the way is long
_TIMES = 11
_ELEMENTS = 1 << 17


def measure():
    """The number of elements from which an array should live on the engines in use.

    Takes a few milliseconds. The shortest of several times counts: what else the machine does must not make an array small.

    Raises
    ------
    EngineLostError
        If the engines are gone.
    """
    return crossing(_seconds_of_way(), _seconds_of_numpy() / _ELEMENTS)


def crossing(way_s, element_s):
    """LEAST where the way takes less time than NumPy for LEAST elements, else MOST.

    Parameters
    ----------
    way_s : float
        Seconds there and back.
    element_s : float
        NumPy's seconds for an element.
    """
    return LEAST if way_s < element_s * LEAST else MOST


def _seconds_of_way():
    """Two numbers there, one operation on them, and the result back."""
    x = _core.upload(numpy.ones(2))
    operands = (OPS["add"], dtype_number(x.dtype), dtype_number(x.dtype), (x, x), None)
    return _shortest(lambda: _core.fetch([_core.apply(*operands)]))


def _seconds_of_numpy():
    x = numpy.ones(_ELEMENTS)
    return _shortest(lambda: x + x)


def _shortest(turn):
    taken = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        turn()
        taken.append(time.perf_counter() - start)
    return min(taken)
