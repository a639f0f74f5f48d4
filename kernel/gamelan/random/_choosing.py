# SPDX-License-Identifier: BSD-3-Clause
"""Choices and orders. A permutation is the order of random words, sorted on the engines: it depends on the seed alone, and
the sort balances itself. (Two words of 64 bits that are equal stay in order: a bias of n**2 / 2**65.)"""

import math
import operator
import warnings
from collections.abc import Sequence

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._creation._ranges import arange
from .._folds._scans import cumsum
from .._imported_numpy import normalize_axis_index
from .._indexing._gather import take_along
from .._indexing._take_put import take
from .._local import is_distributed, with_numbers, wrap_here
from .._sorting._sort import argsort
from .._ufuncs._objects import PUBLIC
from .._ufuncs._where import either
from .._views._reshape import ravel, reshape
from ._streams import draw, numbers, shape_of


_MANY = 16  # times as many to choose from: then few are drawn twice


def _words(bits, shape):
    return numbers(bits, "random_integers", shape, numpy.uint64, numpy.uint64(0), numpy.uint64(2**64 - 1))


def order(bits, count):
    """The numbers below `count` in a random order."""
    if count < _core.threshold():
        result = numpy.empty(count, numpy.int64)
        _core.random_order(result, *bits.reserve(count))
        return wrap_here(result)
    return argsort(_words(bits, (count,)), kind="stable")


def permuted_copy(bits, x, axis):
    """The rows (of any axis) of an array in a random order."""
    return take(x, order(bits, x.shape[axis]), axis)


def order_within_lines(bits, x, axis):
    """The elements of every line along an axis in a random order of its own; a copy."""
    places = argsort(_words(bits, x.shape), axis, kind="stable")
    if not is_distributed(x) and not is_distributed(places):
        return wrap_here(numpy.take_along_axis(x._a, places._a, axis))
    flat = places * math.prod(x.shape[axis + 1 :])
    for other, extent in enumerate(x.shape):
        if other != axis:
            index = arange(extent).reshape((1,) * other + (extent,) + (1,) * (x.ndim - other - 1))
            flat = flat + index * math.prod(x.shape[other + 1 :])
    return take(ravel(x), flat)


def find(edges, values):
    """How many of the ascending `edges` are at most each value. Every value looks at the edges where they lie, as often as
    their number has binary digits."""
    if not is_distributed(edges) and not is_distributed(values):
        return wrap_here(numpy.searchsorted(numpy.asarray(edges), numpy.asarray(values), side="right"))
    edges = edges if is_distributed(edges) else _core.upload(numpy.asarray(edges))
    values = values if is_distributed(values) else _core.upload(numpy.asarray(values))
    shape, values = values.shape, ravel(values)
    count = edges.shape[0]
    found = filled(values.shape, numpy.dtype(int), 0)
    step = 1 << (count.bit_length() - 1)
    while step:
        tried = found + step
        edge = take_along(edges, PUBLIC["minimum"](tried, count) - 1, 0)
        found = either((tried <= count) & (edge <= values), tried, found)
        step //= 2
    return reshape(found, shape)


def _probabilities(p, population):
    p = asarray(p)
    exact = numpy.finfo(p.dtype if _core.is_ours(p) and p.dtype.kind == "f" else float).eps
    p = p.astype(float)
    if p.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if p.size != population:
        raise ValueError("a and p must have same size")
    found = p.sum(), p.min(), (p > 0).sum()
    total, least, chosen = (value[()] for value in _core.fetch(list(found))) if is_distributed(p) else found
    if total != total:
        raise ValueError("probabilities contain NaN")
    if least < 0:
        raise ValueError("probabilities are not non-negative")
    if abs(total - 1) > max(1e-8, numpy.sqrt(numpy.finfo(float).eps), numpy.sqrt(exact)):
        raise ValueError("probabilities do not sum to 1")
    return p, int(chosen)


