# SPDX-License-Identifier: BSD-3-Clause
"""searchsorted and digitize in rows of every kind: spread evenly or not, with equal elements, infinities and NaN, at the ends of
their dtypes. What is sought lies beside every element and far outside."""

import numpy
import pytest

import gamelan
from oracle import check, check_all

DRAW = numpy.random.RandomState(8)
REAL_ROWS = {
    "even": numpy.linspace(0, 1, 1001),
    "even, negative": numpy.linspace(-7.3, -7.1, 90),
    "equal ones": numpy.repeat(numpy.linspace(-1, 1, 50), 3),
    "all equal": numpy.full(40, 2.5),
    "one": numpy.array([3.0]),
    "logarithmic": numpy.logspace(-30, 30, 200),
    "normal": numpy.sort(DRAW.standard_normal(500)),
    "with infinities": numpy.concatenate(([-numpy.inf] * 2, numpy.linspace(-5, 5, 60), [numpy.inf])),
    "with nans": numpy.concatenate((numpy.linspace(-5, 5, 60), [numpy.inf, numpy.nan, numpy.nan])),
    "nans": numpy.full(5, numpy.nan),
    "the whole range": numpy.array([-1.7e308, -1e308, 0, 1e-300, 1.7e308]),
    "around zero": numpy.array([-5e-324, -0.0, 0.0, 5e-324, 1e-323]),
    "near each other": 1 + numpy.arange(64) * 2.0**-52,
}


def beside(row):
    """The elements of a row, their neighbours, what lies outside, and numbers in between; three times the row at least."""
    ends = numpy.array([-numpy.inf, numpy.inf, numpy.nan, -0.0, 0.0, 1e300, -1e300]).astype(row.dtype)
    finite = row[numpy.isfinite(row)]
    inside = finite[:-1] + (finite[1:] - finite[:-1]) * DRAW.random_sample(max(finite.size - 1, 0)).astype(row.dtype)
    around = [numpy.nextafter(row, row.dtype.type(end)) for end in (-numpy.inf, numpy.inf)]
    return DRAW.permutation(numpy.concatenate([row, *around, inside, ends] * 2))


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_rows_of_reals(engine, dtype):
    def programs():
        for name, row in REAL_ROWS.items():
            with numpy.errstate(all="ignore"):
                row = row.astype(dtype)
                sought = beside(row)
            for side in ("left", "right"):
                yield f"{name} {side}", lambda np: np.searchsorted(row, np.array(sought), side)
            yield f"{name}, every second", lambda np: np.searchsorted(np.array(row)[::2], np.array(sought)[::-1])
            if not numpy.isnan(row).any():
                for right in (True, False):
                    yield f"{name} digitize {right}", lambda np: np.digitize(np.array(sought), row, right)
                    yield f"{name} digitize {right} falling", lambda np: np.digitize(np.array(sought), row[::-1], right)

    check_all(programs())


@pytest.mark.parametrize("dtype", list("bhilBHIL"))
def test_rows_of_whole_numbers(engine, dtype):
    limits = numpy.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)
    rows = {
        "even": range(low, high, high // 60),
        "even, to the end": range(high, high - 90, -1),
        "the ends": [low, low, high, high],
        "crowded": [low, *range(5, 60), *[70] * 20, high],
        "one": [9],
    }

    def programs():
        for name, numbers in rows.items():
            row = numpy.sort(numpy.array(list(numbers), dtype))
            near = [max(low, min(high, int(element) + step)) for element in row for step in (-1, 0, 1)]
            sought = DRAW.permutation(numpy.array([*near, low, high, 0], dtype))
            for side in ("left", "right"):
                yield f"{name} {side}", lambda np: np.searchsorted(row, np.array(sought), side)
                yield f"{name} {side} in reals", lambda np: np.searchsorted(row.astype("f8"), np.array(sought), side)

    check_all(programs())


@pytest.mark.parametrize("name", ["even", "normal", "with infinities", "logarithmic"])
def test_ordinary_sizes(engine, name):
    row = REAL_ROWS[name]
    sought = DRAW.choice(row, 300_001) * DRAW.choice([0.9, 1, 1.1], 300_001)
    for side in ("left", "right"):
        check(lambda np: np.searchsorted(row, np.array(sought), side), exact=True)
    check(lambda np: np.digitize(np.array(sought[1:]).reshape(1000, 300).T[::-2], row), exact=True)


def test_a_row_that_is_not_sorted_has_the_same_places_at_any_rank_count(engine, ranks):
    if not ranks:
        pytest.skip("the model searches as NumPy does")
    row = numpy.random.RandomState(3).random_sample(200)
    sought = numpy.linspace(-0.1, 1.1, 1000)
    found = numpy.asarray(gamelan.searchsorted(row, gamelan.array(sought)))
    assert found.min() >= 0 and found.max() <= row.size
    assert int((found * numpy.arange(1000)).sum()) == PLACES


PLACES = 86296838  # a sum of all places, each times its number
