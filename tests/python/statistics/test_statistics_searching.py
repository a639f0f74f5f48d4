# SPDX-License-Identifier: BSD-3-Clause
"""searchsorted, digitize, interp, bincount with weights and histograms against NumPy."""

import itertools

import numpy
import pytest

import gamelan
from gamelan._sorting import _search
from gamelan._statistics import _counts
from operands import DTYPES, values
from oracle import check, check_all


@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted(engine, dtype):
    table = numpy.sort(numpy.repeat(values(dtype), 2))

    def programs():
        for side, other in itertools.product(("left", "right"), (dtype, "int64", "float64")):
            if dtype[:4] == "comp" and other != dtype:
                continue
            wanted = values(other)
            yield f"{side} {other}", lambda np: np.searchsorted(np.array(table), np.array(wanted), side)
            yield (
                f"{side} {other} matrix",
                lambda np: np.array(table).searchsorted(np.array(wanted).reshape(2, 7).T[::-1], side=side),
            )
        yield "a number", lambda np: np.searchsorted(np.array(table), table[5])
        yield "here", lambda np: np.searchsorted(table, np.array(table[::-3]), "right")
        yield "every second", lambda np: np.searchsorted(np.array(table)[::2], np.array(table))
        yield "nothing", lambda np: np.searchsorted(np.array(table)[:0], np.array(table))
        yield "for nothing", lambda np: np.searchsorted(np.array(table), np.array(table)[:0])

    check_all(programs())


def test_sorter_and_errors(engine):
    data = numpy.random.RandomState(1).permutation(50) // 2

    def programs():
        yield (
            "sorter",
            lambda np: np.searchsorted(np.array(data), np.arange(30), sorter=np.argsort(np.array(data), kind="stable")),
        )
        yield "sorter's length", lambda np: np.searchsorted(np.array(data), 3, sorter=np.arange(5))
        yield "sorter's dtype", lambda np: np.searchsorted(np.array(data), 3, sorter=np.ones(50))
        yield "side", lambda np: np.searchsorted(np.array(data), 3, "middle")
        yield "matrix", lambda np: np.searchsorted(np.ones((2, 2)), 3)
        for right in (False, True):
            yield f"digitize {right}", lambda np: np.digitize(np.arange(-1, 9, 0.5).reshape(4, 5), [0, 1, 1, 4.5, 7], right)
            yield f"digitize falling {right}", lambda np: np.digitize(np.arange(-1, 9, 0.5), np.array([7, 4.5, 1, 1, 0]), right)
        yield "digitize disorder", lambda np: np.digitize(np.arange(3), [0, 2, 1])
        yield "digitize complex", lambda np: np.digitize(np.arange(3) * 1j, [0, 2])
        for edges in ([0, 1, numpy.nan], [numpy.nan] * 3, [1, 1, 1], [3.0]):
            yield f"digitize {edges}", lambda np: np.digitize(np.array([numpy.nan, 1.0, 0.5, 9]), np.array(edges))
        yield "digitize nan", lambda np: np.digitize(np.array([numpy.nan, 1.0]), [0, 2])

    check_all(programs())


def test_a_long_table_is_searched_in_steps(engine, monkeypatch):
    monkeypatch.setattr(_search, "LONGEST_COPY", 7)
    draw = numpy.random.RandomState(5)

    def programs():
        for length, side in itertools.product((8, 49, 50, 1000), ("left", "right")):
            table = numpy.sort(draw.randint(0, length, length)).astype("f8")
            if length == 50:
                table[-3:] = numpy.nan
            wanted = numpy.append(draw.randint(-2, length + 2, 333) / 2, numpy.nan)
            yield f"{length} {side}", lambda np: np.searchsorted(np.array(table), np.array(wanted), side)

    check_all(programs())


