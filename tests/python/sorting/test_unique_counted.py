# SPDX-License-Identifier: BSD-3-Clause
"""unique of whole numbers in narrow and wide ranges, at the ends of their dtypes, with short and long tables of counts."""

import itertools

import numpy
import pytest

import gamelan
from gamelan._sets import _counted
from oracle import check, check_all

MANY = dict(return_index=True, return_inverse=True, return_counts=True)


def numbers_between(low, extent, size, dtype):
    """Random numbers of [low, low + extent), with few of the greatest."""
    drawn = numpy.random.RandomState(extent).randint(0, extent, size)
    return numpy.array([low + int(number) for number in drawn], dtype)


@pytest.mark.parametrize("way", ["short table", "long table", "sort"])
def test_ranges(engine, monkeypatch, way):
    if way == "long table":
        monkeypatch.setattr(_counted, "_SHORT", 0)
    if way == "sort":
        monkeypatch.setattr(_counted, "_NARROW", 0)
        monkeypatch.setattr(_counted, "_PER_NUMBER", 10**9)

    def programs():
        for dtype in "bhilBHIL":
            limits = numpy.iinfo(dtype)
            lows = (int(limits.min), int(limits.max) - 90, 0, 7)
            for low, size in itertools.product(lows, (1, 60, 701)):
                data = numbers_between(low, 91, size, dtype)
                yield f"{dtype} {low} {size}", lambda np: np.unique(np.array(data))
                yield f"{dtype} {low} {size} with all", lambda np: np.unique(np.array(data), **MANY)
        for wanted in itertools.product((False, True), repeat=3):
            yield f"{wanted}", lambda np: np.unique(np.array(data), *wanted)
        flags = data % 2 == 0
        yield "bools", lambda np: np.unique(np.array(flags), **MANY)
        yield "all true", lambda np: np.unique(np.array(flags) | True, **MANY)
        table = numpy.random.RandomState(1).randint(-30, 30, (40, 50))
        yield "transposed", lambda np: np.unique(np.array(table).T, **MANY)
        yield "every third, backwards", lambda np: np.unique(np.array(table)[::-3, 1::2], **MANY)
        far = numpy.array([-(2**63), 2**63 - 1, 5, 5, 0])
        yield "the whole range", lambda np: np.unique(np.array(far), **MANY)

    check_all(programs())


@pytest.mark.parametrize(("low", "extent"), [(-1000, 2001), (0, 70_000), (10**12, 99_000), (0, 10**9)])
def test_ordinary_sizes(engine, low, extent):
    data = numbers_between(low, extent, 400_001, numpy.int64)
    check(lambda np: np.unique(np.array(data), **MANY), exact=True)
    check(lambda np: np.unique(np.array(data)[::-2]), exact=True)


@pytest.mark.parametrize("least", [0, 3])
def test_a_row_of_bytes_is_not_widened(engine, least):
    """Counting needs no more memory than the row and a short table, whatever the distance of the least number from 0."""
    size = 4_000_000
    row = gamelan.asarray((numpy.arange(size) % 200 + least).astype("u1"))
    gamelan.sync()
    before = gamelan.stats(reset=True)["heap_bytes"]
    assert gamelan.unique(row).tolist() == list(range(least, least + 200))
    assert gamelan.stats()["heap_peak"] - before < 1.5 * size


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i8", "?"])
def test_what_is_remembered_of_the_ends_of_a_dtype(engine, dtype):
    """Least and greatest numbers that one call has found serve the next one, also where their distance leaves the dtype."""
    data = (numpy.arange(7000) % 256 - 128).astype(dtype)
    counted = numpy.arange(7000).astype(dtype) % numpy.array(100, dtype) if dtype != "?" else data

    def program(np):
        a, b = np.array(data), np.array(counted).astype("u1")
        first = np.histogram(a, 5)[0], np.histogram(b, 5)[0]
        return *first, np.unique(a), np.unique(a), np.unique(a, **MANY), np.unique(b), np.bincount(b), np.arange(300)[b]

    check(program)
