# SPDX-License-Identifier: BSD-3-Clause
"""isin by a table, by a search and by a sort, over every pair of kinds of numbers; choice without replacement of a few."""

import itertools

import numpy
import pytest

import gamelan
from gamelan._sets import _membership
from oracle import check_all


@pytest.mark.parametrize("way", ["as chosen", "no table", "no search"])
def test_isin(engine, monkeypatch, way):
    if way != "as chosen":
        monkeypatch.setattr(_membership, "_LONG_TABLE", -(10**9))
    if way == "no search":
        monkeypatch.setattr(_membership, "_LONG_ROW", 0)
    draw = numpy.random.RandomState(11)
    numbers = draw.randint(-50, 50, (20, 30))
    others = draw.randint(-60, 20, 40)

    def programs():
        for one, other in itertools.product(("i8", "i1", "u1", "?", "f8", "f4", "u8"), repeat=2):
            if one == "u8" and other[0] == "i":
                continue  # NumPy 1 fails
            a, b = (abs(each) if kind[0] == "u" else each for each, kind in ((numbers, one), (others, other)))
            a, b = a.astype(one), b.astype(other)
            yield f"{one} {other}", lambda np: np.isin(np.array(a), np.array(b))
            yield f"{one} {other} not", lambda np: np.isin(np.array(a).T, b, invert=True)
            yield f"{one} {other} few", lambda np: np.isin(np.array(a), [3, 5, 200])
        nans = numpy.where(numbers > 40, numpy.nan, numbers)
        yield "nans", lambda np: np.isin(np.array(nans), np.array(nans.ravel()[:30]))
        ends = numpy.array([-(2**63), 2**63 - 1, 0, 5] * 20)
        yield "ends", lambda np: np.isin(np.array(ends), np.array(ends[:20]))
        yield "far", lambda np: np.isin(np.array(ends), np.array([0] * 17 + [5]))

    check_all(programs())


def test_a_few_of_many_are_chosen_once_each(engine):
    for count, size in itertools.product((1, 10, 100), (None, 0, 1, 5)):
        if (size or 1) > count:
            continue
        chosen = gamelan.random.default_rng(3).choice(count, size, replace=False)
        found = numpy.atleast_1d(numpy.asarray(chosen))
        assert numpy.unique(found).size == found.size and ((found >= 0) & (found < count)).all()
    chosen = numpy.asarray(gamelan.random.default_rng(5).choice(10**6, 2000, replace=False))
    assert numpy.unique(chosen).size == 2000 and abs(chosen.mean() - 5e5) < 5e4
    again = numpy.asarray(gamelan.random.default_rng(5).choice(10**6, 2000, replace=False))
    assert numpy.array_equal(chosen, again)