def test_interp(engine):
    xp, fp = numpy.array([1.0, 2.0, 2.5, 4.0]), numpy.array([3.0, 0.0, numpy.inf, 1.0])
    x = numpy.array([[0.0, 1.0, 1.25, 2.0], [2.5, 3.0, 4.0, 5.0], [numpy.nan, 1.75, -1.0, 2.25]])

    def programs():
        for heights in (fp, numpy.array([3.0, 0.0, 5.0, 1.0]), numpy.arange(4) * (1 + 2j), numpy.arange(4)):
            yield "plain", lambda np: np.interp(np.array(x), xp, np.array(heights))
            yield "ends", lambda np: np.interp(np.array(x).T, np.array(xp), heights, left=-7, right=9)
            yield "one point", lambda np: np.interp(np.array(x), xp[:1], heights[:1])
            yield "number", lambda np: np.interp(1.5, np.array(xp), np.array(heights))
        yield "period", lambda np: np.interp(np.arange(-9.0, 9), np.array([5.0, 1, 3]), np.array([1.0, 2, 4]), period=6)
        yield "none", lambda np: np.interp(np.array(x), [], [])
        yield "complex", lambda np: np.interp(np.array(x) + 1j, xp, fp)
        yield "complex points", lambda np: np.interp(np.array(x), np.array(xp) + 0j, fp)
        yield "lengths", lambda np: np.interp(np.array(x), xp, fp[:2])
        yield "no period", lambda np: np.interp(np.array(x), xp, fp, period=0)

    check_all(programs())


def test_interp_of_equal_points(engine):
    """At points that are equal the last of them counts, also at the right end."""
    x = numpy.array([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])

    def programs():
        for xp in ([0, 1, 2, 2], [0, 1, 1, 2], [0, 0, 1, 2], [0, 0, 2, 2], [2, 2, 2, 2]):
            fp = numpy.array([1.0, 2.0, 4.0, 9.0])
            yield f"{xp}", lambda np: np.interp(np.array(x), xp, fp)
            yield f"{xp} with an end", lambda np: np.interp(np.array(x), np.array(xp), np.array(fp), right=-1)

    check_all(programs())


def test_digitize_with_nan_among_the_bins(engine):
    x = numpy.array([numpy.nan, -1.0, 1.0, 1.5, 7.0] * 3)

    def programs():
        for place, bins in itertools.product(range(4), ([1.0, 2, 3], [3.0, 2, 1], [1.0, 1, 1], [1.0, 3, 2])):
            edges = numpy.insert(bins, place, numpy.nan)
            is_sorted = place == 3 and bins[0] < bins[1] or place == 0 and bins[0] > bins[1]
            if is_sorted:  # a search in what is not sorted finds anything
                yield f"{edges}", lambda np: np.digitize(np.array(x), np.array(edges))
            yield f"{edges} errors", lambda np: np.digitize(np.array(x), np.array(edges)).shape

    check_all(programs())


@pytest.mark.parametrize("size, bins", [(1, 1), (500, 7), (9000, 300), (70_001, 500), (3000, 5000), (9000, 4500)])
def test_weights(engine, size, bins):
    draw = numpy.random.RandomState(size)
    numbers, weights = draw.randint(0, bins, size), draw.standard_normal(size)

    def programs():
        for dtype in ("float64", "float32", "int8", "bool"):
            yield dtype, lambda np: np.bincount(np.array(numbers), np.array(weights.astype(dtype)))
        yield "minlength", lambda np: np.bincount(np.array(numbers).astype("u2"), weights, minlength=bins + 99)
        yield "reversed", lambda np: np.bincount(np.array(numbers)[::-1], np.array(weights)[::-1])
        yield "broadcast", lambda np: np.bincount(np.array(numbers), np.broadcast_to(np.array(2.5), (size,)))

    check_all(programs())


def test_weights_have_the_same_bits_at_any_rank_count(engine, ranks):
    if not ranks:
        pytest.skip("the model adds as NumPy does")
    draw = numpy.random.RandomState(0)
    numbers, weights = draw.randint(0, 5000, 30_000), draw.standard_normal(30_000)
    few = numpy.asarray(gamelan.bincount(gamelan.array(numbers % 10), gamelan.array(weights))).view("u8")
    many = numpy.asarray(gamelan.bincount(gamelan.array(numbers), gamelan.array(weights))).view("u8")
    assert 64 * 5000 > numbers.size and 5000 > _counts._FEW_BINS
    assert int(numpy.bitwise_xor.reduce(few)) == FEW_BITS
    assert many.tobytes() == numpy.bincount(numbers, weights).tobytes()


