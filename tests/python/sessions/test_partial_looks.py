# SPDX-License-Identifier: BSD-3-Clause
"""A look at a few elements of pending arrays computes these elements only; what is pending stays so until more of it is wanted."""

import threading
import warnings

import numpy
import pytest

import gamelan
import oracle
from gamelan import _core

SHAPE = (600, 701)  # large enough that a look is worth a batch of its own
RANDOM = numpy.random.default_rng(11)
A, B, ROW = RANDOM.random(SHAPE), RANDOM.random(SHAPE) + 0.5, RANDOM.random(SHAPE[1])


def inputs(np):
    arrays = [np.asarray(each.copy()) for each in (A, B, ROW)]
    if np is gamelan:
        np.sync()
    return arrays


def pending():
    return len(_core.pending()["commands"])


EXPRESSIONS = {
    "sum": lambda np, a, b, row: a + b,
    "chain": lambda np, a, b, row: (a * b - 1.0) / np.sqrt(b),
    "row": lambda np, a, b, row: (a - row) * row[::-1],
    "transposed": lambda np, a, b, row: a.T * 2 + b.T,
    "inside": lambda np, a, b, row: a[1:-1, 2:] * 0.5 + b[:-2, :-2],
    "backwards": lambda np, a, b, row: a[::-1, ::-1] + b,
    "where": lambda np, a, b, row: np.where(a > 0.5, a, row),
    "of a view": lambda np, a, b, row: ((a + b)[::2, 5:] * 3.0)[:, ::-1],
    "new axis": lambda np, a, b, row: a[:, None, :] * b[:, :, None][:, :3, :1],
    "integers": lambda np, a, b, row: (a * 1000).astype("i4") % 7,
    "complex": lambda np, a, b, row: a + 1j * b,
    "flat": lambda np, a, b, row: (a + b).reshape(-1) * 2,
}
LOOKS = {
    "element": lambda x: x[(-1,) * x.ndim],
    "item": lambda x: numpy.array(x[(3,) * x.ndim].item()),
    "corner": lambda x: x[(slice(2, 5),) * x.ndim],
    "strided": lambda x: x[:: x.shape[0] // 3][..., -2:],
    "text": lambda x: numpy.array(repr(x)),
    "picked axes": lambda x: x.T[-3:].T[:4],
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values(engine, expression, look):
    def program(np):
        x = EXPRESSIONS[expression](np, *inputs(np))
        seen = numpy.array(LOOKS[look](x))
        if np is gamelan:
            assert pending() > 0, "more than the elements was computed"
        return [seen, x]

    oracle.check(program)


def computed(program):
    """The bytes of array memory that the engines had in use at most, beside what was there before."""
    gamelan.stats(reset=True)
    before = gamelan.stats()["heap_peak"]
    program()
    return gamelan.stats()["heap_peak"] - before


def test_what_dies_is_never_computed(engines_only):
    a, b, _ = inputs(gamelan)

    def looks():
        for k in range(200):
            assert float((a * b + k)[5, 7]) == A[5, 7] * B[5, 7] + k
        assert pending() < 100, "what has died is dropped"

    assert computed(looks) < 1 << 16
    assert computed(lambda: [(x := a * b), float(x[5, 7]), gamelan.sync()]) > a.nbytes // 2, "the measure tells the difference"


def test_a_second_look_computes_all(engine):
    a, b, _ = inputs(gamelan)
    x = a + b
    assert float(x[0, 0]) == A[0, 0] + B[0, 0] and pending() > 0
    assert float(x[1, 1]) == A[1, 1] + B[1, 1] and pending() == 0


def changed_before(np):
    a, b, row = inputs(np)
    a[5] = 7.0
    x = a * b
    return [numpy.array(x[5, :3]), x]


def changed_behind(np):
    a, b, row = inputs(np)
    x = a * b
    a[5] = 7.0
    return [numpy.array(x[5, :3]), x, a]


def result_changed(np):
    a, b, row = inputs(np)
    x = a * b
    x[5] = 7.0
    x += 1.0
    return [numpy.array(x[5, :3]), x]


def changed_after_a_look(np):
    a, b, row = inputs(np)
    x = a * b
    y = x + 1
    seen = numpy.array(y[5, :3])
    x[5] = 0.0
    b[...] = 2.0
    return [seen, numpy.array(y[5, :3]), y, x, b]


def behind_a_sum(np):
    a, b, row = inputs(np)
    x = a - a.mean(axis=0)
    return [numpy.array(x[5, :3]), x]


def much_of_it(np):
    a, b, row = inputs(np)
    x = a + b
    return [numpy.array(x[::2]), x]


def a_long_chain(np):
    a, b, row = inputs(np)
    seen = []
    for _ in range(40):
        a = a * 0.99 + b * 0.01
        seen.append(float(a[5, 6]))
    return [numpy.array(seen), a]


def draws(np):
    a, b, row = inputs(np)
    x = a + np.arange(float(SHAPE[1])) + np.full(SHAPE, 2.5) + np.zeros(SHAPE)
    return [numpy.array(x[5, 100:103]), x]


def with_a_mask_of_what_is_ignored(np):
    a, b, row = inputs(np)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        x = a / (row - row)
        seen = numpy.array(x[5, :3])
        assert np is numpy or pending() > 0
        return [seen, x]


PROGRAMS = [
    with_a_mask_of_what_is_ignored,
    changed_before,
    changed_behind,
    result_changed,
    changed_after_a_look,
    behind_a_sum,
    much_of_it,
    a_long_chain,
    draws,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_programs(engine, program):
    oracle.check(program)


def test_two_arrays_one_after_the_other(engine):
    a, b, row = inputs(gamelan)
    x, y = a + b, a - row
    seen = numpy.asarray(x[:2, :2])
    assert (seen == (A + B)[:2, :2]).all() and pending() > 0
    assert (numpy.asarray(y[:2, :2]) == (A - ROW)[:2, :2]).all() and pending() > 0


def test_errors_are_raised_where_numpy_was_told_to(engines_only):
    a, b, _ = inputs(gamelan)
    zero = b * 0.0
    gamelan.sync()
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        float((a / zero)[3, 3])
        gamelan.sync()


def test_warnings_come_once_the_array_is_computed(engines_only):
    a, b, _ = inputs(gamelan)
    zero = b * 0.0
    gamelan.sync()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        x = a / zero
        assert numpy.isinf(float(x[3, 3]))
        gamelan.sync()
    assert [str(each.message) for each in told] == ["divide by zero encountered in divide"]
    assert told[0].filename == __file__ and numpy.isinf(numpy.asarray(x)).all()


def test_a_notebook_shows_an_array_before_it_is_computed(engines_only):
    from IPython.core.formatters import DisplayFormatter

    a, b, _ = inputs(gamelan)
    x = a + b
    shown, _ = DisplayFormatter().format(x)
    assert shown["text/plain"] == repr(A + B) and "text/html" in shown and pending() > 0


def test_a_long_chain_ends_in_no_deep_recursion(engine):
    a, _, _ = inputs(gamelan)
    for _ in range(1500):
        a = a + 1.0
    found = []
    threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: found.append(float(a[5, 6])))
        thread.start()
        thread.join(60)
    finally:
        threading.stack_size(0)
    expected = A[5, 6]
    for _ in range(1500):
        expected += 1.0
    assert found == [expected]


def test_a_published_array_is_read_when_it_is_asked_for(engines_only):
    a, b, _ = inputs(gamelan)
    gamelan.publish("looked at", a)
    try:
        x = a + b
        assert float(x[5, 6]) == A[5, 6] + B[5, 6] and pending() == 0
    finally:
        gamelan.unpublish("looked at")
