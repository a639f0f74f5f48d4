# SPDX-License-Identifier: BSD-3-Clause
"""Clients of the same engines hold their own arrays: who holds how much, and what becomes of them when one ends."""

import os
import signal
from pathlib import Path

import pytest
from clients import MB, OF_ALL, Client, wait_until

HELD = "[(name, bytes, line) for name, _, _, bytes, _, line, _ in np.arrays()]"


@pytest.mark.parametrize("ranks", [1, 3])
def test_each_sees_its_own_names_and_everybodys_bytes(start, ranks):
    engines, one, other = start(ranks)
    one("a = np.ones((250, 1000)); v = a[3:]; b = np.arange(1000.0)")
    other("c = np.zeros((1000, 1000), 'f4')")
    assert one(HELD) == str([("", 4 * MB, "line.py, line 1"), ("a", 2 * MB, "line.py, line 1"), ("b", 8000, "line.py, line 1")])
    assert one(OF_ALL) == other(OF_ALL) == str([2 * MB + 8000, 4 * MB])
    told = one("np.arrays()")
    assert f"process {other.process.pid} on" in told and "this program" in told and "250 x 1000" in told, told
    one("del b, v")
    assert "'b'" not in one(HELD)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_arrays_of_a_client_that_ends_are_freed(start, ranks):
    engines, one, other = start(ranks)
    one("a = np.ones(1_000_000); b = a * 2; c = a[5:] + 1; work = np.empty(1000); work[:] = b[:1000]")
    other("kept = np.arange(500_000.0)")
    before = other("np.status()['heap_bytes']")
    assert one.end() == ""
    assert other("len(np.arrays())") == "1" and int(before) > 20 * MB
    assert int(other("np.status()['heap_bytes']")) < 5 * MB
    assert other(OF_ALL) == str([4 * MB]) and other("float(kept.sum())") == "124999750000.0"
    assert "freed" not in engines_log(engines), "an orderly end is no event"


def engines_log(engines):
    return Path(engines.log).read_text()


def test_a_client_that_ends_at_once_leaves_nothing(start):
    engines, one, other = start(2)
    for _ in range(3):
        third = Client(engines)
        third("x = np.ones(1_000_000)")
        third.end()
    other("kept = np.arange(500_000.0)")
    assert other("len(np.arrays())") == "1"


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_killed_client_keeps_its_arrays_for_the_lease(start, ranks):
    engines, one, other = start(ranks, lease="4s")
    one("a = np.ones(1_000_000)")
    other("kept = np.arange(500_000.0)")
    one.kill()
    assert other(OF_ALL) == str([4 * MB, 8 * MB]), "nothing was said, and the lease goes on"
    wait_until(lambda: other(OF_ALL) == str([4 * MB]))
    assert other("float(kept.sum())") == "124999750000.0"
    log = engines_log(engines)
    assert log.count("its arrays are freed: 1 with 8000000 bytes") == 1 and "for 4 s (--lease)" in log, log


def test_a_client_that_comes_back_after_the_lease_computes_its_arrays_again(start):
    engines, one, other = start(2, lease="2s")
    one("a = np.random.default_rng(3).random(200_000); a += 1; b = a.copy(); total = float(a.sum())")
    other("kept = np.arange(500_000.0)")
    os.kill(one.process.pid, signal.SIGSTOP)
    wait_until(lambda: other(OF_ALL) == str([4 * MB]))
    os.kill(one.process.pid, signal.SIGCONT)
    assert one("float(a.sum()) == total, float(b.sum()) == total, numpy.array(a + b).shape") == "(True, True, (200000,))"
    error = one.end()
    assert "freed the arrays of this client: nothing was heard of it for 2 s (--lease)" in error, error
    assert "the arrays are computed again" in error, error


def test_without_a_log_a_client_that_comes_back_gets_an_error(start):
    engines, _, other = start(1, lease="2s")
    one = Client(engines, GAMELAN_LOG_BYTES="0")
    one("a = np.ones(1_000_000)")
    os.kill(one.process.pid, signal.SIGSTOP)
    other("kept = np.arange(500_000.0)")
    wait_until(lambda: other(OF_ALL) == str([4 * MB]))
    os.kill(one.process.pid, signal.SIGCONT)
    told = one("float(a.sum())")
    assert told.startswith("EngineLostError") and "--lease" in told, told
    assert one("float(np.ones(1_000_000).sum())") == "1000000.0"
    one.kill()


def test_a_silent_client_that_works_keeps_its_arrays(start):
    engines, one, other = start(1, lease="2s")
    one("import time; a = np.ones(1_000_000); time.sleep(6)")
    assert one("float(a.sum())") == "1000000.0", "a thread says that it is there"
    assert other(OF_ALL) == str([8 * MB])


