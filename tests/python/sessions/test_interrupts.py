# SPDX-License-Identifier: BSD-3-Clause
"""KeyboardInterrupt at any moment: it comes at once, the arrays are those of some moment of the program, and what is
asked for next works. Outside a notebook; the kernel's own tests drive the same through Jupyter."""

import contextlib
import os
import random
import signal
import threading
import time

import pytest

import gamelan as np
from gamelan import CancelledError, _core

SOON_S = 1.0
GRACE_S = 0.5  # what is recorded and sent has so long to finish after an interrupt; the rest of it is cancelled
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
        interrupt(0.3 * chance.random())
        with pytest.raises(KeyboardInterrupt):
            while True:
                a += 1
                b += 1
        assert time.monotonic() - interrupt.at < SOON_S
        first, last = float(a.min()), float(a.max())
        assert first == last
        assert float(b.min()) == float(b.max())
        assert first - float(b[0]) in (0, 1)


def test_arrays_in_passes_of_their_own_stop_at_one_moment(interrupt):
    """The engines add to a for many turns in one pass, before the passes over b of these turns."""
    a, b = np.zeros(ELEMENTS), np.zeros(10 * ELEMENTS)
    place = np.arange(10.0 * ELEMENTS)
    program = compile("a += 1\nb[1:] = b[:-1] + 1\n" * 1_200, "program", "exec")  # no loop, so one batch
    before = lead = 0  # of a over b: an update of every interrupt that falls between the two
    for number in range(5):
        np.sync()
        interrupt(0.05 + number / 20)
        with pytest.raises(KeyboardInterrupt):
            exec(program, {"a": a, "b": b})
            np.sync()
            time.sleep(5)  # a fast machine
        assert time.monotonic() - interrupt.at < SOON_S
        first, turns = float(a.min()), float(b.max())
        assert first == float(a.max())
        assert first - turns - lead in (0, 1)
        assert bool((b == np.minimum(place, turns)).all())
        assert turns >= before
        before, lead = turns, first - turns
    if before == 0:
        pytest.skip("a machine too busy for a single turn in a third of a second")


def test_what_ran_ahead_is_finished(interrupt):
    """As with NumPy: whatever the loop has passed is computed; cancelled is only what its time was too short for."""
    finished = 0
    for number in range(5):
        b, turns = np.ones(ELEMENTS), 0
        np.sync()
        interrupt(0.3 + number / 10)
        with pytest.raises(KeyboardInterrupt):
            while True:
                b = b + 1
                turns += 1
        assert time.monotonic() - interrupt.at < SOON_S
        np.sync()  # what Python had recorded, but not sent, when it was interrupted
        try:
            first = float(b[0])
        except CancelledError:  # a busy machine
            assert time.monotonic() - interrupt.at >= GRACE_S
            continue
        assert float(b.min()) == float(b.max()) == first
        assert first - turns in (1, 2)
        finished += 1
    if finished == 0:
        pytest.skip("a machine too busy for a tenth of a second's work in half a second")


LOST = r"^Lost: interrupted before it was computed \(<string>, line \d+\)\. Compute it again; `np\.sync\(\)` in a loop keeps "


def test_what_would_take_long_is_cancelled(interrupt):
    a = np.ones(ELEMENTS)
    b = np.ones((1200, 1200))
    np.sync()
    interrupt(0.2)
    with pytest.raises(KeyboardInterrupt):
        names = {"b": b}
        exec("b = b @ b\n" * 100, names)  # no loop, so one batch
        b = names["b"]
        np.sync()
    assert time.monotonic() - interrupt.at < SOON_S
    with pytest.raises(CancelledError, match=LOST):
        float(b[0, 0])
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
    interrupt(0.1)
    with pytest.raises(KeyboardInterrupt):
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
    interrupt(0.05)
    with pytest.raises(KeyboardInterrupt):
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
        for turn in range(2_000):
            assert float(a[turn : turn + 2].sum()) == 2 * turn + 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, *outer)
        signal.signal(signal.SIGALRM, before)
    assert len(fired) > 100
