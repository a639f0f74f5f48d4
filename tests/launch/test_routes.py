# SPDX-License-Identifier: BSD-3-Clause
"""Which ways to rank 0 are tried, in which order, and what is said where there is none. tests/cluster takes them."""

import json
import os
import socket
import stat
import subprocess

import pytest
from gamelan._launch import _routes, _sessions
from gamelan._launch._errors import ConnectionFileError, LaunchError, UnsafeDirectoryError

FILE = {
    "version": _sessions.PROTOCOL_VERSION,
    "session": "s",
    "host": "node7.site",
    "pid": 1,
    "ranks": 4,
    "server_public": "",
    "client_public": "",
    "client_secret": "",
    "slurm_job_id": "12",
    "fingerprint": "0",
    "program": "/opt/gamelan-engine",
    "addresses": ["tcp://10.0.0.7:5000", "tcp://127.0.0.1:5000"],
}


@pytest.fixture
def ways(runtime, tmp_path, monkeypatch):
    """Routes for a connection file with these fields, where only these programs are on PATH."""

    def find(choice=None, programs=("srun", "ssh"), **fields):
        for name in ("srun", "ssh", "hop"):
            (tmp_path / name).unlink(missing_ok=True)
        for name in programs:
            (tmp_path / name).write_text("#!/bin/sh\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        file = tmp_path / "connection.json"
        file.write_text(json.dumps({**FILE, **fields}))
        file.chmod(0o600)
        return _routes.for_connection(file, choice)

    return find


def names(found):
    return [name for name, _ in found["routes"]]


def test_all_that_can_be_tried_is_tried_in_order(ways, runtime):
    found = ways()
    assert names(found) == ["direct", "srun relay through job 12", "ssh tunnel through node7.site"]
    (_, direct), (_, srun), (_, ssh) = found["routes"]
    assert direct == [] and srun[-3:] == ["/opt/gamelan-engine", "--relay", "127.0.0.1:5000"]
    assert {"--overlap", "--jobid=12", "--mpi=none"} < set(srun) and srun[srun.index("-w") + 1] == "node7"
    assert ssh[0] == "ssh" and ssh[-3:] == ["-W", "127.0.0.1:5000", "node7.site"] and "BatchMode=yes" in ssh
    assert found["directory"] == str(runtime) and stat.S_IMODE(os.stat(runtime).st_mode) == 0o700
    assert names(ways(slurm_job_id="")) == ["direct", "ssh tunnel through node7.site"]
    assert names(ways(programs=("ssh",))) == ["direct", "ssh tunnel through node7.site"]
    assert names(ways(programs=())) == ["direct"]
    assert ways(addresses=["tcp://10.0.0.7:5000"])["routes"][1][1][-1] == "10.0.0.7:5000"


def test_what_the_notebooks_own_job_was_given_is_not_asked_of_the_engines_job(ways, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "16")
    monkeypatch.setenv("SLURM_MEM_PER_NODE", "99999")
    monkeypatch.setenv("SLURM_CONF", "/etc/slurm/slurm.conf")
    [(_, command)] = ways("srun")["routes"]
    at = command.index("srun")
    assert command[0] == "env" and command[at + 1] == "--overlap"
    seen = subprocess.run(["/usr/bin/env", *command[1:at], "/usr/bin/env"], capture_output=True, text=True, check=True).stdout
    assert "SLURM_CONF=/etc/slurm" in seen and not {"SLURM_JOB_ID", "SLURM_CPUS_PER_TASK", "SLURM_MEM_PER_NODE"} & {
        line.partition("=")[0] for line in seen.splitlines()
    }
    monkeypatch.delenv("SLURM_JOB_ID")  # then they are the user's own wishes
    assert ways("srun")["routes"][0][1][0] == "srun"


def test_on_the_engines_own_host_nothing_but_the_straight_way(ways):
    assert ways(host=socket.gethostname()) == {"routes": [("direct", [])], "directory": ""}
    assert names(ways(host=socket.gethostname(), addresses=["ipc:///tmp/s"])) == ["direct"]


def test_a_chosen_way_is_the_only_one(ways, monkeypatch):
    assert names(ways("direct")) == ["direct"]
    assert names(ways("srun")) == ["srun relay through job 12"]
    assert names(ways("ssh")) == ["ssh tunnel through node7.site"]
    monkeypatch.setenv("GAMELAN_ROUTE", "ssh")
    monkeypatch.setenv("GAMELAN_SSH", "hop -J gate")
    [(_, command)] = ways(programs=("hop",))["routes"]
    assert command[:3] == ["hop", "-J", "gate"]


@pytest.mark.parametrize(
    "choice, fields, programs, error, words",
    [
        ("fast", {}, ("ssh",), ValueError, "expected auto, direct, srun or ssh"),
        ("srun", {"slurm_job_id": ""}, ("srun",), LaunchError, "not in a Slurm job"),
        ("srun", {}, (), LaunchError, "srun was not found"),
        ("ssh", {}, (), LaunchError, "ssh was not found"),
        ("ssh", {"addresses": ["ipc:///tmp/s"], "host": socket.gethostname()}, ("ssh",), LaunchError, "reached directly"),
        (None, {"addresses": ["ipc:///tmp/s"]}, ("ssh",), ConnectionFileError, "start them with --transport tcp"),
    ],
)
def test_ways_that_do_not_exist_are_refused(ways, choice, fields, programs, error, words):
    with pytest.raises(error, match=words):
        ways(choice, programs, **fields)


def test_a_tunnels_folder_must_be_private(ways, runtime):
    runtime.chmod(0o755)
    try:
        with pytest.raises(UnsafeDirectoryError, match="chmod 700"):
            ways()
    finally:
        runtime.chmod(0o700)


def test_the_way_is_noted_where_others_find_it(tmp_path):
    session = tmp_path / "s"
    session.mkdir(mode=0o700)
    file = session / "connection.json"
    assert _routes.noted(file) == ""
    _routes.note(file, "direct tcp://10.0.0.7:5000")
    assert _routes.noted(file) == ""  # no session of ours: nothing is written there
    (session / "session.json").write_text(json.dumps({"session": "s"}))
    _routes.note(file, "direct tcp://10.0.0.7:5000")
    assert _routes.noted(file).startswith("direct tcp://10.0.0.7:5000 (process ")
