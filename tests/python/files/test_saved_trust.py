# SPDX-License-Identifier: BSD-3-Clause
"""No pickle that another user could have written is ever read: neither by who may write to a file or folder, nor by who may put
another one in its place."""

import hashlib
import json
import os
import pickle

import pytest

import gamelan
from gamelan._saved import _trust


class Trap:
    sprung = []

    def __reduce__(self):
        return Trap.sprung.append, ("the pickle was read",)


@pytest.fixture
def trap(engine, tmp_path):
    """A session whose pickle tells when it is read; its folder is two levels below one that this user owns."""
    outer = tmp_path / "outer"
    outer.mkdir(0o755)
    os.chmod(outer, 0o755)
    gamelan.save_session(outer / "s", {"trap": Trap(), "a": gamelan.arange(10)})
    Trap.sprung.clear()
    yield outer / "s"
    assert not Trap.sprung


def refused(path, why):
    with pytest.raises(PermissionError, match=why):
        gamelan.load_session(path)


@pytest.mark.parametrize("name", [".", "variables.pickle", "manifest.json", ".."])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_could_write_is_refused(trap, name, mode):
    place = trap / name
    os.chmod(place, os.stat(place).st_mode | mode)
    refused(trap, "can be written by others")
    os.chmod(place, os.stat(place).st_mode & ~mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", [".", "variables.pickle", "manifest.json", ".."])
def test_what_others_own_is_refused(trap, name):
    os.chown(trap / name, 65534, 65534)
    refused(trap, "belongs to another user")
    os.chown(trap / name, 0, 0)


def test_a_sticky_folder_above_is_safe_and_links_are_not(engine, tmp_path, trap):
    (tmp_path / "tmp").mkdir()
    os.chmod(tmp_path / "tmp", 0o1777)
    gamelan.save_session(tmp_path / "tmp/s", {"a": gamelan.arange(10)})
    assert list(gamelan.load_session(tmp_path / "tmp/s")) == ["a"]
    for name in ("variables.pickle", "manifest.json"):
        os.rename(trap / name, trap / "moved")
        os.symlink("moved", trap / name)
        refused(trap, "symbolic link")
        os.rename(trap / "moved", trap / name)


def test_a_link_that_is_put_there_while_the_way_is_walked(trap, tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "realpath", lambda path: os.fspath(path))
    os.symlink(trap.parent, tmp_path / "link")
    refused(tmp_path / "link/s", "symbolic link")


def test_a_pipe_is_no_file(trap):
    os.unlink(trap / "variables.pickle")
    os.mkfifo(trap / "variables.pickle", 0o600)
    refused(trap, "no file")


def test_a_folder_is_no_file(trap):
    os.unlink(trap / "manifest.json")
    (trap / "manifest.json").mkdir(0o700)
    before = len(os.listdir("/proc/self/fd"))
    refused(trap, f"this is no file: '{trap}/manifest.json'")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_forged_pickle_is_not_read(trap):
    """One of the right length, put there by who cannot write the manifest, say on a disk that turned bits."""
    data = pickle.dumps(Trap())
    about = json.loads((trap / "manifest.json").read_text())["session"]["pickles"]
    with open(trap / "variables.pickle", "r+b") as file:
        file.write(data)
    assert hashlib.sha256(data).hexdigest() not in [each["sha256"] for each in about]
    with pytest.warns(RuntimeWarning, match="trap .*damaged"):
        gamelan.load_session(trap)


def test_saving_says_that_a_place_is_not_safe(engine, tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    os.chmod(folder, 0o777)
    saved = gamelan.save_session(folder / "s", {"n": 1})
    assert "chmod go-w" in saved.refusal and str(folder) in saved.refusal and not _trust.why_refused(tmp_path)
