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
from gamelan import _core
from unstored_programs import PROGRAMS, SHAPE, A, B, inputs


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values(engine, program):
    oracle.check(lambda np: [numpy.array(each) for each in program(np, *inputs(np))])


NUMBERS = [0.3, 1.9, 0.7, 2.0, 5.5, 1.1]  # no loop whose next turns are known


def unstored():
    return _core.stats()["unstored_arrays"]


LOOP = """
def loop(np, a, b, numbers):
    for k in numbers:
        x = (a - k) * b
        float(x.sum())
    return x
"""
SEEN = []


def loop(np, a, b):
    """The last x, which no engine stores. The lines are new ones: what is learnt of lines does not go from test to test."""
    scope = {}
    exec(LOOP, scope)
    SEEN.append(scope["loop"])
    return scope["loop"](np, a, b, NUMBERS)


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
    SEEN[-1](gamelan, a, b, NUMBERS)
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


@pytest.fixture
def large(engines_only, ranks):
    """An array that takes more than half of the memory of engines of their own."""
    heap_bytes = 64 << 20
    with engines.in_use(ranks, heap_bytes):
        yield gamelan.ones(int(0.6 * heap_bytes * ranks) // 8)


def test_a_failed_look_loses_nothing(large):
    a, b = inputs(gamelan)
    x = loop(gamelan, a, b)
    kept = []
    with pytest.raises(MemoryError):
        for k in NUMBERS:
            x = (a - k) * b
            total = x.sum()
            kept.append(large + k)
            float(total)
    assert same(x, (A - k) * B)


USES = {
    "sync": lambda x: gamelan.sync(),
    "another array": lambda x: float((x + 1.0).max()),
    "its elements": lambda x: x.tolist(),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_what_fails_before_it_is_stored_loses_nothing(large, use):
    x = loop(gamelan, *inputs(gamelan))
    assert unstored() == 1
    too_large = large + 1
    with pytest.raises(MemoryError):
        use(x)
    del too_large
    assert same(x)
    x -= 1.0
    assert same(x, LAST - 1.0)


def test_the_turn_after_it_may_change_an_operand(engines_only):
    """The first turn of a loop that is known is recorded in place this time."""

    def program(np):
        a, b = inputs(np)
        now, found = np.asarray(A + 2.0), []
        changed = np.asarray(B + 1.0)
        for turn in range(7):
            x = None
            found.append(float(b[100 * turn, 50 * turn + 7]))
            x = (a - changed) * b
            found.append(x.sum())
            for k in range(5):
                if turn < 6:
                    t = np.add(now, float(k))
                    found.append(float(t.sum()))
                    t = None
                else:
                    np.add(now, float(k), out=changed)
                    found.append(float(changed.sum()))
                    break
        return [numpy.array(each) for each in [*found, x]]

    oracle.check(program)


def test_a_base_that_may_be_large_is_let_go(engines_only):
    a, b = inputs(gamelan)
    gamelan.stats(reset=True)
    before = gamelan.stats()["heap_peak"]
    for k in NUMBERS:
        base = gamelan.full((6000, SHAPE[1]), k)
        float(base[5, 5] + base.sum())  # it is stored, and x of the turn before is not
        row = base[0]
        del base
        x = (a - row) * b
        del row
        float(x.sum())
    assert same(x)
    assert gamelan.stats()["heap_peak"] - before < 1.5 * 6000 * SHAPE[1] * 8, "never two of them"


def test_dead_arrays_are_not_stored_for_a_change(engines_only):
    a, b = inputs(gamelan)

    def step(k):
        x = (a - k) * b
        return float(x.sum())

    for k in NUMBERS:
        step(k)
    gamelan.sync()
    step(1.0)
    before = _core.stats()["recorded_commands"]
    a += 0.5
    assert _core.stats()["recorded_commands"] == before + 1


@pytest.mark.parametrize("every", [1, 5])
def test_few_are_computed_twice(engines_only, every):
    a, b = inputs(gamelan)
    before = _core.stats()["recorded_commands"]
    for turn in range(60):
        x = (a - 0.1 * turn**2) * b
        float(x.sum())
        if turn % every == every - 1:
            gamelan.sync() if every == 1 else float(x[3].sum())
    commands = _core.stats()["recorded_commands"] - before
    recorded = 60 * 3 + (0 if every == 1 else 12)
    assert recorded <= commands <= recorded + 2 * 4


def test_an_error_of_the_users_changes_nothing(x):
    with pytest.raises(IndexError):
        x[[0, 2000]]
    with pytest.raises(ValueError, match="broadcast"):
        x + gamelan.ones(3)
    assert same(x)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def interrupt_twice(pause):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timers = []
    try:
        work = gamelan.ones(200_000)
        timers.append(interrupt_after(0.2))
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1_000_000):
                work *= work[::-1]
        with pytest.raises(KeyboardInterrupt):
            timers.append(interrupt_after(pause))
            float(work[0])
            time.sleep(5)
    finally:
        for timer in timers:
            timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("pause", [0.02, 0.2])
def test_two_interrupts_lose_nothing(engines_only, pause):
    a, b = inputs(gamelan)
    x = loop(gamelan, a, b)
    assert unstored() == 1
    interrupt_twice(pause)
    a += 1.0
    assert same(x) and same(a, A + 1.0)


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
