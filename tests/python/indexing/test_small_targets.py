# SPDX-License-Identifier: BSD-3-Clause
"""Small arrays and long indices that are on the engines: x[i], x[i] = v, x[i] += v and their errors are NumPy's. Of equal indices
the last wins."""

import gamelan
import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import check, check_all

LAYOUTS = {
    "whole": lambda a: a,
    "backwards": lambda a: a[::-1],
    "every second": lambda a: a[::2],
    "a column": lambda a: a.reshape(-1, 2)[:, 1],
}


def index(length, count, seed=0):
    return numpy.random.RandomState(seed).randint(-length, length, count)


def programs(extent, count, dtype):
    """Reads and writes of `count` elements of a row of `extent`."""
    values = numpy.random.RandomState(1).randint(0, 100, count)
    for how, layout in LAYOUTS.items():
        length = len(layout(numpy.zeros(extent)))
        i = index(length, count)

        def program(np, layout=layout, i=i):
            a, b, c, d = (np.arange(extent).astype(dtype) for _ in range(4))
            i, v = np.array(i), np.array(values)
            layout(a)[i] = v
            layout(b)[i] = 1
            layout(c)[i] += 1
            layout(d)[i] = v[::-1].astype(dtype)
            return a, b, c, d, layout(a)[i]

        yield f"{extent} {count} {dtype} {how}", program


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "u1", "c16", "?"])
def test_rows(ordinary, dtype):
    # 4,000 complex numbers are the most that a table holds; 10,000 float64 are too many.
    check_all(each for extent in (1000, 4000, 10_000) for each in programs(extent, 100_003, dtype))


@pytest.mark.parametrize("count", [11, 64, 4097])
def test_engines_have_both(engine, count):
    check_all(each for extent in (2, 16, 600) for each in programs(extent, count, "f8"))


def test_several_axes(ordinary):
    i, j = index(30, 70_000), index(40, 70_000, 1)
    v = numpy.random.RandomState(2).random_sample(70_000)

    def program(np):
        h, k, m, n = np.zeros((30, 40)), np.zeros((30, 40)), np.zeros((30, 3)), np.zeros((5, 40))
        r, c, v_ = np.array(i), np.array(j), np.array(v)
        h[r, c] = v_
        k[r, c] += 1
        m[r] = [1, 2, 3]
        n[2, c] = v_
        n[3:, c] = v_
        t = np.zeros((40, 30)).T
        t[r, c] = v_
        return h, k, m, n, t, h[r, c], h[0, c]

    check(program)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(extent=st.integers(1, 9), count=st.integers(10, 60), seed=st.integers(0, 99), inside=st.integers(0, 1))
def test_small_ones(mixed, extent, count, seed, inside):
    """The row stays here, its index does not; at times an index is outside, and nothing is written."""
    i = index(extent + 1 - inside, count, seed)
    x = numpy.arange(extent) * 1.5

    def program(np):
        a, i_ = np.array(x), np.array(i)
        error = None
        try:
            a[i_] = np.arange(count) * 0.5
        except IndexError as caught:
            error = str(caught)
        return a, error

    check(program)


def test_errors(ordinary):
    i = index(30, 70_000)

    def read_only(np):
        a = np.zeros(30)
        a.flags.writeable = False
        a[np.array(i)] = 1

    def too_few(np):
        np.zeros((30, 3))[np.array(i)] = [1, 2]

    def outside(np):
        np.zeros(10)[np.array(i)] = 1

    def no_integers(np):
        np.zeros(30)[np.array(i) * 1.0] = 1

    check_all((each.__name__, each) for each in (read_only, too_few, outside, no_integers))


def test_the_index_stays_where_it_is(ordinary):
    """Less is moved when the row goes to the index."""
    i = gamelan.array(index(1000, 1_000_000))
    x = gamelan.zeros(1000)
    gamelan.sync()
    before = gamelan.stats()["fetch_bytes"]
    x[i] = 1.0
    x[i] += 1.0
    assert gamelan.stats()["fetch_bytes"] - before < 100_000
    assert numpy.asarray(x).sum() == 2000


def test_elements_that_lie_over_each_other(ordinary):
    """As NumPy writes them, one index after the other."""
    i = index(3, 70_000)

    def program(np):
        a = numpy.arange(4.0)
        windows = np.asarray(numpy.lib.stride_tricks.as_strided(a, (3, 2), (8, 8)))
        windows[np.array(i), 0] = np.arange(70_000.0)
        return a, windows

    check(program)


def test_a_key_without_axes(mixed):
    """Such an array in a key makes a copy, and a number a view."""

    def program(np):
        numbers, results = np.arange(20), []
        for key in (numbers[1, ...], numbers[1], numbers[1:3].sum()):
            x = np.arange(8.0).reshape(4, 2)
            for picked in (x[key, :], x[key], x[..., key, 1], x[None, key]):
                picked[...] = 9 if picked.ndim else 0
            x[key, 1] = 7
            results.append(x)
        return results

    check(program)
