# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots of a notebook's values: what is in them, that only what has changed is written, and that the engines compute
distributed arrays again."""

import math
import os
import time

import numpy
import pytest

import gamelan
from gamelan._saved import _generations, _keeping, _repeating
from gamelan._saved._sharing import GiveWay
from oracle import assert_same


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kept").mkdir(mode=0o700)
    return tmp_path / "kept"


def snapshot(variables, most_bytes=10**7, check=lambda: None):
    return _keeping.Snapshot(variables, most_bytes, check)


def test_only_what_has_changed_is_written(mixed, folder):
    shared = [1]
    variables = {"a": shared, "b": (shared,), "c": gamelan.arange(5), "far": gamelan.arange(100)}
    there = snapshot(variables).write(folder, set())
    times = {name: os.stat(folder / name).st_mtime_ns for name in os.listdir(folder) if name.endswith(".pickle")}
    time.sleep(0.02)
    variables["c"][0] = 7
    there = snapshot(variables).write(folder, there)
    after = {name: os.stat(folder / name).st_mtime_ns for name in os.listdir(folder) if name.endswith(".pickle")}
    assert len(after) == len(times) == len(there) == 4 and sum(after.get(name) == when for name, when in times.items()) == 3
    loaded = _keeping.read(folder)
    assert loaded["b"][0] is loaded["a"] and loaded["c"].tolist() == [7, 1, 2, 3, 4]
    assert list(loaded.missing) == ["far"] and "(100, <i8) was lost with the engines" in loaded.missing["far"]


def test_what_nobody_needs_makes_no_log_too_long(ranks, folder):
    if ranks == 0:
        pytest.skip("the model of the engines has no log")
    with gamelan.options(kept_bytes=10**6, distribute_from=0):
        a = gamelan.arange(200_000.0)
        large = gamelan.asarray(numpy.random.RandomState(7).random_sample(500_000))
        gamelan.sync()
        assert gamelan.stats()["log_bytes"] > 10**6
        del large
        a += 0
        gamelan.sync()  # frees it
        _keeping.Snapshot({"a": a}, 10**6, lambda: None, _repeating.KeptLog()).write(folder, set())
        loaded = _keeping.read(folder)
    assert not loaded.missing and float(loaded["a"][7]) == 7


def test_arrays_come_back_by_the_log(ranks, folder):
    if ranks == 0:
        pytest.skip("the model of the engines has no log")
    with gamelan.options(distribute_from=0):
        log, variables = _repeating.KeptLog(), {}
        a = gamelan.arange(200.0).reshape(20, 10)
        there = set()
        for turn in range(4):  # each time the log has grown, or has been rewritten
            a[turn] *= 2
            b = a + gamelan.random.default_rng(turn).random(10)
            alone = gamelan.arange(300.0)[7:290:3]
            part = (gamelan.arange(60.0) * (1 + 2j)).imag[5:]
            variables = {"a": a, "rows": a[3:, ::2], "held": {"turned": a.T}, "b": b, "alone": alone, "part": part, "n": 1}
            gamelan.sync()
            there = _keeping.Snapshot(variables, 10**7, lambda: None, log).write(folder, there)
        expected = {name: numpy.array(variables[name]) for name in ("a", "rows", "b", "alone", "part")}
        arrays = gamelan.stats()["arrays"]
        for names in (None, ["b"], None):
            loaded = _keeping.read(folder, names)
            assert not loaded.missing
            for name in loaded.keys() & expected.keys():
                assert_same(loaded[name], expected[name])
        a[:] = 0
        loaded["a"][3, 2] = -1
        assert loaded["rows"][0, 1] == -1 and loaded["held"]["turned"][2, 3] == -1
        loaded = None
        assert gamelan.stats()["arrays"] <= arrays, "nothing stays that nobody names"
        path = folder / log._about["file"]
        path.write_bytes(b"GAMLLOG1")
        loaded = _keeping.read(folder)
        assert "a" in loaded.missing and "is damaged" in loaded.missing["a"]
        os.chmod(path, 0o622)
        refused = _keeping.read(folder)
        os.unlink(path)
        gone = _keeping.read(folder)
        for loaded, why in ((refused, "can be written by others"), (gone, f"No such file or directory: {path}")):
            assert loaded["n"] == 1 and why in loaded.missing["a"]


def test_arrays_come_back_without_any_pickle(ranks, folder):
    if ranks == 0:
        pytest.skip("the model of the engines has no log")
    with gamelan.options(distribute_from=0):
        a = gamelan.arange(200.0)
        gamelan.sync()
        _keeping.Snapshot({"a": a, "n": 1, "even": a[::2]}, 10**7, lambda: None, _repeating.KeptLog()).write(folder, set())
        for path in folder.glob("*.pickle"):
            os.truncate(path, 3)
        loaded = _keeping.read(folder)
    assert_same(loaded["a"], numpy.arange(200.0))
    assert_same(loaded["even"], numpy.arange(200.0)[::2])
    assert sorted(loaded.missing) == ["n", "the state of random numbers"] and "damaged" in loaded.missing["n"]


def test_bounds(mixed):
    values = {"small": [1], "long": list(range(2_000_000)), "wide": numpy.zeros(300_000), "g": (each for each in ())}
    kept = snapshot(values, 2_000_000)
    assert list(kept.saved) == ["small"] and sorted(kept.missing) == ["g", "long", "wide"] and kept.bytes < 1000
    huge = numpy.lib.stride_tricks.as_strided(numpy.zeros(1), (10**12,), (0,))  # found before it is copied
    assert "too large" in snapshot({"huge": [huge]}).missing["huge"]
    many = snapshot({f"v{n}": numpy.zeros(1000) for n in range(10)}, 50_000)
    assert len(many.saved) == 6 and "np.config.kept_bytes" in many.missing["v9"]


class Odd(BaseException):
    """As asyncio.CancelledError: no Exception."""


class Fails:
    def __init__(self, after):
        self.after = after

    def __reduce__(self):
        self.after -= 1
        if self.after < 0:
            raise Odd("no")
        return int, ()


def test_what_raises_no_exception_is_named(mixed):
    """Else the thread that keeps a notebook's variables would end."""
    kept = snapshot({"n": 1, "at_once": Fails(0), "late": Fails(1)})
    assert list(kept.saved) == ["n"] and kept.missing == {"at_once": "a Fails: no", "late": "a Fails: no"}


def test_it_gives_way_at_once(mixed):
    calls = iter(range(10**9))

    def check():
        if next(calls) > 20:
            raise GiveWay

    for variables in ({"objects": [[] for _ in range(10**5)]}, {f"v{n}": n for n in range(100)}):
        with pytest.raises(GiveWay):
            snapshot(variables, math.inf, check)


def test_old_folders_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    old = _generations.NotebookFolder("old")
    folder = _generations.NotebookFolder("a")
    assert not folder.lock() and "process" in _generations.NotebookFolder("a").lock()
    for number in range(9):
        each = folder.path / f"2026010{number}-000000-1"
        each.mkdir()
        (each / "manifest.json").touch()
    os.utime(folder.path / "20260107-000000-1", (0, 0))
    os.utime(old.path / "notebook", (0, 0))
    os.utime(old.path, (0, 0))
    folder.remove_old()
    assert [path.name[:8] for path, _ in folder.earlier()] == ["20260108", "20260106", "20260105", "20260104"]
    assert not old.path.exists() and folder.path.exists()
    folder.end(is_found_again=False)
    assert not os.listdir(tmp_path)
