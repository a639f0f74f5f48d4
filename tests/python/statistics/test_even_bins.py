# SPDX-License-Identifier: BSD-3-Clause
"""Histograms with even bins: numbers on the edges, beside them and outside, few and many bins, ordinary sizes. What is remembered
of an array's least and greatest element is true, also after the array is written."""

import numpy
import pytest

from oracle import check, check_all

DRAW = numpy.random.RandomState(9)


def on_edges(low, high, bins):
    """The edges, their neighbours, what lies outside, and numbers in between."""
    edges = numpy.linspace(low, high, bins + 1)
    around = [numpy.nextafter(edges, end) for end in (-numpy.inf, numpy.inf)]
    inside = low + (high - low) * DRAW.random_sample(3 * bins + 200)
    return DRAW.permutation(numpy.concatenate([edges, *around, inside, inside]))


RANGES = [(0.0, 1.0), (-7.3, -7.1), (1e6, 1e6 + 1e-3), (1e15, 1e15 + 300), (-1e-300, 3e-300), (-3.0, 1e300), (0, 255)]


@pytest.mark.parametrize("bins", [1, 2, 10, 200, 255, 8191, 8192, 8193])
def test_numbers_on_edges(engine, ranks, bins):
    def programs():
        for low, high in RANGES:
            if not ranks and numpy.unique(numpy.linspace(low, high, bins + 1)).size <= bins:
                continue  # the model searches, which finds others of equal edges than NumPy
            data = on_edges(low, high, bins)
            ends = (low, high)
            yield f"{ends}", lambda np: np.histogram(np.array(data), bins)
            yield f"{ends} given", lambda np: np.histogram(np.array(data)[::-1], bins, ends)
            far = numpy.concatenate((data, [numpy.nan, numpy.inf, -numpy.inf, 1e308, -1e308]))
            yield f"{ends} outside", lambda np: np.histogram(np.array(far), bins, ends)
            half = (low, low + (high - low) / 2)
            yield f"{ends} half", lambda np: np.histogram(np.array(data), bins, half)

    check_all(programs())


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "i2"])
def test_ordinary_sizes(engine, dtype):
    data = (DRAW.standard_normal(300_000) * 20 + 100).clip(0, 250).astype(dtype)

    def programs():
        for bins in (200, 256):
            yield f"{bins}", lambda np: np.histogram(np.array(data), bins)
            yield f"{bins}, transposed", lambda np: np.histogram(np.array(data).reshape(600, 500).T[::-3], bins, (50, 150))

    check_all(programs())


def test_what_is_remembered_of_an_array(engine):
    flags = numpy.arange(900) % 7 == 3
    flags[700:] = False
    table = numpy.zeros((40, 9))
    table[::2, 1] = 1
    reals = DRAW.standard_normal(500)

    def written(np):
        a = np.array(reals)
        before = np.histogram(a, 9)
        a[17] = 40
        a[::-5] += 1
        return *before, *np.histogram(a, 9), *np.histogram(a[:90], 9), *np.histogram(a, 5)

    def programs():
        yield "bincount", lambda np: np.bincount(np.flatnonzero(np.array(flags)))
        yield "unique", lambda np: np.unique(np.flatnonzero(np.array(flags)) // 2, return_counts=True)
        yield "histogram", lambda np: np.histogram(np.flatnonzero(np.array(flags)), 13)
        yield "histogramdd", lambda np: np.histogramdd(np.stack([np.flatnonzero(np.array(flags))] * 2, axis=1), 3)
        yield "choose", lambda np: np.choose(np.array(table).argmax(axis=1), [5, 6])
        yield "choose too few", lambda np: np.choose(np.array(table).argmax(axis=1), [5])
        yield "reduceat", lambda np: np.add.reduceat(np.arange(700.0), np.flatnonzero(np.array(flags)))
        yield "reduceat of too few", lambda np: np.add.reduceat(np.arange(600.0), np.flatnonzero(np.array(flags)))
        yield "unravel", lambda np: np.unravel_index(np.flatnonzero(np.array(flags)), (7, 100))
        yield "unravel of too few", lambda np: np.unravel_index(np.flatnonzero(np.array(flags)), (6, 100))
        yield "written", written

    check_all(programs())


def test_nan_has_no_bin(engine):
    check(lambda np: np.histogram(np.array([1.0, numpy.nan, 2.0] * 50), 9))
    check(lambda np: np.histogram(np.array([numpy.nan] * 50), 9, (0, 1)))
