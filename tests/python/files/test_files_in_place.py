# SPDX-License-Identifier: BSD-3-Clause
"""Saving over a file that is there already: who else knows the old file sees the new array, as with NumPy; owner, mode and
attributes stay; and where nobody else knows it, a failure leaves the old contents."""

import errno
import os
import tempfile

import numpy
import pytest

import gamelan
from gamelan._files import _methods, _npy, _npz, _raw
from oracle import assert_same

OLD, LONG, SHORT = numpy.arange(50.0), numpy.arange(900.0) * 3, numpy.arange(7.0)
WAYS = {
    "save": (lambda np, x, path: np.save(path, x), numpy.load, ".npy"),
    "tofile": (lambda np, x, path: x.tofile(path), numpy.fromfile, ""),
    "dump": (lambda np, x, path: x.dump(path), lambda path: numpy.load(path, allow_pickle=True), ""),
    "savez": (lambda np, x, path: np.savez(path, x), lambda path: numpy.load(path)["arr_0"], ".npz"),
}


@pytest.fixture(params=WAYS)
def way(request, tmp_path):
    """How an array is written, how it is read, and the path of a file that holds OLD."""
    write, read, ending = WAYS[request.param]
    path = str(tmp_path / f"a{ending}")
    write(numpy, OLD, path)
    return write, read, path


def test_hard_links_show_the_new_array(engine, way, tmp_path):
    write, read, path = way
    os.link(path, tmp_path / "other")
    for data in (LONG, SHORT):
        write(gamelan, gamelan.array(data), path)
        assert os.path.samefile(path, tmp_path / "other") and sorted(os.listdir(tmp_path)) == sorted(
            [os.path.basename(path), "other"]
        )
        assert_same(read(str(tmp_path / "other")), data, "through the other name")


def test_an_open_file_is_read_on(engine, way):
    write, read, path = way
    with open(path, "rb") as held:
        for data in (LONG, SHORT):
            write(gamelan, gamelan.array(data), path)
            held.seek(0)
            assert_same(read(held), data, "through the open file")


def test_a_named_temporary_file(engine, way):
    write, read, path = way
    with tempfile.NamedTemporaryFile(suffix=os.path.splitext(path)[1]) as held:
        for data in (LONG, SHORT):
            write(gamelan, gamelan.array(data), held.name)
            held.seek(0)
            assert_same(read(held), data, "through its own handle")


def test_a_mapped_file_stays_as_it_was(engine, tmp_path):
    numpy.save(tmp_path / "a.npy", LONG)
    mapped = numpy.load(tmp_path / "a.npy", mmap_mode="r")
    gamelan.save(tmp_path / "a.npy", gamelan.array(SHORT))
    assert_same(numpy.array(mapped), LONG, "mapped")
    assert_same(numpy.load(tmp_path / "a.npy"), SHORT, "saved")


def test_owner_mode_and_attributes_stay(engine, way, tmp_path):
    write, read, path = way
    os.chmod(path, 0o2640)
    if os.geteuid() == 0:
        os.chown(path, 12345, 54321)
        os.chmod(path, 0o2640)
    try:
        os.setxattr(path, "user.origin", b"here")
    except OSError as error:
        assert error.errno == errno.EOPNOTSUPP
    before, attributes = os.stat(path), {name: os.getxattr(path, name) for name in os.listxattr(path)}
    write(gamelan, gamelan.array(LONG), path)
    after = os.stat(path)
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == attributes
    assert_same(read(path), LONG, "read")


@pytest.mark.parametrize("call", ["open", "fchown"])
def test_a_file_that_cannot_be_replaced_is_written_in_place(engine, way, call, monkeypatch):
    """As in a directory that may not be written, or for a file of another user."""
    write, read, path = way
    number, theirs = os.stat(path).st_ino, getattr(os, call)
    if call == "fchown":
        if os.geteuid():
            pytest.skip("only root may make a file of another user")
        os.chown(path, 12345, -1)

    def refused(first, *arguments, **keywords):
        if call == "fchown" or ".gamelan-" in str(first):
            raise PermissionError(errno.EACCES, "Permission denied")
        return theirs(first, *arguments, **keywords)

    monkeypatch.setattr(os, call, refused)
    write(gamelan, gamelan.array(SHORT), path)
    assert os.stat(path).st_ino == number and os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    assert_same(read(path), SHORT, "read")


def test_symbolic_links_are_followed(engine, way, tmp_path):
    write, read, path = way
    ending = os.path.splitext(path)[1]
    os.symlink(path, tmp_path / f"one{ending}")
    os.symlink(f"one{ending}", tmp_path / f"two{ending}")
    os.symlink("new" + ending, tmp_path / f"dangling{ending}")
    os.symlink(f"loop{ending}", tmp_path / f"loop{ending}")
    write(gamelan, gamelan.array(LONG), str(tmp_path / f"two{ending}"))
    write(gamelan, gamelan.array(SHORT), str(tmp_path / f"dangling{ending}"))
    assert all(os.path.islink(tmp_path / f"{name}{ending}") for name in ("one", "two", "dangling"))
    assert_same(read(path), LONG, "at the end of two links")
    assert_same(read(str(tmp_path / f"new{ending}")), SHORT, "where the dangling link leads")
    with pytest.raises(OSError) as caught:
        write(gamelan, gamelan.array(SHORT), str(tmp_path / f"loop{ending}"))
    assert caught.value.errno == errno.ELOOP and os.path.islink(tmp_path / f"loop{ending}")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_failure_leaves_the_old_contents(engine, way, error, is_empty, monkeypatch, tmp_path):
    write, read, path = way
    if is_empty:
        os.truncate(path, 0)
    before = open(path, "rb").read()

    def failing(*arguments, **keywords):
        raise error

    for module in (_npy, _npz, _raw):
        monkeypatch.setattr(module, "write", failing)
    monkeypatch.setattr(_methods.pickle, "dump", failing)
    monkeypatch.setattr(_npz.npy, "write_array", failing)
    with pytest.raises(error):
        write(gamelan, gamelan.array(LONG), path)
    assert open(path, "rb").read() == before and os.listdir(tmp_path) == [os.path.basename(path)]


def test_a_path_with_a_slash_at_its_end_is_a_directory(engine, tmp_path):
    with pytest.raises(IsADirectoryError):
        gamelan.array(SHORT).tofile(f"{tmp_path}/a/")
    assert os.listdir(tmp_path) == []
