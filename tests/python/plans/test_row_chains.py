# SPDX-License-Identifier: BSD-3-Clause
"""Reductions and searches of rows, and what takes their results, go over some rows at a time: one step, whose values are
NumPy's, and what lives within it is never there as a whole."""

import re

import gamelan
import numpy
import pytest

import oracle


def softmax(np, a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def nearest(np, a, count=3):
    distance, columns, found = a * a, np.arange(a.shape[1]), []
    largest = 1000 if a.dtype.kind == "i" else np.inf
    for _ in range(count):
        index = distance.argmin(axis=1)
        found.append(index)
        distance = np.where(columns == index.reshape(-1, 1), largest, distance)
    return found


PROGRAMS = {
    "nearest": nearest,
    "below the largest": lambda np, a: (np.arange(a.shape[1]) < (a + 1).argmax(axis=1, keepdims=True)).sum(axis=1),
    "softmax": softmax,
    "normalised": lambda np, a: (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True),
    "centred": lambda np, a: a - a.mean(axis=1, keepdims=True),
    "scaled": lambda np, a: a / np.sqrt((a * a).sum(axis=1))[:, None],
    "above the mean": lambda np, a: (a > a.mean(axis=1)[:, None]).sum(axis=1),
    "kept on the way": lambda np, a: [m := a.max(axis=1, keepdims=True), b := a - m, b.sum(axis=1), b / 2],
}


def rows(np, dtype="f8", shape=(1013, 457)):
    return np.asarray((numpy.random.default_rng(4).random(shape) * 10).astype(dtype))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_values(engine, name, dtype):
    oracle.check(lambda np: PROGRAMS[name](np, rows(np, dtype)))


def test_three_axes_and_rows_of_a_view(engine):
    def program(np):
        x, a = rows(np, shape=(211, 43, 57)), rows(np)
        y = a[3:-4, 5:]
        return [
            x - x.mean(axis=(1, 2), keepdims=True),
            softmax(np, x.reshape(211, -1)),
            x / x.max(axis=2, keepdims=True),
            y / y.sum(axis=1)[:, None],
        ]

    oracle.check(program)


def test_searches_of_rows(engine):
    def program(np):
        x, a = rows(np, shape=(211, 43, 57)), rows(np)
        holes = np.where(a > 9.9, np.nan, np.floor(a))  # NaN is found first, else the first of equals
        short = (a * 3).astype("f2")
        first = (x - 1).argmax(axis=2)
        return [
            *nearest(np, holes[::-1, ::-3]),
            *nearest(np, a.T),
            *nearest(np, short, 2),
            (x * 2).argmin(axis=1) + x.sum(axis=1),
            first - first.max(axis=1, keepdims=True),
            a[np.arange(len(a)), nearest(np, a, 1)[0]],
        ]

    oracle.check(program)


def test_a_row_that_is_repeated_is_searched_before_it_is_written(engine):
    """Every rank reads all of it."""

    def program(np):
        a, v = rows(np, shape=(3001, 240)), rows(np, shape=(1, 240))[0]
        found = []
        for _ in range(8):
            c = np.broadcast_to(v, a.shape).argmin(axis=1)
            found += [c, (a - c[:, None]).argmin(axis=1)]
            v[...] = rows(np, shape=(1, 240))[0] - v
        return found

    oracle.check(program)


def test_between_writes(engine):
    def program(np):
        a = rows(np)
        b = a - a.max(axis=1, keepdims=True)
        a[5:900] *= 2
        c = a / a.sum(axis=1, keepdims=True)
        a -= a.mean(axis=1, keepdims=True)
        a[:, 3] = c[:, 2] + b[:, 1]
        return [a, b, c]

    oracle.check(program)


def plan_of(name, a):
    gamelan.sync()
    made = PROGRAMS[name](gamelan, a)
    return gamelan.explain(made[-1] if isinstance(made, list) else made)


# Of two steps the first stores the numbers of the columns, which every row takes.
@pytest.mark.parametrize(
    "name, steps",
    [("softmax", 1), ("normalised", 1), ("centred", 1), ("scaled", 1), ("nearest", 2), ("below the largest", 2)],
)
def test_one_step(engine, ranks, name, steps):
    if not ranks:
        pytest.skip("the model has no plans")
    plan = plan_of(name, rows(gamelan))
    assert plan.count("\nstep ") == steps and "chain of rows" in plan, plan


@pytest.mark.parametrize("name, temporaries", [("nearest", 3), ("softmax", 1)])
def test_what_lives_within_a_chain_is_there_some_rows_at_a_time(engine, ranks, name, temporaries):
    if not ranks:
        pytest.skip("the model has no plans")
    plan = plan_of(name, a := rows(gamelan, shape=(4001, 1013)))
    passing = [line for line in plan.splitlines() if "4001x1013" in line and "rows at a time" in line]
    bytes_of_them = [int(line.split(" bytes per rank")[0].split()[-1]) for line in passing]
    assert len(passing) == temporaries and max(bytes_of_them) < a.nbytes / ranks / 10, plan


def test_of_a_wide_table_the_columns_in_use_count(engine, ranks):
    """The fewer bytes of a row are read, the more rows fit in cache: the nearest of eight centres by 16 of 600 columns."""
    if not ranks:
        pytest.skip("the model has no plans")
    points, centres = rows(gamelan, shape=(16_001, 600))[:, :16], rows(gamelan, shape=(8, 16))
    gamelan.sync()
    plan = gamelan.explain(((points[:, None, :] - centres[None]) ** 2).sum(-1).argmin(1))
    assert int(re.search(r"(\d+) rows at a time", plan)[1]) > 400, plan
