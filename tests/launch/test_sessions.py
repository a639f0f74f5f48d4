# SPDX-License-Identifier: BSD-3-Clause
"""Session directories and connection files: what is trusted, what is swept, what is never touched."""

import contextlib
import json
import os
import socket
import threading
import time
from pathlib import Path

import pytest
from gamelan._launch import _sessions
from gamelan._launch._errors import ConnectionFileError, UnsafeDirectoryError

GOOD = {
    "version": _sessions.PROTOCOL_VERSION,
    "session": "s",
    "host": "elsewhere",
    "pid": 1,
    "ranks": 4,
    "addresses": ["tcp://10.0.0.1:5000"],
    "server_public": "",
    "client_public": "",
    "client_secret": "",
    "slurm_job_id": "",
    "fingerprint": "0",
}


def write(path, text, mode=0o600):
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_directory_open_to_others_is_refused(tmp_path):
    for mode in (0o755, 0o710, 0o701, 0o777):
        tmp_path.chmod(mode)
        with pytest.raises(UnsafeDirectoryError, match="chmod 700"):
            _sessions.make_private(tmp_path)
    tmp_path.chmod(0o700)
    assert _sessions.make_private(tmp_path) == tmp_path


def test_a_link_or_file_in_place_of_the_directory_is_refused(tmp_path):
    tmp_path.chmod(0o700)
    (tmp_path / "link").symlink_to(tmp_path)
    write(tmp_path / "file", "")
    for name in ("link", "file"):
        with pytest.raises(UnsafeDirectoryError, match="not a plain directory"):
            _sessions.make_private(tmp_path / name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_refused(tmp_path):
    tmp_path.chmod(0o700)
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(UnsafeDirectoryError, match="belongs to user 12345, expected 0"):
        _sessions.make_private(tmp_path)
    file = write(tmp_path / "c.json", json.dumps(GOOD))
    os.chown(file, 12345, -1)
    with pytest.raises(UnsafeDirectoryError, match="belongs to user 12345"):
        _sessions.read_connection(file)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "expected a JSON object"),
        ("[]", "expected a JSON object"),
        ("{", "expected a JSON object"),
        (json.dumps({**GOOD, "addresses": "x"}), "'addresses' is missing or wrong"),
        (json.dumps({key: GOOD[key] for key in GOOD if key != "ranks"}), "'ranks' is missing or wrong"),
        (json.dumps({**GOOD, "version": 99}), f"protocol 99, this client speaks {_sessions.PROTOCOL_VERSION}"),
        (
            json.dumps({**GOOD, "version": 1}),
            f"protocol 1, this client speaks {_sessions.PROTOCOL_VERSION}",
        ),  # which had no heartbeat of its own
    ],
)
def test_a_bad_connection_file_says_what_is_wrong(tmp_path, text, message):
    with pytest.raises(ConnectionFileError, match=message):
        _sessions.read_connection(write(tmp_path / "c.json", text))


def test_a_readable_connection_file_is_refused_and_an_absent_one_named(tmp_path):
    with pytest.raises(UnsafeDirectoryError, match="chmod 600"):
        _sessions.read_connection(write(tmp_path / "c.json", json.dumps(GOOD), 0o644))
    with pytest.raises(ConnectionFileError, match="gamelan engines list"):
        _sessions.read_connection(tmp_path / "absent.json")
    assert _sessions.read_connection(write(tmp_path / "d.json", json.dumps(GOOD)))["ranks"] == 4


def session(base, name, **facts):
    path = base / name
    path.mkdir(mode=0o700)
    _sessions.write_facts(path, {"session": name, "launcher": "mpiexec", "host": socket.gethostname(), **facts})
    return path


def test_sweep_takes_dead_sessions_and_nothing_else(runtime):
    me = {"pid": os.getpid(), "pid_start": _sessions.process_start(os.getpid())}
    alive = session(runtime, "alive", **me)
    elsewhere = session(runtime, "elsewhere", pid=1, pid_start=1, host="another-machine")
    foreign = runtime / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work")
    renamed = session(runtime, "renamed", pid=1, pid_start=1)
    renamed.rename(runtime / "other")
    (runtime / "file").write_text("x")
    dead = [session(runtime, f"dead{index}", pid=os.getpid(), pid_start=1) for index in range(8)]
    (dead[7] / "engine.sock").touch()
    long_ago = time.time() - 48 * 3600
    os.utime(dead[0] / "session.json", (long_ago, long_ago))
    tunnels = [runtime / "tunnel-old", runtime / "tunnel-new"]
    for path in tunnels:
        path.mkdir(mode=0o700)
        (path / "socket").touch()
    os.utime(tunnels[0], (long_ago, long_ago))
    _sessions.sweep(runtime)
    assert alive.is_dir() and elsewhere.is_dir() and (foreign / "thesis.txt").exists() and (runtime / "other").is_dir()
    assert (runtime / "file").exists()
    assert not dead[0].exists(), "older than a day"
    assert sum(path.exists() for path in dead) == 5, "the last few keep their logs"
    assert not (dead[7] / "engine.sock").exists()
    assert [path.exists() for path in tunnels] == [False, True]


