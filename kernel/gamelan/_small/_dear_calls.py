# SPDX-License-Identifier: BSD-3-Clause
"""Calls on arrays that are here, which cost NumPy so much that loops of our own (`_own_loops`) are faster, or that engines answer
sooner, the way there and back included: a sort, a search. `_core` asks here where such a call has many elements
(kernel/module/small_calls).

Of engines nothing is assumed: the time here and theirs are those of the program's own calls, for each function, dtype and
size. Only functions are here whose results have the same bits whoever computes them, because it may be the engines in one call
and NumPy in the next. Engines are never started or waited for because of this (Session::is_at_hand). Whatever goes wrong there,
NumPy answers.
"""

import os
import time

import numpy

from .. import _core
from .._config import config
from ._own_loops import OWN, Where

LEAST = 1 << 15  # elements: below, NumPy takes less time than any way, and not much more than our loops
_LEAST_S = 3e-4  # that NumPy takes: below, there is little to gain
_TRIES = 2  # of engines, before they count as slower: the first finds no plan
_MOST_KINDS = 256  # of calls whose times are kept, by function
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_DTYPES = "?bBhHiIlLqQfd"
_GIVES_ELEMENTS = ("sort", "unique")  # the order of 0.0 and -0.0, and of NaNs, is that of the algorithm

# function: (how many of the first arguments are arrays, what the others may be, in their order)
_DEAR = {
    "sort": (1, {"axis": (-1, 0), "kind": (None, "quicksort", "stable", "mergesort", "heapsort")}),
    "argsort": (1, {"axis": (-1, 0), "kind": ("stable", "mergesort")}),
    "unique": (1, {}),  # with counts or places an array would stay on the engines for a while
    "searchsorted": (2, {"side": ("left", "right")}),
    "digitize": (2, {"right": (False, True)}),
    "isin": (2, {"assume_unique": (False, True), "invert": (False, True)}),
    "in1d": (2, {"assume_unique": (False, True), "invert": (False, True)}),
}


def bind(call):
    """Has a function that users call ask here, if it is one of these and NumPy's own is called for small arrays."""
    if getattr(call, "_numpys", None) is None:
        return
    if call.__name__ == "where":
        call._dear, call._dear_from = Where(call._numpys), _core.LEAST_OF_A_MASK
    if call.__name__ in _DEAR:
        call._dear = _DearCall(call.__wrapped__, call._numpys, *_DEAR[call.__name__])
        call._dear_from = LEAST


class _Times:
    """What calls of one kind take. A time that is longer than before counts a quarter, because the machine may have been
    busy."""

    __slots__ = ("here_s", "next_look", "there_s", "tries", "turns")

    def __init__(self):
        self.here_s = self.there_s = None
        self.turns, self.tries, self.next_look = 0, 0, 0

    def asks_engines(self):
        """Who is asked next: usually who is faster, and sometimes the other, which costs 3 % at most."""
        self.turns += 1
        if self.here_s is None or self.here_s < _LEAST_S:
            return False
        if self.tries < _TRIES:
            return True
        is_faster_there = self.there_s < self.here_s
        if self.turns < self.next_look:
            return is_faster_there
        ratio = max(self.there_s, self.here_s) / min(self.there_s, self.here_s)
        self.next_look = self.turns + 32 * int(ratio + 1)
        return not is_faster_there

    def note(self, seconds, there):
        before = self.there_s if there else self.here_s
        new = seconds if before is None or seconds < before else before + (seconds - before) / 4
        if there:
            self.there_s, self.tries = new, self.tries + 1
            self.next_look = self.next_look or self.turns + 32
        else:
            self.here_s = new


class _DearCall:
    """Stands for NumPy's function: gives the same, from NumPy or from the engines."""

    def __init__(self, ours, numpys, arrays, settings):
        self._ours, self._numpys, self._arrays, self._settings = ours, numpys, arrays, settings
        self._times = {}

    def __call__(self, *arguments, **keywords):
        kind = self._kind(arguments, keywords)
        if kind is None:
            return self._numpys(*arguments, **keywords)
        times = self._times_of(kind)
        if _wants_engines(times) and _core.are_at_hand():
            start = time.perf_counter()
            answer = self._there(arguments, keywords)
            if answer is not None:
                times.note(time.perf_counter() - start, True)
                return answer[0]
            times.note(10 * (times.here_s or 1.0), True)
        start = time.perf_counter()
        try:
            return self._here(arguments, keywords)
        finally:
            times.note(time.perf_counter() - start, False)

    def _here(self, arguments, keywords):
        own = OWN.get(self._ours.__name__)
        result = own(*arguments, **keywords) if own is not None else None
        return self._numpys(*arguments, **keywords) if result is None else result

    def _kind(self, arguments, keywords):
        """What tells apart calls that take other times; None for a call that is NumPy's in any case."""
        arrays, others = arguments[: self._arrays], arguments[self._arrays :]
        if len(arrays) != self._arrays or len(others) > len(self._settings) or not all(map(_can_be_sent, arrays)):
            return None
        given = [*zip(self._settings, others), *keywords.items()]
        if not all(_is_among(value, self._settings.get(name, ())) for name, value in given):
            return None
        if self._ours.__name__ == "argsort" and "kind" not in dict(given):
            return None  # the order of equal elements is NumPy's
        if self._ours.__name__ in _GIVES_ELEMENTS and _has_equals_that_differ(arrays[0]):
            return None
        return tuple((each.dtype.char, each.size.bit_length()) for each in arrays)

    def _times_of(self, kind):
        if len(self._times) > _MOST_KINDS:
            self._times.clear()
        return self._times.setdefault(kind, _Times())

    def _there(self, arguments, keywords):
        """The engines' answer in a list; None where there is none."""
        try:
            # All of them: what is sent as an operand would be kept there, and stored with checkpoints.
            sent = [_core.upload(each) for each in arguments[: self._arrays]]
            return [_brought(self._ours(*sent, *arguments[self._arrays :], **keywords))]
        except Exception:  # lost engines, a full heap; mistakes NumPy reports itself
            return None


def _wants_engines(times):
    if config.dear_calls != "measured":
        return config.dear_calls == "always"
    return times.asks_engines() and _core.ranks() <= _CORES  # with more they would take turns


def _is_among(value, values):
    return any(value is each or type(value) in (int, str) and value == each for each in values)


def _can_be_sent(value):
    """True for an array with elements and axes, in C order where that can be seen in the result."""
    if type(value) is not numpy.ndarray or not value.ndim or not value.size:
        return False
    return value.dtype.char in _DTYPES and value.dtype.isnative and (value.ndim == 1 or value.flags.c_contiguous)


def _has_equals_that_differ(array):
    """Has it a -0.0, or a NaN with other bits than the usual one?"""
    return array.dtype.kind == "f" and _core.has_equals_that_differ(numpy.ascontiguousarray(array))


def _brought(result):
    """The elements of a result, or of several, in one round trip, as arrays with memory of their own."""
    several = isinstance(result, tuple)
    arrays = _core.fetch(list(result) if several else [result])
    for place, array in enumerate(arrays):
        if not array.flags.owndata:
            arrays[place] = array.copy()
    return tuple(arrays) if several else arrays[0]
