# SPDX-License-Identifier: BSD-3-Clause
"""Sessions in folders that are damaged, of another version, or on a full disk: a clear error that names what is missing; the
rest is loaded, and nothing is overwritten."""

import contextlib
import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import sys

import numpy
import pytest

import gamelan
from gamelan._saved import _folder, _manifest, _saving
from oracle import assert_same


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session"


@pytest.fixture
def saved(engine, path):
    """A session of two arrays and two values."""
    gamelan.save_session(
        path, {"a": gamelan.arange(100.0), "b": gamelan.ones((5, 7)), "n": [1, 2], "held": [gamelan.zeros(9), 3]}
    )
    return path


def loaded_but(path, missing, why):
    with pytest.warns(RuntimeWarning, match=f"{missing} .*{why}"):
        loaded = gamelan.load_session(path)
    assert list(loaded.missing) == [missing] and sorted([*loaded, missing]) == ["a", "b", "held", "n"]
    assert why in loaded.missing[missing]
    return loaded


def change(path, at, by=b"\xff"):
    with open(path, "r+b") as file:
        file.seek(at, os.SEEK_END if at < 0 else os.SEEK_SET)
        file.write(by)


def test_a_damaged_array_is_named_and_the_rest_loaded(saved):
    change(saved / "arrays/a/0", 77)
    assert_same(loaded_but(saved, "a", "arrays/a/0 is damaged")["b"], numpy.ones((5, 7)))
    with open(saved / "arrays/a/0", "r+b") as file:
        file.truncate(790)
    loaded_but(saved, "a", "arrays/a/0 is truncated")
    os.unlink(saved / "arrays/a/0")
    loaded_but(saved, "a", "No such file")


def test_a_damaged_pickle_is_named_and_the_rest_loaded(saved):
    places = {tuple(each["names"]): each for each in json.loads((saved / "manifest.json").read_text())["session"]["pickles"]}
    change(saved / "variables.pickle", places["n",]["offset"] + 3)
    loaded_but(saved, "n", "variables.pickle is damaged")
    with open(saved / "variables.pickle", "r+b") as file:
        file.truncate(places["held",]["offset"] - 1)
    with pytest.warns(RuntimeWarning, match="held .*truncated"):
        assert sorted(gamelan.load_session(saved)) == ["a", "b"]
    with pytest.warns(RuntimeWarning, match="the state of random numbers .*truncated"):
        gamelan.load_session(saved)
    os.unlink(saved / "variables.pickle")
    with pytest.warns(RuntimeWarning, match="variables.pickle is not there"):
        assert sorted(gamelan.load_session(saved)) == ["a", "b"]


def test_distributed_arrays_need_no_pickle(engine, path):
    a = gamelan.arange(100.0)
    gamelan.save_session(path, {"n": [1, 2], "a": a, "same": a, "rows": a.reshape(20, 5)[3:, ::2], "held": [a]})
    with open(path / "variables.pickle", "r+b") as file:
        file.truncate(5)
    with pytest.warns(RuntimeWarning, match="truncated"):
        loaded = gamelan.load_session(path)
    assert sorted(loaded.missing) == ["held", "n", "the state of random numbers"]
    assert_same(loaded["a"], numpy.arange(100.0))
    assert loaded["same"] is loaded["a"]
    loaded["a"][15] = -1
    assert_same(loaded["rows"], numpy.array(loaded["a"]).reshape(20, 5)[3:, ::2])
    with pytest.warns(RuntimeWarning, match="held .*truncated"):
        assert list(gamelan.load_session(path, ["a", "held"])) == ["a"]


