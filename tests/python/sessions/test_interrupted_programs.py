# SPDX-License-Identifier: BSD-3-Clause
"""After an interrupt at any moment all arrays are those of the moment at which Python stopped, and none is lost. After a second
one, while the engines work at what the first has left, they are those of one moment between two statements of the program, or
raise CancelledError. GAMELAN_TEST_ROUNDS=300 and GAMELAN_TEST_SEED choose more and others."""

import contextlib
import os
import random
import signal
import sys
import threading
import time

import numpy
import pytest

import gamelan as np
from gamelan import CancelledError, _core
from interrupted_programs import KINDS, Program, first_state, moment, read

ROUNDS = int(os.environ.get("GAMELAN_TEST_ROUNDS", "6"))
SEED = int(os.environ.get("GAMELAN_TEST_SEED", "1"))
ELEMENTS = 60_000
LIMITS = 2000, 4000, 64 << 20  # of a batch: the recorder's
WORK_OF_A_MOMENT = 300_000_000  # on a rank
LONGEST_S = 0.25
_PACKAGE = os.path.dirname(np.__file__)
WAITING = ("look", "unique", "nonzero", "insert", "delete", "put", "place", "inv", "solve", "take", "turns")  # for a value


@pytest.fixture(autouse=True)
def real_engines(engine, ranks):
    if not ranks:
        pytest.skip("needs engines")


@pytest.fixture(autouse=True)
def interrupts():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    _core.set_cut_limits(*LIMITS, WORK_OF_A_MOMENT * _core.ranks())


def interrupted(delays, body):
    """Call `body`, and interrupt it at moments that are `delays` apart: the second one in a wait for what it has left. Comes back
    when all of them are over."""

    def send():
        for delay in delays:
            time.sleep(delay)
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    is_over = False
    try:
        sender.start()
        body()
    except KeyboardInterrupt:
        with contextlib.suppress(KeyboardInterrupt):
            if len(delays) > 1:
                np.sync()
    while not is_over:
        try:
            sender.join()
            is_over = True
        except KeyboardInterrupt:
            pass


def test_programs_mean_the_same_when_nothing_interrupts_them():
    for seed, kind in enumerate(KINDS):
        program, start = Program(seed, (kind, "iadd")), first_state(numpy, ELEMENTS)
        names, made = first_state(np, ELEMENTS), {}
        for number in range(8):
            program.run(number, np, names, made, np.random.shuffle)
        moment(program, start, 8, read(names), made, earliest=8)


def round_of(seed, names, start, chance, kinds):
    """Interrupt a program that goes on from `start`; what it leaves, in both places, is where the next one begins."""
    program, made, begun = Program(seed, kinds), {}, 0

    def run():
        nonlocal begun
        while begun < 2000:
            begun += 1
            program.run(begun - 1, np, names, made, np.random.shuffle)

    delays = [chance.uniform(0.01, LONGEST_S)] + ([chance.uniform(0.01, LONGEST_S)] if chance.random() < 0.15 else [])
    interrupted(delays, run)
    values = read(names)
    assert float((np.ones(ELEMENTS) + 1).sum()) == 2 * ELEMENTS  # what is asked for next works
    is_open = begun > 0
    has_result = begun > 0 and not program.changed_by(begun - 1)
    if has_result and begun - 1 not in made.values():  # its name was not given any more
        begun -= 1
        is_open = False
    if len(delays) == 1:
        assert all(value is not None for value in values.values())
        done, state = moment(program, start, begun, values, made, earliest=begun - is_open)
    else:
        done, state = moment(program, start, begun, values, made)
    for name in names:
        if values.get(name, names[name]) is None:
            names[name] = np.array(state[name])
        else:
            state[name] = numpy.array(names[name])
    return begun, done, sum(value is None for value in values.values()), state


@pytest.mark.parametrize("distribute_from", [0, 32_768])
def test_an_interrupt_leaves_the_arrays_of_one_moment(distribute_from):
    chance = random.Random(SEED)
    behind = lost = 0
    with np.options(distribute_from=distribute_from):
        start, names = first_state(numpy, ELEMENTS), first_state(np, ELEMENTS)
        np.sync()
        for number in range(ROUNDS):
            kinds = [kind for kind in KINDS if chance.random() < 0.4 and kind not in (WAITING if number % 3 else ())] or KINDS
            soft = chance.choice((5, 200, 2000))
            _core.set_cut_limits(soft, 2 * soft, LIMITS[2], chance.choice((10**5, 10**7, WORK_OF_A_MOMENT)))
            begun, done, missing, start = round_of(1000 * SEED + number, names, start, chance, kinds)
            behind += done < begun - 1
            lost += missing > 0
    print(f"{ROUNDS} rounds: {behind} ended more than a statement before Python did, {lost} with arrays that were not computed")


class Tripwire:
    """Raises KeyboardInterrupt at a line of the package: the `at`-th that is executed while this is entered."""

    def __init__(self, at=None):
        self.lines, self._at = 0, at

    def _trace(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self._at:
                raise KeyboardInterrupt
        return self._trace

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *error):
        sys.settrace(self._before)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("iadd", "imul")])
def test_an_interrupt_in_python_undoes_the_call(kind):
    chance = random.Random(kind)
    program, start = Program(kind, (kind,)), first_state(numpy, 6000)
    names, made = first_state(np, 6000), {}
    with Tripwire() as counting:
        program.run(0, np, names, made, np.random.shuffle)
    for _ in range(6):
        names, made, has_ended = first_state(np, 6000), {}, False
        np.sync()
        try:
            with Tripwire(chance.randrange(1, counting.lines + 2)):
                program.run(0, np, names, made, np.random.shuffle)
            has_ended = True
        except KeyboardInterrupt:
            pass
        values = read(names)
        assert all(value is not None for value in values.values())  # nothing that was there before is lost
        moment(program, start, int(has_ended), values, made, earliest=int(has_ended))


def test_a_function_of_several_commands_is_whole():
    x, ordered = np.arange(300_000.0), numpy.arange(300_000.0)
    slope = numpy.gradient(ordered)
    for delays in ([0.05], [0.15], [0.1, 0.05]):
        made = []

        def run(made=made):
            while True:
                made.append(np.gradient(x))
                made.append(np.sort(x[::-1]))

        np.sync()
        interrupted(delays, run)
        is_lost = False
        for number, array in enumerate(made):
            try:
                value = numpy.asarray(array)
            except CancelledError:
                is_lost = len(delays) > 1
                assert is_lost  # by a second interrupt only
            else:
                assert not is_lost  # what is lost is the end of the program
                assert numpy.array_equal(value, ordered if number % 2 else slope)
