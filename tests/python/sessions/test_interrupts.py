# SPDX-License-Identifier: BSD-3-Clause
"""KeyboardInterrupt at any moment: it comes at once, what was recorded runs behind it, so the arrays are those of the moment at
which Python stopped, and what is asked for next works. A second one cuts. Outside a notebook; the kernel's own tests drive the
same through Jupyter."""

import contextlib
import os
import random
import signal
import threading
import time

import numpy
import pytest

import gamelan as np
from gamelan import CancelledError, _core

SOON_S = 1.0
ELEMENTS = 200_000


@pytest.fixture(autouse=True)
def real_engines(engine, ranks):
    if not ranks:
        pytest.skip("needs engines")


@pytest.fixture
def interrupt():
    """interrupt(delay): this process gets SIGINT then; `interrupt.at` says when it was sent."""

    class Interrupt:
        at = None

        def __call__(self, delay):
            def send():
                self.at = time.monotonic()
                os.kill(os.getpid(), signal.SIGINT)

            self.timer = threading.Timer(delay, send)
            self.timer.start()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    it = Interrupt()
    yield it
    it.timer.join()
    signal.signal(signal.SIGINT, before)


def work(array, turns):
    for _ in range(turns):
        array *= array[::-1]


def test_in_place_updates_stop_between_two_commands(interrupt):
    """After any cut a and b are what the loop had made of them: b lags one command behind, or none."""
    chance = random.Random(1)
    for _ in range(10):
        a, b = np.zeros(ELEMENTS), np.zeros(ELEMENTS)
        np.sync()
        with pytest.raises(KeyboardInterrupt):
            interrupt(0.3 * chance.random())
            while True:
                a += 1
                b += 1
        assert time.monotonic() - interrupt.at < SOON_S
        first, last = float(a.min()), float(a.max())
        assert first == last
        assert float(b.min()) == float(b.max())
        assert first - float(b[0]) in (0, 1)


def test_arrays_in_passes_of_their_own_are_cut_at_one_moment(interrupt, capsys):
    """The engines add to a for many turns in one pass, before the passes over b of these turns. The second interrupt cuts."""
    a, b = np.zeros(ELEMENTS), np.zeros(10 * ELEMENTS)
    place = np.arange(10.0 * ELEMENTS)
    program = compile("a += 1\nb[1:] = b[:-1] + 1\n" * 1_200, "program", "exec")  # no loop, so one batch
    before = lead = 0  # of a over b: an update of every interrupt that falls between the two
    for number in range(5):
        np.sync()
        with pytest.raises(KeyboardInterrupt):
            interrupt(0.05 + number / 20)
            exec(program, {"a": a, "b": b})
            np.sync()
            time.sleep(5)  # a fast machine
        assert time.monotonic() - interrupt.at < SOON_S
        interrupt.timer.join()
        with pytest.raises(KeyboardInterrupt):
            interrupt(0.02)
            np.sync()
            time.sleep(5)
        assert time.monotonic() - interrupt.at < SOON_S
        first, turns = float(a.min()), float(b.max())
        assert first == float(a.max())
        assert first - turns - lead in (0, 1)
        assert bool((b == np.minimum(place, turns)).all())
        assert turns >= before
        before, lead = turns, first - turns
    assert "after a second interrupt arrays stand where program, line" in capsys.readouterr().err
    if before == 0:
        pytest.skip("a machine too busy for a single turn in a third of a second")


def test_what_ran_ahead_is_finished(interrupt):
    """As with NumPy: whatever the loop has passed is computed, however long that takes."""
    for number in range(5):
        b, turns = np.ones(ELEMENTS), 0
        np.sync()
        with pytest.raises(KeyboardInterrupt):
            interrupt(0.3 + number / 10)
            while True:
                b = b + 1
                turns += 1
        assert time.monotonic() - interrupt.at < SOON_S
        first = float(b[0])
        assert float(b.min()) == float(b.max()) == first
        assert first - turns in (1, 2)


@pytest.mark.parametrize("size", [300, 1200])
def test_one_interrupt_loses_no_iterate(interrupt, size):
    """Each turn needs the array of the turn before, and takes long."""
    step = numpy.linalg.qr(numpy.random.default_rng(1).random((size, size)))[0]
    there, b, turns = np.array(step), np.eye(size), 0
    np.sync()
    with pytest.raises(KeyboardInterrupt):
        interrupt(0.4)
        while True:
            b = b @ there
            turns += 1
    assert time.monotonic() - interrupt.at < SOON_S
    found = numpy.asarray(b)
    assert any(numpy.allclose(found, numpy.linalg.matrix_power(step, count)) for count in (turns, turns + 1))