def choose(bits, a, size=None, replace=True, p=None, axis=0):
    """Elements of an array, or numbers below an integer, as `Generator.choice`."""
    a = asarray(a)
    if a.ndim == 0:
        try:
            population = operator.index(a.item())
        except TypeError as error:
            raise ValueError("a must be 1-dimensional or an integer") from error
    else:
        population = a.shape[normalize_axis_index(axis, a.ndim)]
    shape = shape_of(size)
    count = 1 if shape is None else math.prod(shape)
    if population <= 0 and count:
        must = "must be a positive integer" if a.ndim == 0 else "cannot be empty"
        raise ValueError(f"a {must} unless no samples are taken")
    chosen = population
    if p is not None:
        p, chosen = _probabilities(p, population)
    if count == 0:
        index = wrap_here(numpy.empty(shape, int))
    elif replace:
        index = _with_replacement(bits, population, shape, p)
    else:
        if count > population:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if count > chosen:
            raise ValueError("Fewer non-zero entries in p than size")
        first = _distinct(bits, population, count) if p is None else _successive(bits, p)[:count]
        index = first[0] if shape is None else reshape(first, shape)
    if a.ndim == 0:
        return int(index) if shape is None else index
    result = take(a, index, axis)
    return result[()] if shape is None and _core.is_ours(result) and not is_distributed(result) else result


def _distinct(bits, population, count):
    """Different numbers in random order. A few of many are drawn until there are enough: the first of each counts."""
    if count * _MANY > population or count >= _core.threshold():
        return order(bits, population)[:count]
    drawn = numpy.empty(0, int)
    while True:
        more = numbers(bits, "random_integers", (count - drawn.size,), numpy.int64, numpy.int64(0), numpy.int64(population - 1))
        drawn = numpy.concatenate((drawn, numpy.asarray(more)))
        _, places = numpy.unique(drawn, return_index=True)
        drawn = drawn[numpy.sort(places)]
        if drawn.size == count:
            return wrap_here(drawn)


def _with_replacement(bits, population, shape, p):
    if p is None:
        return numbers(bits, "random_integers", shape, numpy.int64, numpy.int64(0), numpy.int64(population - 1))
    edges = cumsum(p)
    edges = edges / edges[-1]
    return find(edges, asarray(numbers(bits, "random_uniform", shape, float, 0.0, 1.0)))


def _successive(bits, p):
    """One after another without replacement: the order of exponential variables of rates p (Efraimidis and Spirakis, 2006)."""
    keys = asarray(draw(bits, "exponential", (1.0,), p.shape, is_checked=True)) / either(p > 0, p, 1.0)
    return argsort(either(p > 0, keys, numpy.inf), kind="stable")


class Choosing:
    """Needs `self._bits`."""

    def shuffle(self, x, axis=0):
        """Shuffle the parts of an array or a list along an axis in place."""
        if isinstance(x, (_core.Array, numpy.ndarray)):
            if x.ndim == 0:
                raise TypeError("cannot shuffle a 0-d array")
            axis = normalize_axis_index(axis, x.ndim)
            if not (x._a if _core.is_ours(x) else x).flags.writeable:
                raise ValueError("array is read-only")
            if x.size:
                x[...] = permuted_copy(self._bits, x, axis)
            return
        if isinstance(x, memoryview):
            self.shuffle(numpy.asarray(x), axis)
            return
        if axis != 0:
            raise NotImplementedError("Axis argument is only supported on ndarray objects")
        if not isinstance(x, Sequence):
            warnings.warn(
                f"you are shuffling a {type(x).__name__!r} object which is not a subclass of 'Sequence'; `shuffle` is not "
                "guaranteed to behave correctly.",
                UserWarning,
                stacklevel=2,
            )
        items = [x[place] for place in range(len(x))]
        for place, taken in enumerate(numpy.asarray(order(self._bits, len(x))).tolist()):
            x[place] = items[taken]

    def permutation(self, x, axis=0):
        """A shuffled copy of an array, or the numbers below an integer in random order.

        Examples
        --------
        >>> import gamelan as np
        >>> sorted(np.random.default_rng(1).permutation(4).tolist())
        [0, 1, 2, 3]
        """
        x = with_numbers(x)
        if isinstance(x, (int, numpy.integer)):
            return order(self._bits, max(int(x), 0))
        x = asarray(x)
        axis = normalize_axis_index(axis, x.ndim)
        return permuted_copy(self._bits, x, axis) if x.size else x.copy()
