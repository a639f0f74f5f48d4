# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of rows, and what takes their results, go over some rows at a time: one step, whose values are NumPy's."""

import gamelan
import numpy
import pytest

import oracle


def softmax(np, a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


PROGRAMS = {
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


@pytest.mark.parametrize("name", ["softmax", "normalised", "centred", "scaled"])
def test_one_step(engine, ranks, name):
    if not ranks:
        pytest.skip("the model has no plans")
    a = rows(gamelan)
    gamelan.sync()
    plan = gamelan.explain(PROGRAMS[name](gamelan, a))
    assert plan.count("\nstep ") == 1 and "chain of rows" in plan, plan
