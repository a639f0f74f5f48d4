# SPDX-License-Identifier: BSD-3-Clause
"""Files that cannot be read or written: NumPy's exceptions, at the line of the call; arrays, engines, old files and folders
are as before."""

import errno
import os
import resource
import shutil
import subprocess

import numpy
import pytest

import gamelan
from gamelan._files import _npy, _pieces, _replacing
from oracle import assert_same, check_all


@pytest.fixture
def limits():
    """The limit of file sizes of the notebook, put back afterwards."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of one megabyte that engines see too."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot mount a small file system here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_classes_are_numpys(engine, tmp_path):
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "garbage.npy").write_bytes(b"neither an array nor a pickle")
    (tmp_path / "nothing.npy").write_bytes(b"")
    numpy.save(tmp_path / "whole.npy", numpy.arange(1000))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "whole.npy").read_bytes()[:-5])
    (tmp_path / "cut_header.npy").write_bytes((tmp_path / "whole.npy").read_bytes()[:60])
    names = ["missing", "folder", "garbage", "nothing", "cut", "cut_header", "missing/below", "whole.npy/below"]
    check_all([(f"load {name}", lambda np: np.load(tmp_path / f"{name}.npy")) for name in names])
    check_all(
        [
            (f"map {name}", lambda np: np.load(tmp_path / f"{name}.npy", mmap_mode="r")[:])
            for name in ["missing", "cut", "cut_header"]
        ]
    )
    check_all(
        [
            (f"save {name}", lambda np: np.save(tmp_path / f"{name}.npy", np.arange(100)))
            for name in ["folder", "missing/below", "whole.npy/below"]
        ]
    )
    check_all([
        ("raw missing", lambda np: np.fromfile(tmp_path / "missing")), ("raw folder", lambda np: np.fromfile(tmp_path / "folder.npy")),
        ("tofile to a folder", lambda np: np.arange(100).tofile(tmp_path / "folder.npy")), ("mode", lambda np: np.load(tmp_path / "whole.npy", mmap_mode="x")),
        ("encoding", lambda np: np.load(tmp_path / "whole.npy", encoding="utf-9")), ("archive in a folder", lambda np: np.savez(tmp_path / "no" / "a", np.arange(9))),
        ("names that clash", lambda np: np.savez(tmp_path / "a", np.arange(9), arr_0=np.arange(9))),
    ])  # fmt: skip
    with pytest.raises(FileNotFoundError) as caught:
        gamelan.load(tmp_path / "missing.npy")
    assert caught.value.errno == errno.ENOENT and str(caught.value.filename).endswith("missing.npy")


def test_what_only_engines_find(engine, tmp_path):
    """A path that the notebook has and the engines have not, as on another file system: they say who and why."""
    x = gamelan.arange(5000.0) * 2
    missing = str(tmp_path / "not here")
    with pytest.raises(FileNotFoundError, match="cannot open the file") as caught:
        _pieces.write(x, missing, 0)
    assert caught.value.filename == missing and caught.value.errno == errno.ENOENT
    with pytest.raises(FileNotFoundError):
        _pieces.read(missing, 0, "f8", (5000,))
    with pytest.raises(IsADirectoryError):
        _pieces.read(str(tmp_path), 0, "f8", (5000,))
    (tmp_path / "short").write_bytes(b"1234567")
    with pytest.raises((ValueError, TypeError)):
        _pieces.read(str(tmp_path / "short"), 0, "f8", (5000,))
    assert_same(x, numpy.arange(5000.0) * 2, "untouched")
    _pieces.write(x, str(tmp_path / "short"), 0)
    assert_same(_pieces.read(str(tmp_path / "short"), 0, "f8", (5000,)), numpy.arange(5000.0) * 2, "alive")


def test_a_failed_write_spares_what_was_not_stored_yet(engine, tmp_path):
    """`work` is stored when somebody could tell the difference: also when that somebody is a file that cannot be written."""
    grid, work = gamelan.zeros((40, 50)), gamelan.arange(38 * 48.0).reshape(38, 48) * 3
    grid[1:-1, 1:-1] = work
    gamelan.sync()
    with pytest.raises(FileNotFoundError):
        _pieces.write(work, str(tmp_path / "missing"), 0)
    grid += 1
    assert_same(work, numpy.arange(38 * 48.0).reshape(38, 48) * 3, "work")
    assert_same(grid[1:-1, 1:-1], numpy.arange(38 * 48.0).reshape(38, 48) * 3 + 1, "grid")


@pytest.mark.parametrize("save", [gamelan.save, gamelan.savez])
def test_the_old_file_stays(engine, limits, save, tmp_path):
    path = tmp_path / "a.npy" if save is gamelan.save else tmp_path / "a.npz"
    save(path, gamelan.arange(10))
    before = path.read_bytes()
    limits(1 << 16)
    with pytest.raises(OSError) as caught:
        save(path, gamelan.arange(100_000))
    assert caught.value.errno == errno.EFBIG
    limits(resource.RLIM_INFINITY)
    assert path.read_bytes() == before and os.listdir(tmp_path) == [path.name]
    save(path, gamelan.arange(100_000))
    assert os.listdir(tmp_path) == [path.name]


def test_an_engine_fails_half_way(engine, monkeypatch, tmp_path):
    gamelan.save(tmp_path / "a.npy", gamelan.arange(10))
    before = (tmp_path / "a.npy").read_bytes()

    def removed(self, size):
        os.unlink(self.path)
        os.mkdir(self.path)

    monkeypatch.setattr(_replacing.Replacement, "reserve", removed)
    x = gamelan.arange(1000)
    with pytest.raises(IsADirectoryError) as caught:
        try:
            gamelan.save(tmp_path / "a.npy", x)
        finally:
            for name in os.listdir(tmp_path):
                shutil.rmtree(tmp_path / name) if name != "a.npy" else None
    assert caught.value.filename == str(tmp_path / "a.npy")
    assert (tmp_path / "a.npy").read_bytes() == before
    assert_same(x, numpy.arange(1000), "x")


def test_full_disk(engine, tiny_disk):
    gamelan.save(tiny_disk / "a.npy", gamelan.arange(1000))
    x = gamelan.ones(200_000)
    with pytest.raises(OSError) as caught:
        gamelan.save(tiny_disk / "a.npy", x)
    assert caught.value.errno == errno.ENOSPC and os.listdir(tiny_disk) == ["a.npy"]
    (tiny_disk / "raw").touch()
    with pytest.raises(OSError) as caught:
        _pieces.write(x, str(tiny_disk / "raw"), 0)  # nobody has looked for space
    assert caught.value.errno == errno.ENOSPC
    (tiny_disk / "raw").unlink()
    assert_same(gamelan.load(tiny_disk / "a.npy"), numpy.arange(1000), "old")
    assert float(x.sum()) == 200_000


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_no_permission(engine, tmp_path):
    gamelan.save(tmp_path / "a.npy", gamelan.arange(1000))
    os.chmod(tmp_path / "a.npy", 0)
    with pytest.raises(PermissionError):
        gamelan.load(tmp_path / "a.npy")
    with pytest.raises(PermissionError):
        gamelan.save(tmp_path / "a.npy", gamelan.arange(1000))


def test_modes_and_links_stay(engine, tmp_path):
    gamelan.save(tmp_path / "a.npy", gamelan.arange(10))
    os.chmod(tmp_path / "a.npy", 0o640)
    os.symlink("a.npy", tmp_path / "link.npy")
    gamelan.save(tmp_path / "link.npy", gamelan.arange(20))
    assert os.stat(tmp_path / "a.npy").st_mode & 0o777 == 0o640 and os.path.islink(tmp_path / "link.npy")
    assert_same(gamelan.load(tmp_path / "a.npy"), numpy.arange(20), "through the link")


def test_refused_by_name(engine, tmp_path):
    gamelan.save(tmp_path / "a.npy", gamelan.arange(10))
    for mode in ("r+", "c"):
        with pytest.raises(NotImplementedError, match="mmap_mode"):
            gamelan.load(tmp_path / "a.npy", mmap_mode=mode)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_an_interrupt_leaves_the_old_file(engine, monkeypatch, error, tmp_path):
    gamelan.save(tmp_path / "a.npy", gamelan.arange(10))
    before = (tmp_path / "a.npy").read_bytes()

    def write(*arguments):
        raise error

    monkeypatch.setattr(_npy, "write", write)
    with pytest.raises(error):
        gamelan.save(tmp_path / "a.npy", gamelan.arange(1000))
    assert (tmp_path / "a.npy").read_bytes() == before and os.listdir(tmp_path) == ["a.npy"]
