# SPDX-License-Identifier: BSD-3-Clause
"""interp to the bit: values in an order and in none, on points, beyond them, of every dtype, among equal and infinite points."""

import numpy
import pytest

import gamelan
from oracle import check as compare

DRAW = numpy.random.default_rng(12)


def check(program, what):
    compare(program, what, exact=True)


def points(count, kind):
    xp = {
        "even": numpy.linspace(-1, 1, count),
        "random": numpy.sort(DRAW.random(count) * 2 - 1),
        "crowded": numpy.sort(numpy.tan(DRAW.random(count) * 3 - 1.5)),
        "equal": numpy.sort(DRAW.integers(-3, 4, count) / 2.0),
    }[kind]
    return xp, DRAW.standard_normal(count)


VALUES = {
    "rising": lambda n: numpy.linspace(-1.3, 1.3, n),
    "falling": lambda n: numpy.linspace(1.3, -1.3, n),
    "in no order": lambda n: DRAW.random(n) * 2.6 - 1.3,
    "smooth": lambda n: numpy.sin(numpy.linspace(0, 40, n)),
    "outside": lambda n: numpy.where(DRAW.random(n) < 0.5, -9.0, 9.0),
    "steps": lambda n: numpy.repeat(DRAW.random(n // 50 + 1) * 2 - 1, 50)[:n],
}


@pytest.mark.parametrize("kind", ["even", "random", "crowded", "equal"])
@pytest.mark.parametrize("count", [2, 3, 5, 100, 5000])
def test_values(engine, count, kind):
    xp, fp = points(count, kind)
    for name, values in VALUES.items():
        x = values(9001)
        x[::977] = xp[:: max(count // 10, 1)][:1]  # on a point
        x[500], x[501], x[502], x[503] = numpy.nan, numpy.inf, -numpy.inf, xp[-1]
        what = f"{name}, {count} {kind} points"
        check(lambda np: np.interp(np.array(x), xp, fp), what)
        check(lambda np: np.interp(np.array(x)[::-3], np.array(xp), np.array(fp), left=-7, right=numpy.nan), what)


def test_points_that_are_not_finite(engine):
    xp = numpy.array([-numpy.inf, -1, 0, 0, 1, 2, 3, numpy.inf])
    for fp in (
        [1, 2, numpy.inf, 3, numpy.nan, -0.0, -0.0, 5],
        [numpy.inf, numpy.inf, -numpy.inf, -numpy.inf, 0, numpy.nan, 1, 1],
        [1e308, -1e308, 1e308, 0, 1, 2, 3, 4],
    ):
        x = numpy.concatenate((xp, numpy.linspace(-3, 4, 701), [numpy.nan, -0.0]))
        check(lambda np: np.interp(np.array(x), xp, np.array(fp)), f"{fp}")
        check(lambda np: np.interp(np.array(x), np.array(xp[1:-1]), fp[1:-1]), f"{fp} within")


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "u1", "?"])
def test_dtypes_and_views(engine, dtype):
    x = DRAW.integers(0, 9, (40, 50)).astype(dtype)
    xp, fp = numpy.arange(0, 8, 2), numpy.array([3, 1, 4, 1], "i4")
    check(lambda np: np.interp(np.array(x), np.array(xp).astype(dtype), np.array(fp)), "dtypes")
    check(lambda np: np.interp(np.array(x).T[::2, ::-1], xp, fp), "a view")
    check(lambda np: np.interp(np.array(x)[3, 4], xp, fp), "a number")
    check(lambda np: np.interp(np.array(x)[:0], xp, fp), "none")
    check(lambda np: np.interp(np.array(x), np.array(fp)[[1, 0, 2]], np.array(xp)[::-1][:3]), "points backwards")
    compare(lambda np: np.interp(np.array(x), xp, fp * (1 + 2j), left=1j), "complex")
    check(lambda np: np.interp(np.array(x) * 3, xp, fp, period=7), "a period")


def test_points_made_by_the_engines(engine):
    def program(np):
        xp = np.cumsum(np.array(DRAW_STEPS))
        return np.interp(np.arange(20_000) / 50.0, xp, np.sin(xp))

    compare(program, "points")  # a sum and a sine have other last bits


DRAW_STEPS = numpy.arange(1, 700) % 3 + 0.25


NOT_RISING = {
    "falling": numpy.linspace(1, 0, 300),
    "in no order": DRAW.random(300),
    "with NaN": numpy.where(DRAW.random(300) < 0.1, numpy.nan, numpy.linspace(0, 1, 300)),
}


@pytest.mark.parametrize("kind", NOT_RISING)
def test_points_that_do_not_rise(engines_only, kind):
    """What comes out between them is NumPy's secret. Here it does not depend on what lies beside a value, so on no number of
    engines. Beyond the ends it is NumPy's."""
    xp, fp = NOT_RISING[kind], numpy.arange(300.0)
    x = numpy.concatenate((numpy.linspace(0, 1, 4000), DRAW.random(1000)))
    whole = numpy.asarray(gamelan.interp(gamelan.array(x), xp, fp))
    parts = [numpy.asarray(gamelan.interp(gamelan.array(x[k : k + 700]), xp, fp)) for k in range(0, 5000, 700)]
    numpy.testing.assert_array_equal(whole, numpy.concatenate(parts))
    check(lambda np: np.interp(np.array([-1.0, 2.0, 1.5] * 50), xp, fp), "beyond the ends")
    check(lambda np: np.interp(np.array([-1.0, 2.0, 1.5] * 50), xp, fp, left=-7), "beyond the ends, with a value")
    check(lambda np: np.interp(np.array([-1.0, 2.0, 0.5] * 50), [3, 1, 0.0], fp[:3], right=-7), "beyond both")


@pytest.mark.parametrize("dtype", ["f4", "f2", "i1"])
def test_a_period_of_few_digits(engine, dtype):
    """The remainder is taken in double precision."""
    x = (DRAW.standard_normal(3000) * 30).astype(dtype)
    check(lambda np: np.interp(np.array(x), numpy.linspace(0, 6, 501), numpy.sin(numpy.arange(501.0)), period=6.3), "a period")