KEEP = """
from gamelan import _core
def keep(**arrays):
    "What the next kernel reads of this one's state: ids, holder, mark, log."
    ids = {name: array._b.id for name, array in arrays.items()}
    np.sync()
    return ids, _core.holder(), _core.mark_log(list(ids.values())), _core.written_log(0, 0)[2]
def inherit(ids, holder, mark, log):
    "First elements; what was written since; how many arrays were taken over."
    from gamelan import _session
    from gamelan._promotion import dtype_number
    _session.ensure_engines()
    made, shared, written, taken = _core.inherit(holder, mark, log, list(ids.values()))
    float64 = dtype_number(numpy.dtype("f8"))
    global held
    held = {name: _core.own(made[there], float64, (200_000,)) for name, there in ids.items()}
    values = {name: float(array[0]) for name, array in held.items()}
    return values, sorted(name for name, there in ids.items() if there in written), taken
"""


def test_what_others_may_have_written_is_not_read_by_who_inherits(start):
    """The state was kept before an array that has a name was written, in the cell in which the kernel was killed."""
    engines, one, other = start(2, lease="10m")
    one(KEEP)
    one("a = np.ones(200_000); c = np.full(200_000, 5.0); np.publish('a', a); np.publish('c', c); b = a * 2; d = b + 1")
    state = one("keep(a=a, b=b, c=c, d=d)")
    one("a += 100; b += 1")
    one.kill()
    other(KEEP)
    assert other(f"inherit(*{state})") == str(({"a": 101.0, "b": 2.0, "c": 5.0, "d": 3.0}, ["a"], 3))


def test_who_follows_an_heir_that_was_killed_gets_what_that_one_has(start):
    engines, one = start(2, 1, lease="10m")
    one(KEEP)
    one("a = np.ones(200_000); np.publish('a', a); b = a * 2; c = b + 1")
    state = one("keep(a=a, b=b, c=c)")
    one("b += 1")
    one.kill()
    heir = Client(engines)
    heir(KEEP)
    assert heir(f"inherit(*{state})") == str(({"a": 1.0, "b": 2.0, "c": 3.0}, [], 2))
    third = Client(engines)
    third(KEEP)
    assert third(f"inherit(*{state})").startswith("EngineTimeoutError"), "the heir lives"
    heir.kill()
    assert third(f"inherit(*{state})") == str(({"a": 1.0, "b": 2.0, "c": 3.0}, [], 2))
    third.kill()


RESTORE = """
from gamelan import _core, _session, launch
from gamelan._saved import _keeping, _repeating
def keep(folder, **arrays):
    np.sync()
    _keeping.Snapshot(arrays, 10**7, lambda: None, _repeating.KeptLog()).write(__import__("pathlib").Path(folder), set())
def restore(folder, names=None):
    _session.ensure_engines()
    loaded = _keeping.read(folder, names)
    globals().update(loaded)
    return {name: float(value[0]) for name, value in loaded.items()}, loaded.missing
def start_others():
    _session.engines().stop()
    _session.release()
    _session.use(launch.start(1))
def interrupted(folder):
    def interrupt(*all): raise KeyboardInterrupt
    _session.ensure_engines()
    real, _keeping.load_groups = _keeping.load_groups, interrupt
    try:
        _keeping.read(folder)
    except KeyboardInterrupt:
        return len(np.arrays())
    finally:
        _keeping.load_groups = real
"""


@pytest.fixture
def kept(start, tmp_path):
    """Engines, and a folder with what a client left there that was killed."""
    engines, one = start(2, 1, lease="10m")
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o700)
    one(RESTORE)
    one("a = np.ones(200_000); b = a * 2; c = b + 1")
    assert one(f"keep({str(folder)!r}, a=a, b=b, c=c)") == "None"
    one.kill()
    return engines, str(folder)


def test_what_is_left_of_a_restored_state_belongs_to_the_engines_that_have_it(kept):
    engines, folder = kept
    heir = Client(engines)
    heir(RESTORE)
    assert heir(f"restore({folder!r}, ['a'])") == str(({"a": 1.0}, {}))
    assert heir("len(np.arrays())") == "3", "for who restores more"
    assert heir(f"restore({folder!r}, ['b'])") == str(({"b": 2.0}, {}))
    assert heir("start_others()") == "None"
    assert heir(f"restore({folder!r}, ['c'])") == str(({"c": 3.0}, {}))
    heir.end()


def test_what_an_interrupted_restore_took_over_is_there_for_the_next(kept):
    engines, folder = kept
    heir = Client(engines)
    heir(RESTORE)
    assert heir(f"interrupted({folder!r})") == "3"
    assert heir(f"restore({folder!r})") == str(({"a": 1.0, "b": 2.0, "c": 3.0}, {}))
    assert heir("len(np.arrays())") == "3", "nothing stays that nobody has"
    told = heir.end()
    assert told.count("3 arrays lie on the engines as the earlier kernel left them") == 1 and "compute" not in told, told