def test_a_manifest_torn_or_changed_anywhere_loads_nothing(saved):
    whole = (saved / "manifest.json").read_bytes()
    for cut in [*range(0, len(whole), 37), len(whole) - 1]:
        (saved / "manifest.json").write_bytes(whole[:cut])
        with pytest.raises(ValueError, match="Nothing was loaded"):
            gamelan.load_session(saved)
    for at in range(0, len(whole), 41):
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        (saved / "manifest.json").write_bytes(changed)
        same = _meaning(changed) == _meaning(whole)  # white space between words
        if not same:
            with pytest.raises(ValueError, match="Nothing was loaded"):
                gamelan.load_session(saved)
    (saved / "manifest.json").write_bytes(b"[" * 100_000)
    with pytest.raises(ValueError, match="Nothing was loaded"):
        gamelan.load_session(saved)


def _meaning(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def test_another_version(saved):
    session = json.loads((saved / "manifest.json").read_text())["session"]
    session["version"] = 2
    (saved / "manifest.json").write_text(json.dumps({"session": session, "sha256": _manifest._sum_of(session)}))
    with pytest.raises(ValueError, match="version 2; this is 'gamelan session', version 1"):
        gamelan.load_session(saved)


def test_no_session(engine, tmp_path):
    with pytest.raises(FileNotFoundError):
        gamelan.load_session(tmp_path / "none")
    with pytest.raises(ValueError, match="is no saved session"):
        gamelan.load_session(tmp_path)


def test_a_class_that_is_gone_is_named(saved, tmp_path, monkeypatch):
    (tmp_path / "their_module.py").write_text("class Theirs:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    import their_module

    gamelan.save_session(saved, {"a": gamelan.arange(10), "x": their_module.Theirs(), "y": their_module.Theirs})
    del sys.modules["their_module"]
    os.unlink(tmp_path / "their_module.py")
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    with pytest.warns(RuntimeWarning, match="x .*No module named 'their_module'"):
        assert list(gamelan.load_session(saved)) == ["a"]


class Odd(BaseException):
    """As asyncio.CancelledError: no Exception."""


class FailsWhenLoaded:
    def __init__(self, error):
        self.error = error

    def __setstate__(self, state):
        raise state["error"]


class FailsWhenSaved:
    def __init__(self, error, after=0):
        self.error, self.after = error, after

    def __reduce__(self):
        self.after -= 1
        if self.after < 0:
            raise self.error
        return int, ()


@pytest.mark.parametrize("kind", [SystemExit, Odd, ValueError])
def test_a_value_that_fails_costs_no_other(engine, path, kind):
    """Whatever it raises; `after`: when it has been looked at already."""
    values = {"n": 1, "loaded": FailsWhenLoaded(kind(4)), "a": gamelan.arange(10)}
    bad = {"saved": FailsWhenSaved(kind(5)), "late": FailsWhenSaved(kind(6), after=1)}
    with pytest.warns(RuntimeWarning, match="not saved to .*: saved .a FailsWhenSaved: 5.; late .*6"):
        missing = gamelan.save_session(path, values | bad).missing
    assert missing == {"saved": "a FailsWhenSaved: 5", "late": "a FailsWhenSaved: 6"}
    with pytest.warns(RuntimeWarning, match="loaded .*4"):
        assert list(gamelan.load_session(path)) == ["n", "a"]


def test_a_second_interrupt_leaves_nothing_of_what_the_first_has_ended(tmp_path, monkeypatch):
    remove = shutil.rmtree

    def interrupted(path, **options):
        signal.raise_signal(signal.SIGINT)
        remove(path, **options)

    monkeypatch.setattr(_folder.shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), _folder.NewFolder(tmp_path / "s", _manifest.is_session) as folder:
        folder.write("part", b"123")
        raise KeyboardInterrupt
    assert not os.listdir(tmp_path)


def test_only_sessions_are_replaced(engine, tmp_path, path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder"):
        with pytest.raises(FileExistsError, match="no saved session"):
            gamelan.save_session(tmp_path / name, {"a": 1})
    with pytest.raises(FileNotFoundError, match="nowhere/session"):
        gamelan.save_session(tmp_path / "nowhere/session", {"a": 1})
    for n in range(3):
        gamelan.save_session(path, {"n": n, "a": gamelan.arange(10 + n)})
        assert gamelan.load_session(path)["n"] == n
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "session"]


@pytest.mark.parametrize("step", ["synchronise", "_synchronise_folder", "_exchange"])
def test_until_the_new_one_is_whole_the_old_one_is_there(saved, monkeypatch, step):
    def fails(*arguments):
        raise OSError(errno.EIO, "Input/output error", str(saved))

    for module in (_folder, _saving):
        if hasattr(module, step):
            monkeypatch.setattr(module, step, fails)
    with pytest.raises(OSError, match="Input/output error"):
        gamelan.save_session(saved, {"n": "new"})
    monkeypatch.undo()
    assert gamelan.load_session(saved)["n"] == [1, 2] and os.listdir(saved.parent) == ["session"]


@pytest.mark.parametrize("number, is_refused", [(errno.EIO, True), (errno.EINVAL, False)])
def test_a_folder_that_does_not_reach_the_disk(saved, monkeypatch, number, is_refused):
    """EINVAL: a file system that cannot flush folders at all."""
    synchronise = os.fsync

    def fails(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        synchronise(descriptor)

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="Input/output error") if is_refused else contextlib.nullcontext():
        gamelan.save_session(saved, {"n": "new"})
    assert gamelan.load_session(saved)["n"] == ([1, 2] if is_refused else "new") and os.listdir(saved.parent) == ["session"]


def test_without_an_exchange_of_names(saved, monkeypatch):
    monkeypatch.setattr(_folder, "_libc", object())
    gamelan.save_session(saved, {"n": "new"})
    assert gamelan.load_session(saved) == {"n": "new"} and os.listdir(saved.parent) == ["session"]


def test_a_full_disk(engine, tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot mount a small file system here: {done.stderr.strip()}")
    try:
        os.chmod(folder, 0o755)
        gamelan.save_session(folder / "s", {"n": 1, "a": gamelan.arange(1000)})
        for name, variables in (("s/arrays/a/0", {"a": gamelan.zeros(200_000)}), ("s", {"text": "x" * 2_000_000})):
            with pytest.raises(OSError) as caught:
                gamelan.save_session(folder / "s", variables)
            assert caught.value.errno == errno.ENOSPC and os.listdir(folder) == ["s"]
            assert caught.value.filename == str(folder / name)
            assert gamelan.load_session(folder / "s")["n"] == 1
    finally:
        subprocess.run(["umount", str(folder)], check=True)


PROGRAM = """
import sys
if not {has_cloudpickle}:
    sys.modules["cloudpickle"] = None
import gamelan as np
class Mine:
    pass
def f(x):
    return x + n
n, mine, plain = 2, Mine(), [1]
names = {names}
if names:
    saved = np.save_session({path!r}, {{name: globals()[name] for name in names}})
    print(saved.missing)
else:
    del f, n, mine, plain, Mine
    loaded = np.load_session({path!r})
    globals().update(loaded)
    print(sorted(loaded), loaded.not_saved, f(1), type(mine).__name__ if "mine" in loaded else "")
"""


@pytest.mark.parametrize("has_cloudpickle", [True, False])
def test_the_programs_own_functions_and_classes(tmp_path, has_cloudpickle):
    """In programs of their own, without engines: with cloudpickle all come back, without it only functions do."""
    if has_cloudpickle:
        pytest.importorskip("cloudpickle", reason="python3-cloudpickle is not installed")
    told = []
    for names in (["f", "n", "mine", "plain", "Mine"], []):
        program = PROGRAM.format(has_cloudpickle=has_cloudpickle, names=names, path=str(tmp_path / "s"))
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert not done.returncode, done.stderr
        told.append(done.stdout.strip())
    if has_cloudpickle:
        assert told == ["{}", "['Mine', 'f', 'mine', 'n', 'plain'] {} 3 Mine"]
    else:
        assert "needs cloudpickle (apt install python3-cloudpickle" in told[0] and "'Mine': \"a type: needs" in told[0]
        assert told[1].startswith("['f', 'n', 'plain'] {'mine': ") and told[1].endswith(" 3")