FEW_BITS = 6050524107176682  # XOR of all sums


def test_bincount_errors(engine):
    def programs():
        yield "complex", lambda np: np.bincount(np.arange(3), np.ones(3) * 1j)
        yield "lengths", lambda np: np.bincount(np.arange(3), np.ones(4))
        yield "matrix", lambda np: np.bincount(np.arange(3), np.ones((3, 1)))
        yield "negative", lambda np: np.bincount(np.arange(-1, 3), np.ones(4))
        yield "nothing", lambda np: np.bincount(np.zeros(0, int), np.ones(0), 3)

    check_all(programs())


BINS = [
    4,
    [0, 1, 2.5, 2.5, 7],
    numpy.array([-3, 0, 50]),
    [1],
    "auto",
    "fd",
    "doane",
    "scott",
    "rice",
    "sturges",
    "sqrt",
    "best",
    0,
    [2, 1],
]


@pytest.mark.parametrize("bins", BINS, ids=str)
def test_histogram(engine, bins):
    draw = numpy.random.RandomState(2)

    def programs():
        for dtype, limits in itertools.product(("int16", "float64", "float32", "uint8"), (None, (1, 6))):
            data = (draw.standard_normal(300) * 3 + 4).clip(0, 9).astype(dtype)
            yield f"{dtype} {limits}", lambda np: np.histogram(np.array(data).reshape(30, 10).T, bins, limits)
            yield f"{dtype} {limits} density", lambda np: np.histogram(np.array(data), bins, limits, density=True)
            yield f"{dtype} {limits} edges", lambda np: np.histogram_bin_edges(np.array(data), bins, limits)
            for kind in ("float64", "int32", "complex128"):
                weights = (numpy.arange(300) % 7).astype(kind)
                yield (
                    f"{dtype} {limits} weights {kind}",
                    lambda np: np.histogram(np.array(data), bins, limits, weights=np.array(weights)),
                )
        yield "lengths", lambda np: np.histogram(np.arange(5), bins, weights=np.ones(4))
        yield "nan", lambda np: np.histogram(np.array([1, 2, numpy.nan, 7, 7.1]), bins)
        yield "nothing", lambda np: np.histogram(np.zeros(0), bins)

    check_all(programs())


def test_histogram_by_the_rule_of_stone(engine):
    data = (numpy.random.RandomState(2).standard_normal(300) * 3).clip(-9, 9)
    check(lambda np: np.histogram(np.array(data), "stone"))
    check(lambda np: np.histogram(np.array(data), 3, (0, np.array([2]))))


def test_histograms_of_points(engine):
    draw = numpy.random.RandomState(4)
    points = draw.standard_normal((500, 3)).round(1)
    weights = draw.random_sample(500)

    def programs():
        for bins in (3, (2, 3, 4), ([-1, 0, 1], 4, numpy.array([-2.0, 0.1, 0.1, 2]))):
            for limits, density in itertools.product((None, [(-1, 1), (-2, 2), None]), (None, True)):
                yield f"{bins} {limits}", lambda np: np.histogramdd(np.array(points), bins, limits, density)
                yield (
                    f"{bins} {limits} weights",
                    lambda np: np.histogramdd(np.array(points), bins, limits, density, np.array(weights)),
                )
        for bins in (5, (3, 4), [-1.0, 0, 2], [[-1, 0, 1], 3]):
            yield f"2d {bins}", lambda np: np.histogram2d(np.array(points[:, 0]), np.array(points[:, 1]), bins)
            yield (
                f"2d {bins} weights",
                lambda np: np.histogram2d(np.array(points[:, 0]), points[:, 1], bins, weights=np.array(weights), density=True),
            )
        yield "columns", lambda np: np.histogramdd([np.array(points[:, k]) for k in range(3)], 2)
        yield "bins there", lambda np: np.histogramdd(np.array(points), np.array([2, 3, 4]))
        yield "dimensions", lambda np: np.histogramdd(np.array(points), (2, 3))
        yield "lengths", lambda np: np.histogram2d(np.arange(3), np.arange(4))

    check_all(programs())
    check(lambda np: np.histogramdd(np.array(points), 2, [(0, 1), (1, 0), (0, 1)]), "limits")