def test_little_runs_ahead_of_what_takes_long(interrupt):
    """At most one product is in flight, so the next program waits for no more than that."""
    big = np.ones((1500, 1500))
    np.sync()
    start = time.monotonic()
    float((big @ big)[0, 0])
    alone = time.monotonic() - start
    turns = 0
    with pytest.raises(KeyboardInterrupt):
        interrupt(5 * alone)
        while True:
            c = big @ big  # noqa: F841
            turns += 1
    assert time.monotonic() - interrupt.at < SOON_S
    assert turns < 50
    start = time.monotonic()
    np.sync()
    assert time.monotonic() - start < 1 + 6 * alone


LOST = (
    r"^Lost: interrupted before it was computed \(<string>, line \d+\)\. Run again what made it; `np\.sync\(\)` in a loop keeps "
)


def test_a_second_interrupt_cuts_what_takes_long(interrupt, capsys):
    a = np.ones(ELEMENTS)
    b = np.ones((1000, 1000))
    np.sync()
    # No loop, so one batch. Compiled: CPython ends with SIGINT's exit code once exec of a string was interrupted, also when that was caught.
    program = compile("b = b @ b\n" * 100, "<string>", "exec")
    with pytest.raises(KeyboardInterrupt):
        interrupt(0.2)
        names = {"b": b}
        exec(program, names)
        b = names["b"]
        np.sync()
    assert time.monotonic() - interrupt.at < SOON_S
    interrupt.timer.join()
    with pytest.raises(KeyboardInterrupt):
        interrupt(0.05)
        np.sync()
        time.sleep(1)  # a fast machine
    assert time.monotonic() - interrupt.at < SOON_S
    b = names["b"]
    with pytest.raises(CancelledError, match=LOST):
        float(b[0, 0])
    assert "after a second interrupt arrays stand where <string>, line " in capsys.readouterr().err
    with pytest.raises(CancelledError, match=LOST):
        float((b + 1)[0, 0])
    assert float(a.sum()) == ELEMENTS


def test_it_comes_to_the_main_thread_while_another_waits(interrupt):
    a, b = np.ones(ELEMENTS), np.ones(ELEMENTS)
    np.sync()
    ends = []

    def other():
        work(b, 3000)
        try:
            ends.append(float(b[0]))
        except CancelledError as error:
            ends.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    work(a, 3000)
    with pytest.raises(KeyboardInterrupt):
        interrupt(0.1)
        np.sync()
        time.sleep(1)  # a fast machine
    assert time.monotonic() - interrupt.at < SOON_S
    thread.join(60)
    assert ends
    with contextlib.suppress(CancelledError):  # what the other thread recorded on the interrupted array
        np.sync()
    assert float(np.ones(10).sum()) == 10


def test_an_error_of_the_interrupted_program_is_not_the_next_ones(interrupt):
    big = np.ones(1000)
    lost = big.reshape(10, 100).dot(np.ones((100, 10)))
    _core.flush(True)
    turns = 3000
    a = np.ones(ELEMENTS)
    _core.flush(False)
    work(a, turns)
    with pytest.raises(KeyboardInterrupt):
        interrupt(0.05)
        while True:
            work(a, 100)
    assert float(np.ones(10).sum()) == 10
    assert float(lost[0, 0]) == 100


def test_signals_that_end_nothing_lose_nothing():
    """A timer that fires all the time, as a profiler's does: each read is right and the session lives."""
    a = np.arange(float(ELEMENTS))
    fired = []
    limit = time.monotonic() + 60  # the alarm of the test itself is away meanwhile

    def fire(*_):
        fired.append(1)
        if time.monotonic() > limit:
            raise TimeoutError("reads under a timer took longer than 60 s")

    before = signal.signal(signal.SIGALRM, fire)
    outer = signal.setitimer(signal.ITIMER_REAL, 0.0007, 0.0007)
    try:
        turn = 0
        while turn < 2_000 or len(fired) <= 100:  # a fast machine has made the 2,000 before the timer fired 100 times
            assert float(a[turn % 5_000 : turn % 5_000 + 2].sum()) == 2 * (turn % 5_000) + 1
            turn += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, *outer)
        signal.signal(signal.SIGALRM, before)