def test_two_sweeps_at_once_do_not_disturb_each_other(runtime):
    from concurrent.futures import ThreadPoolExecutor

    for index in range(40):
        session(runtime, f"dead{index}", pid=os.getpid(), pid_start=1)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(_sessions.sweep, [runtime] * 4))
    assert len(list(runtime.glob("dead*/session.json"))) == 5


def test_a_session_that_is_written_to_is_removed_all_the_same(runtime):
    def note_down(directory):
        with contextlib.suppress(OSError):
            while time.monotonic() < deadline:
                _sessions.write_facts(directory, {"session": "busy", "ended": {"reason": "stopped"}})

    deadline = time.monotonic() + 20
    for _ in range(30):
        directory = _sessions.new_session(runtime, "busy")
        writers = [threading.Thread(target=note_down, args=(directory,)) for _ in range(2)]
        for writer in writers:
            writer.start()
        while not _sessions.read_facts(directory):
            time.sleep(0)
        _sessions.remove(directory)
        for writer in writers:
            writer.join()
        assert not (runtime / "busy").exists()
        _sessions.sweep(runtime)
        assert not list(runtime.iterdir())


def test_shared_memory_of_a_dead_session_is_looked_for_once(runtime, monkeypatch):
    """Its job's number may be another job's when the next sweep comes; and what the launcher wrote is not written again."""
    asked = []
    monkeypatch.setattr(_sessions, "remove_shared_memory", lambda facts: asked.append(facts["session"]))
    directory = _sessions.new_session(runtime, "gone")
    (directory / "ompi").mkdir()
    _sessions.write_facts(directory, {"session": "gone", "launcher": "mpiexec", "job_family": 7, "ended": {"reason": "killed"}})
    before = (directory / "session.json").read_bytes()
    for _ in range(3):
        _sessions.sweep(runtime)
    assert asked == ["gone"] and (directory / "session.json").read_bytes() == before


def test_a_process_id_used_again_is_no_living_session():
    start = _sessions.process_start(os.getpid())
    facts = {"launcher": "mpiexec", "host": socket.gethostname(), "pid": os.getpid()}
    assert _sessions.is_alive({**facts, "pid_start": start})
    assert not _sessions.is_alive({**facts, "pid_start": start - 1})
    assert not _sessions.is_alive({**facts, "pid_start": start, "ended": {"reason": "x"}})
    assert not _sessions.is_alive({})


def test_only_files_of_the_own_job_leave_shared_memory():
    ours, theirs = "vader_segment.testhost.0.fffe0001.0", "vader_segment.testhost.0.fffd0001.0"
    try:
        for name in (ours, theirs):
            Path("/dev/shm", name).touch()
        assert _sessions.remove_shared_memory({"job_family": 0xFFFE}) == [ours]
        assert Path("/dev/shm", theirs).exists()
        assert _sessions.remove_shared_memory({}) == []
    finally:
        for name in (ours, theirs):
            Path("/dev/shm", name).unlink(missing_ok=True)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "x" * 41, "-n", "a b", "ä"])
def test_bad_session_names_are_refused(runtime, name):
    with pytest.raises(ValueError, match="bad session name"):
        _sessions.new_session(runtime, name)


def test_a_name_is_not_given_twice_nor_over_a_folder_of_the_users(runtime):
    session(runtime, "mine", pid=os.getpid(), pid_start=_sessions.process_start(os.getpid()))
    (runtime / "photos").mkdir()
    with pytest.raises(ValueError, match="is running already"):
        _sessions.new_session(runtime, "mine")
    with pytest.raises(ValueError, match="is no session"):
        _sessions.new_session(runtime, "photos")
    session(runtime, "old", pid=os.getpid(), pid_start=1)
    assert _sessions.new_session(runtime, "old").is_dir()
