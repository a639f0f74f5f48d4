# SPDX-License-Identifier: BSD-3-Clause
"""What a loop names only to read it at once is not stored; whenever the program asks for it after all, it has NumPy's values."""

import os
import signal
import threading
import time
import warnings

import numpy
import pytest

import engines
import gamelan
import oracle
from gamelan import _core, _session

RANDOM = numpy.random.default_rng(23)
SHAPE = (900, 701)  # more than 4 MiB
A, B = RANDOM.random(SHAPE), RANDOM.random(SHAPE) + 0.5


def inputs(np):
    arrays = [np.asarray(each.copy()) for each in (A, B)]
    if np is gamelan:
        np.sync()
    return arrays


def rebound(np, a, b):
    found = []
    for k in [0.3, 1.9, 0.7, 2.0, 5.5, 1.1]:
        shifted = (a - k) * b
        found.append(float(shifted.sum()))
    return [*found, shifted]


def read_again_later(np, a, b):
    found, total = [], np.zeros(SHAPE)
    for k in range(8):
        x = a * 1.3**k + b
        found.append(float(x.max()))
        if k % 3 == 2:
            found.append(float(x[5, 7]))
            total = total + x
    return [*found, total, x]


def operand_changes(np, a, b):
    found = []
    for k in range(8):
        x = a + b
        found.append(float(x.sum()))
        if k > 3:
            a[k] += 1.0
        found.append(float(x.min()))
    return [*found, x, a]


def result_changes(np, a, b):
    found = []
    for k in range(6):
        x = a * b
        found.append(float(x.sum()))
        if k > 2:
            x[::2] -= k
            found.append(float(x.sum()))
    return [*found, x]


def of_temporaries(np, a, b):
    found = []
    for k in range(6):
        c = np.asarray(numpy.full(SHAPE[1], float(k)))
        x = np.sqrt((a - c) ** 2 + b)
        y = x.mean(axis=1) + k
        found.append(float(y.max()))
        del c
    return [*found, x, y]


def two_names(np, a, b):
    found = []
    for k in range(6):
        x = a * (k + 1.0)
        y = x + b
        found.append(float(y.sum()))
        found.append(float((x * y).sum()))
    return [*found, x, y]


def iterate(np, a, b):
    x = a
    found = []
    for k in range(6):
        step = (x - b) * 0.5
        x = x - step
        found.append(float((step * step).sum()))
    return [*found, x, step]


def views(np, a, b):
    found = []
    for k in range(6):
        x = (a + k)[1:-1, ::-1]
        y = x.T
        found.append(float((y * 2.0).sum()))
    return [*found, x, y]


PROGRAMS = (rebound, read_again_later, operand_changes, result_changes, of_temporaries, two_names, iterate, views)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values(engine, program):
    oracle.check(lambda np: [numpy.array(each) for each in program(np, *inputs(np))])


NUMBERS = [0.3, 1.9, 0.7, 2.0, 5.5, 1.1]  # no loop whose next turns are known


def unstored():
    return _core.stats()["unstored_arrays"]


def loop(np, a, b):
    """The last x, which no engine stores."""
    for k in NUMBERS:
        x = (a - k) * b
        float(x.sum())
    return x


LAST = (A - NUMBERS[-1]) * B


@pytest.fixture
def x(engines_only):
    x = loop(gamelan, *inputs(gamelan))
    assert unstored() == 1
    return x


def same(x, expected=LAST):
    return numpy.array_equal(numpy.asarray(x), expected)


def test_it_takes_no_memory(engines_only):
    a, b = inputs(gamelan)
    loop(gamelan, a, b)
    gamelan.stats(reset=True)
    before = gamelan.stats()["heap_peak"]
    loop(gamelan, a, b)
    assert gamelan.stats()["heap_peak"] - before < A.nbytes / 2


def test_what_is_read_again_is_stored(engines_only):
    a, b = inputs(gamelan)
    for k in NUMBERS:
        x = (a - k) * b
        float(x.sum())
        float((x + 1.0).max())
        assert unstored() == 0


def test_a_large_operand_that_dies_is_let_go(engines_only):
    a, b = inputs(gamelan)
    x = loop(gamelan, a, b)
    assert unstored() == 1
    del a
    float(b.min())
    assert unstored() == 0 and same(x)


def test_a_failed_look_loses_nothing(engines_only, ranks):
    own = engines.Engines(ranks, 64 << 20)
    before = _session.engines()
    try:
        _session.use(own)
        a, b = inputs(gamelan)
        large = gamelan.ones(int(0.6 * (64 << 20) * ranks) // 8)
        x = loop(gamelan, a, b)
        kept = []
        with pytest.raises(MemoryError):
            for k in NUMBERS:
                x = (a - k) * b
                total = x.sum()
                kept.append(large + k)
                float(total)
        assert same(x, (A - k) * B)
    finally:
        _session.release()
        own.stop()
        _session.use(before)


def test_an_error_of_the_users_changes_nothing(x):
    with pytest.raises(IndexError):
        x[[0, 2000]]
    with pytest.raises(ValueError, match="broadcast"):
        x + gamelan.ones(3)
    assert same(x)


def test_an_interrupt_loses_nothing(x):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        work = gamelan.ones(200_000)
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100_000):
                work *= work[::-1]
            gamelan.sync()
        for _ in range(20_000):
            work *= work[::-1]
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))  # cuts what is behind
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            float(work[0])
            time.sleep(5)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert same(x)


def test_others_see_it(x):
    gamelan.publish("short-lived", x)
    try:
        assert unstored() == 0
        assert same(gamelan.attach("short-lived"))
    finally:
        gamelan.unpublish("short-lived")


def test_operands_that_others_may_write(engines_only):
    a, b = inputs(gamelan)
    gamelan.publish("operand", a)
    gamelan.unpublish("operand")
    x = loop(gamelan, a, b)
    assert unstored() == 0 and same(x)


def test_all_is_stored_when_it_is_timed(engines_only):
    _core.configure([("keep_unread", "1")])
    try:
        loop(gamelan, *inputs(gamelan))
        assert unstored() == 0
    finally:
        _core.configure([("keep_unread", "0")])


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_warnings_come_once(engines_only, turns):
    def program(np):
        a, b = inputs(np)
        told = []
        with numpy.errstate(all="warn"):
            for _ in range(turns):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    x = b / (a * 0.0)
                    float(x.min())
                    told.append(len(caught))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                float(x[3, 4]), float(x.max())
                told.append(len(caught))
        return told

    assert program(gamelan) == program(numpy) == [1] * turns + [0]


def change(np, x):
    x /= np.zeros(SHAPE[1])
    return x


def add_up(np, x):
    return (x / 0.0).max()


@pytest.mark.parametrize("use", [change, add_up], ids=lambda use: use.__name__)
def test_warnings_of_what_reads_it_come(engines_only, use):
    def program(np):
        x = loop(np, *inputs(np))
        assert np is numpy or unstored() == 1
        with numpy.errstate(all="warn"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = float(use(np, x).max())
        return value, [str(each.message) for each in caught]

    assert program(gamelan) == program(numpy)


def test_threads(engines_only):
    a, b = inputs(gamelan)
    found, expected, failures = {}, {}, []

    def run(name, np, x, y, found):
        try:
            found[name] = []
            for k in range(20):
                z = x * (k + name) + y
                found[name].append(float(z.max()))
                if k % 7 == 6:
                    found[name].append(float(z[3, 3]))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(name, gamelan, a, b, found)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    for name in range(3):
        run(name, numpy, A, B, expected)
    assert not failures and found == expected
