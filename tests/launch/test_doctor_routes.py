# SPDX-License-Identifier: BSD-3-Clause
"""What the doctor says of the way to rank 0, to engines that run and to places where there are none."""

import json
import socket
import stat
from pathlib import Path

import pytest
from gamelan import launch
from gamelan._doctor import _route_questions
from gamelan._launch import _sessions
from launch_fixtures import BUILD


@pytest.fixture
def told(runtime, monkeypatch):
    for name in ("GAMELAN_ROUTE", "GAMELAN_SSH", "GAMELAN_CONNECT"):
        monkeypatch.delenv(name, raising=False)
    return lambda: list(_route_questions.questions())


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A connection file of another host with these addresses, which GAMELAN_CONNECT names."""

    def write(*addresses, job=""):
        file = tmp_path / "connection.json"
        file.write_text(
            json.dumps(
                {
                    "version": _sessions.PROTOCOL_VERSION,
                    "session": "far",
                    "host": "node7",
                    "pid": 1,
                    "ranks": 4,
                    "server_public": "",
                    "client_public": "",
                    "client_secret": "",
                    "slurm_job_id": job,
                    "fingerprint": "0",
                    "program": "/opt/gamelan-engine",
                    "addresses": list(addresses),
                }
            )
        )
        file.chmod(0o600)
        monkeypatch.setenv("GAMELAN_CONNECT", str(file))

    return write


def ssh_to(tmp_path, monkeypatch, line):
    """A program in ssh's place; it gets ssh's arguments."""
    program = tmp_path / "hop"
    program.write_text(f"#!/bin/sh\n{line}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("GAMELAN_SSH", str(program))


def test_engines_of_this_machine_are_reached_directly(told):
    engines = launch.start(1, idle_timeout=30)
    try:
        [(state, what, advice)] = told()
        assert state == "ok" and what.startswith(f"route: direct: rank 0 of session {engines.session} answers"), (what, advice)
    finally:
        engines.stop()


def test_a_tunnel_is_tried_to_its_end(told, elsewhere, tmp_path, monkeypatch):
    monkeypatch.setenv("GAMELAN_TRANSPORT", "tcp")
    engines = launch.start(1, idle_timeout=30)
    try:
        addresses = _sessions.read_connection(Path(engines.connection_file))["addresses"]
        port = addresses[0].rpartition(":")[2]
        elsewhere("tcp://127.0.0.1:1")  # nobody there
        ssh_to(tmp_path, monkeypatch, f"exec {BUILD}/bin/gamelan-engine --relay 127.0.0.1:{port}")
        (direct, ssh) = told()
        assert direct[0] == "warn" and "refused" in direct[2] and "another way does" in direct[2], direct
        assert ssh[0] == "ok" and "ssh tunnel through node7: rank 0 of session far answers" in ssh[1], ssh
        monkeypatch.setenv("GAMELAN_ROUTE", "ssh")
        [(state, what, _)] = told()
        assert state == "ok" and "ssh tunnel" in what
        assert "turned away" not in open(engines.log).read(), "the doctor is no stranger"
    finally:
        engines.stop()


def test_a_way_that_leads_nowhere_is_told_with_its_reason(told, elsewhere, tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other:  # takes connections, says nothing
        monkeypatch.setattr(_route_questions, "_DIRECT_SECONDS", 0.3)
        elsewhere(f"tcp://127.0.0.1:{other.getsockname()[1]}")
        ssh_to(tmp_path, monkeypatch, "echo 'Permission denied (publickey).' >&2; exit 255")
        found = told()
    assert [state for state, _, _ in found] == ["fail", "fail", "fail"], found
    assert "nothing comes" in found[0][2] and "Permission denied (publickey)." in found[1][2] and "GAMELAN_SSH" in found[2][2]


def test_what_answers_otherwise_is_not_rank_0(told, elsewhere, tmp_path, monkeypatch):
    elsewhere("tcp://127.0.0.1:1")
    monkeypatch.setenv("GAMELAN_ROUTE", "ssh")
    ssh_to(tmp_path, monkeypatch, "echo Welcome to this cluster, behave")
    assert told()[0] == ("fail", "route: ssh tunnel through node7 does not lead to session far", "somebody else listens there")


def test_choices_are_looked_at_without_engines(told, monkeypatch):
    assert told() == [("ok", "route: auto (GAMELAN_ROUTE); no engines run that it could be tried with", "")]
    monkeypatch.setenv("GAMELAN_ROUTE", "ssh")
    monkeypatch.setenv("GAMELAN_SSH", "/nowhere/ssh -J gate")
    [(state, _, advice)] = told()
    assert state == "fail" and "/nowhere/ssh was not found" in advice
    monkeypatch.setenv("GAMELAN_ROUTE", "fast")
    [(state, _, advice)] = told()
    assert state == "fail" and "expected auto, direct, srun or ssh" in advice
