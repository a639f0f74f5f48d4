# SPDX-License-Identifier: BSD-3-Clause
"""Looks at elements of pending arrays, one after the other: those around are fetched once, and the looks are computed here."""

import os
import subprocess
import sys
import threading
import time
import warnings

import hypothesis
import numpy
import pytest
from hypothesis import strategies

import gamelan
from gamelan import _session

ELEMENTS = 300_007
RANDOM = numpy.random.default_rng(12)
V, W = RANDOM.random(ELEMENTS), RANDOM.random(ELEMENTS) + 0.5
A, B = RANDOM.random((601, 700)), RANDOM.random((601, 700)) + 0.5


def distributed(*values):
    arrays = [gamelan.asarray(each.copy()) for each in values]
    gamelan.sync()
    return arrays


def batches(program):
    """How many batches the engines get while the program runs."""
    gamelan.stats(reset=True)
    program()
    return gamelan.stats()["batches"]


EXPRESSIONS = {
    "sum": lambda a, b: a + b,
    "chain": lambda a, b: (2.5 * a - b) / (a * b) - 1.0,
    "twice": lambda a, b: (a + b) * (a + b) - a,
    "backwards": lambda a, b: a[::-1] * b,
    "transposed": lambda a, b: a.T - b.T,
    "integers": lambda a, b: (a * 1000).astype("i8") + 7,
    "float32": lambda a, b: a.astype("f4") + b.astype("f4"),
    "roots": lambda a, b: numpy.sqrt(a) + b,
    "truths": lambda a, b: a > b,
    "broadcast": lambda a, b: a + b[:1] * 2,
    "complex": lambda a, b: a + 1j * b,
}


