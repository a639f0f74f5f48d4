# SPDX-License-Identifier: BSD-3-Clause
"""Whose engines are, by what is written down of them."""

import os
import socket

import pytest
from gamelan import launch
from gamelan._launch import _sessions

GONE = 2**22 + 1  # no process has this number


@pytest.fixture
def engines(tmp_path):
    """Engines as another process has written them down; nothing runs."""

    def noted(**facts):
        facts = {"session": "s", "launcher": "mpiexec", "host": socket.gethostname(), **facts}
        _sessions.write_facts(tmp_path, facts)
        return launch.Engines(tmp_path / "connection.json", facts)

    return noted


@pytest.mark.parametrize("host", ["here", "elsewhere"])
@pytest.mark.parametrize("owner, is_another", [("this process", False), ("gone", False), ("lives", True), ("nobody", True)])
def test_a_process_id_counts_on_its_own_host(engines, host, owner, is_another):
    pid = {"this process": os.getpid(), "gone": GONE, "lives": os.getppid(), "nobody": None}[owner]
    name = socket.gethostname() if host == "here" else host
    assert engines(host=name, owner_pid=pid)._has_other_owner() is (is_another or host == "elsewhere")


def test_an_heir_needs_all_that_start_takes(engines, monkeypatch):
    monkeypatch.setattr("gamelan._launch._by_mpiexec.start", lambda cls, *rest: engines(owner_pid=os.getpid()))
    monkeypatch.setattr("atexit.register", lambda function: None)  # nothing runs that could be stopped
    monkeypatch.setattr(launch.Engines, "_current", None)
    settings = launch.Engines.start(2).settings_for_heir()
    for given, is_taken in ((settings, True), (settings | {"new": 1}, False), ({**settings, "lease": None}, True)):
        heir = engines(owner_pid=GONE)
        heir.adopt(given, GONE)
        assert (heir._owner_pid == os.getpid()) is is_taken
    without = engines(owner_pid=GONE)
    without.adopt({name: value for name, value in settings.items() if name != "lease"}, GONE)
    assert without._owner_pid != os.getpid()
