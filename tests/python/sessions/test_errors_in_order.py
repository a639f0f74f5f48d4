# SPDX-License-Identifier: BSD-3-Clause
"""An error that the engines meet while Python is ahead: no later line has run, the next line that records raises it and names the
line at fault, and what comes after works. And options of one client are no other's."""

import inspect
import json
import os
import random
import subprocess
import sys

import numpy
import pytest

import engines
import gamelan as np
from gamelan import _core, _session

HEAP_BYTES = 64 << 20  # of one rank
ELEMENTS = 200_000


@pytest.fixture
def memory(engine, ranks):
    """Engines of their own with little memory; the number of bytes of all together."""
    if not ranks:
        pytest.skip("needs engines")
    with engines.in_use(ranks, HEAP_BYTES):
        info = json.loads(_core.info())
        yield info["heap_bytes_per_rank"] * info["ranks"]


def filled(memory, share=0.4):
    """Two arrays that leave room for half of a third one."""
    half = np.ones(int(memory * share) // 8)
    other = half + 1
    np.sync()
    return half, other


def test_a_loop_ends_in_the_turn_that_finds_no_memory(memory):
    half, other = filled(memory)
    a, kept = np.zeros(ELEMENTS), []
    with pytest.raises(MemoryError, match="engines") as failed:
        for turn in range(2000):
            if turn == 10:
                kept.append(half + other)
                guilty = inspect.currentframe().f_lineno - 1
            a += 1
    assert (turn, float(a[0]), float(a.max())) == (10, 10.0, 10.0)
    assert failed.value.line == guilty


@pytest.mark.parametrize("limit", [1, 3, 20, 2000])
def test_what_was_sent_behind_an_error_does_not_run(memory, limit):
    """One line, so that it does not wait for the memory: batches of `limit` commands are behind the one that fails."""
    half, other = filled(memory)
    a, before = np.zeros(ELEMENTS), (2000, 4000, 64 << 20)
    line = "a += 1; a += 1; big = half + other; " + "a += 1; " * 40 + "late = a * 2; np.sync()"
    for round in range(3):
        names = {"a": a, "half": half, "other": other, "np": np}
        _core.set_cut_limits(limit, limit, before[2])
        try:
            with pytest.raises(MemoryError, match=r"\] add .*one_line(:|, line )1"):
                exec(compile(line, "one_line", "exec"), names)
        finally:
            _core.set_cut_limits(*before)
        assert float(a.min()) == float(a.max()) == 2 * (round + 1)
        for name in {"big", "late"} & set(names):
            with pytest.raises(MemoryError):
                float(names[name][0])
        del names
        assert float((half[:10] + 1).sum()) == 20


def test_an_array_that_is_missing_is_told_where_it_is_used(memory):
    half, other = filled(memory)
    a, names = np.zeros(ELEMENTS), {"np": np, "half": half, "other": other}
    with pytest.raises(MemoryError):
        exec("big = half + other; np.sync()", names)
    recorded = _core.stats()["recorded_commands"]
    for use in (lambda: names["big"] + 1, lambda: names["big"].__iadd__(1), lambda: a.__iadd__(names["big"][:ELEMENTS])):
        with pytest.raises(MemoryError):
            use()
    assert _core.stats()["recorded_commands"] == recorded
    assert float(a.sum()) == 0


CHANGES = (
    lambda m, x, y: x.__iadd__(y),
    lambda m, x, y: x.__setitem__(slice(1, None), x[:-1] + 1),
    lambda m, x, y: x.__isub__(y[::-1] % 7),
    lambda m, x, y: m.add(y, 3, out=x),
    lambda m, x, y: x.__setitem__(y % 3 == 0, 5),
)


def test_random_programs_stand_where_the_memory_ended(memory):
    chance = random.Random(int(os.environ.get("GAMELAN_TEST_SEED", "1")))
    half, other = filled(memory)
    for _ in range(int(os.environ.get("GAMELAN_TEST_ROUNDS", "6"))):
        seed, last, soft = chance.random(), chance.randrange(60), chance.choice((2, 7, 2000))
        arrays = [np.arange(ELEMENTS) + number for number in range(3)]
        expected = [numpy.arange(ELEMENTS) + number for number in range(3)]
        np.sync()
        _core.set_cut_limits(soft, 2 * soft, 64 << 20)
        program, done = random.Random(seed), 0
        with pytest.raises(MemoryError):
            for number in range(100):
                if number == last:
                    big = half + other  # noqa: F841
                program.choice(CHANGES)(np, program.choice(arrays), program.choice(arrays))
                done += 1
        _core.set_cut_limits(2000, 4000, 64 << 20)
        assert done == last
        program = random.Random(seed)
        for _ in range(done):
            program.choice(CHANGES)(numpy, program.choice(expected), program.choice(expected))
        for array, right in zip(arrays, expected):
            assert numpy.array_equal(numpy.asarray(array), right), (seed, last, soft)


OTHER_CLIENT = """
import sys
import gamelan as np
from gamelan import _core
a = np.ones(300_000)
float(a.sum())
_core.configure([("keep_unread", "1"), ("disable_passes", "fuse")])
a + 1
np.sync()
print("set", flush=True)
sys.stdin.read()
"""


def test_options_of_one_client_are_no_others(engine, ranks):
    if not ranks:
        pytest.skip("needs engines")
    a = np.ones(300_000)
    steps = lambda: _session.status()["steps"]  # noqa: E731
    environment = os.environ | {"GAMELAN_CONNECT": str(_session.engines().connection_file)}
    with subprocess.Popen(
        [sys.executable, "-c", OTHER_CLIENT], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "set\n"
        np.sync()
        before = steps()
        a + 1  # nobody reads it
        np.sync()
        assert steps() == before
        _core.configure([("keep_unread", "1")])
        a + 1
        np.sync()
        assert steps() > before
        _core.configure([("keep_unread", "0")])
        other.stdin.close()


def test_an_unknown_option_is_refused(engine, ranks):
    if not ranks:
        pytest.skip("needs engines")
    for name, value in (("no_such", "1"), ("disable_passes", "no_such"), ("compile", "maybe")):
        with pytest.raises(ValueError, match="configure"):
            _core.configure([(name, value)])
    assert float(np.ones(10).sum()) == 10