@pytest.mark.parametrize("values", [(V, W), (A, B)], ids=["1-d", "2-d"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_look_is_right(engine, expression, values):
    a, b = distributed(*values)
    compute = EXPRESSIONS[expression]
    expected = compute(*values)
    for k in [*range(12), 5_000, 5_001, 5_002, 5_003, -1, -2, -3, 4_095, 4_096, 4_097, 8_191, 8_192]:
        at = numpy.unravel_index(k % expected.size, expected.shape)
        seen = compute(a, b)[tuple(int(each) for each in at)]
        assert seen == expected[at] and seen.dtype == expected.dtype, (k, seen, expected[at])


@pytest.mark.parametrize("look", ["element", "item", "slice"])
def test_they_are_computed_here(engines_only, look):
    v, w = distributed(V, W)
    looks = {
        "element": lambda x, k: [x[k]],
        "item": lambda x, k: [x.item(k)],
        "slice": lambda x, k: x[k : k + 3],
    }

    def loop():
        for k in range(100, 300):
            seen = numpy.array(looks[look](2.0 * v - w, k))
            assert (seen == (2.0 * V - W)[k : k + len(seen)]).all()

    assert batches(loop) < 12


def test_looks_far_apart_fetch_little(engines_only):
    """A third of them bring 32 KiB of each operand, no more."""
    v, w = distributed(V, W)
    places = RANDOM.integers(0, ELEMENTS, 60)
    gamelan.stats(reset=True)
    for k in places:
        assert float((v + w)[int(k)]) == V[k] + W[k]
    assert gamelan.stats()["fetch_bytes"] < 60 // 2 * 2 * (32 << 10)


def test_changes_in_place_are_seen(engine):
    v, w = distributed(V, W)
    mine, other = V.copy(), W.copy()
    for k in range(40):
        if k % 5 == 4:
            v[k - 2 : k + 3] = mine[k - 2 : k + 3] = float(k)
        if k % 7 == 6:
            w += 1.0
            other += 1.0
        assert float((v * w)[k]) == mine[k] * other[k]
    assert (numpy.asarray(v) == mine).all() and (numpy.asarray(w) == other).all()


def test_a_change_through_a_view_and_a_function(engine):
    v, w = distributed(V, W)
    mine = V.copy()
    view = v[10:20]
    for k in range(10, 16):
        assert float((v + w)[k]) == mine[k] + W[k]
    view[...] = 3.0
    mine[10:20] = 3.0
    for k in range(10, 16):
        assert float((v + w)[k]) == mine[k] + W[k]
    gamelan.copyto(v, -1.0)
    for k in range(10, 16):
        assert float((v + w)[k]) == -1.0 + W[k]
    gamelan.multiply(w, 2.0, out=v)
    for k in range(10, 16):
        assert float((v + w)[k]) == 3.0 * W[k]
    v.sort()
    mine = numpy.sort(2.0 * W)
    for k in range(10, 16):
        assert float((v + w)[k]) == mine[k] + W[k]


def test_floating_point_errors_are_told_as_ever(engines_only):
    mine = V.copy()
    mine[20], mine[21], mine[22] = 0.0, numpy.inf, 1e308
    v, w = distributed(mine, W)
    with numpy.errstate(all="ignore"):
        expected = (W / mine, mine * 10.0 - mine)
    for k in range(10, 30):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numpy.testing.assert_array_equal(float((w / v)[k]), expected[0][k])
            numpy.testing.assert_array_equal(float((v * 10.0 - v)[k]), expected[1][k])
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        float((w / v)[20])
        gamelan.sync()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        x = w / v
        assert numpy.isinf(float(x[20]))
        gamelan.sync()
    assert [str(each.message) for each in told] == ["divide by zero encountered in divide"] and told[0].filename == __file__


def test_signs_of_zero_and_bits_of_small_numbers(engine):
    mine = numpy.concatenate([[-0.0, 0.0, 5e-324, -5e-324, numpy.finfo(float).max] * 20, V])
    v, w = distributed(mine, numpy.ones(len(mine)))
    for k in range(100):
        seen = numpy.array([float((v * w)[k]), float((v + w)[k]), float((v - v)[k])])
        expected = numpy.array([mine[k] * 1.0, mine[k] + 1.0, mine[k] - mine[k]])
        assert seen.tobytes() == expected.tobytes(), k


ANOTHER_PROGRAM = """
import gamelan as np
np.attach("near", writeable=True)[0:20] = -7.0
np.sync()
"""


def test_what_others_write_is_seen(engines_only):
    v, w = distributed(V, W)
    for k in range(6):
        assert float((v + w)[k]) == V[k] + W[k]
    gamelan.publish("near", v)
    try:
        environment = os.environ | {"GAMELAN_CONNECT": str(_session.engines().connection_file)}
        subprocess.run([sys.executable, "-c", ANOTHER_PROGRAM], env=environment, check=True, timeout=60)
        for k in range(6):
            assert float((v + w)[k]) == -7.0 + W[k]
    finally:
        gamelan.unpublish("near")


def test_two_places_of_one_array(engines_only):
    a, _ = distributed(A, B)

    def loop():
        for k in range(100):
            assert float((a[1:] - a[:-1])[5, k]) == A[6, k] - A[5, k]
            assert float((a[100:] * a[:501])[7, k]) == A[107, k] * A[7, k]

    assert batches(loop) < 30


def test_many_looks_stay_cheap(engine):
    """Nothing grows with the number of looks, of which each would go through all."""
    v, w = distributed(V, W)

    def seconds(looks):
        begun = time.perf_counter()
        for k in range(looks):
            float((v + w)[k % 1000])
        return time.perf_counter() - begun

    seconds(100)
    first = min(seconds(1_000) for _ in range(3))
    seconds(8_000)
    assert min(seconds(1_000) for _ in range(3)) < 4 * first


def test_many_arrays_and_threads(engine):
    v, w = distributed(V, W)
    wrong = []

    def loop(first):
        try:
            for k in range(first, first + 40):
                assert float((v - w)[k]) == V[k] - W[k]
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=loop, args=(first,)) for first in (0, 1_000, 200_000)]
    for thread in threads:
        thread.start()
    many = [v + float(k) for k in range(70)]
    gamelan.sync()
    for k, each in enumerate(many):
        for at in range(4):
            assert float((each + w)[at]) == V[at] + k + W[at]
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)


STEPS = strategies.lists(
    strategies.one_of(
        strategies.tuples(strategies.just("look"), strategies.integers(0, 40), strategies.sampled_from("+-*/")),
        strategies.tuples(strategies.just("far"), strategies.integers(0, ELEMENTS - 1), strategies.sampled_from("+-*/")),
        strategies.tuples(strategies.just("set"), strategies.integers(0, 40), strategies.floats(-2, 2)),
        strategies.tuples(strategies.just("new"), strategies.integers(0, 40), strategies.floats(0.5, 2)),
        strategies.tuples(strategies.just("sync"), strategies.none(), strategies.none()),
    ),
    min_size=5,
    max_size=40,
)


@hypothesis.given(STEPS)
@hypothesis.settings(max_examples=40, deadline=None, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
def test_any_order_of_looks_and_changes(engine, steps):
    operators = {"+": numpy.add, "-": numpy.subtract, "*": numpy.multiply, "/": numpy.true_divide}
    v, w = distributed(V, W)
    mine = V.copy()
    with numpy.errstate(all="ignore"):
        for what, at, given in steps:
            if what in ("look", "far"):
                seen = float(operators[given](v, w)[at])
                assert seen == operators[given](mine, W)[at]
            elif what == "set":
                v[at] = mine[at] = given
            elif what == "new":
                v, mine = v * given, mine * given
            else:
                gamelan.sync()
