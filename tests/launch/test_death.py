# SPDX-License-Identifier: BSD-3-Clause
"""Engines, launchers and clients that die: what is told, how soon, and that nothing stays behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from launch_fixtures import BUILD, is_mpich, processes_of, shared_memory_of, wait_until_gone
from gamelan import launch

SOON = 5.0  # seconds in which a death must have been told


@pytest.mark.parametrize("victim", [0, 1, 3])
def test_a_killed_rank_is_named_within_seconds(runtime, victim):
    engines = launch.start(4, idle_timeout=0)
    heard = []
    engines.on_end(heard.append)
    observer = launch.connect(engines.connection_file)
    os.kill(engines.status()["processes"][victim]["pid"], signal.SIGKILL)
    begin = time.monotonic()
    ending = engines.wait(SOON)
    assert ending and time.monotonic() - begin < SOON
    named = None if is_mpich() else victim
    assert (ending.rank, ending.signal) == (named, signal.SIGKILL) and not ending.is_expected
    assert ("a rank" if is_mpich() else f"rank {victim}") in str(ending) and "SIGKILL" in str(ending) and ending.host
    assert heard == [ending]
    assert observer.wait(3) and observer.ending.rank == named, "who only connected learns the same"
    assert engines.end_cause() == str(ending)
    assert not wait_until_gone(runtime) and not shared_memory_of(engines.facts["job_family"])
    assert launch.list_all()[0]["state"] == "ended" and "SIGKILL" in launch.list_all()[0]["ending"]
    engines.stop()
    assert launch.list_all() == []


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT])
def test_other_deadly_signals_are_named(runtime, number):
    engines = launch.start(2, idle_timeout=0)
    os.kill(engines.status()["processes"][1]["pid"], number)
    ending = engines.wait(SOON)
    assert ending and ending.rank == (None if is_mpich() else 1) and ending.signal == number
    engines.stop()


def test_a_rank_that_is_asked_where_it_is_says_so_in_the_log_and_goes_on(runtime):
    engines = launch.start(2)
    end, wanted = time.monotonic() + SOON, ("run_root_loop", "run_worker_loop")  # of rank 0 and of rank 1
    while not all(name in Path(engines.log).read_text() for name in wanted):  # rank 1 may still be on its way there
        assert time.monotonic() < end, Path(engines.log).read_text()
        for process in engines.status()["processes"]:
            os.kill(process["pid"], signal.SIGUSR2)
        time.sleep(0.5)
    assert len(engines.status()["processes"]) == 2 and engines.end_cause() is None
    engines.stop()


def test_a_killed_mpiexec_takes_its_ranks_along(runtime):
    engines = launch.start(3, idle_timeout=0)
    os.kill(engines.facts["pid"], signal.SIGKILL)
    ending = engines.wait(SOON)
    assert ending and "mpiexec was killed by SIGKILL" in ending.reason
    assert not wait_until_gone(runtime, 10)
    assert not shared_memory_of(engines.facts["job_family"])
    engines.stop()


def test_a_listener_that_comes_late_is_told_at_once(runtime):
    engines = launch.start(1)
    engines.stop()
    heard = []
    engines.on_end(heard.append)
    assert heard and heard[0].is_expected


def test_engines_without_a_client_leave_in_good_order(runtime):
    engines = launch.start(2, idle_timeout=1)
    ending = engines.wait(10)
    assert ending and ending.is_expected and "no client was heard for 1 s" in ending.reason
    assert not wait_until_gone(runtime) and not shared_memory_of(engines.facts["job_family"])


def run_client(script, **variables):
    """A plain Python that imports the whole package, as a user's script does."""
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(BUILD / "python"), **variables},
    )


CLIENT = """
import os, sys, time
import gamelan as np
a = np.zeros(200_000)
a += 1
print(float(a.sum()), flush=True)
"""


def test_engines_leave_after_their_client_was_killed(runtime):
    client = run_client(CLIENT + "time.sleep(60)", GAMELAN_ENGINES="2", GAMELAN_IDLE_TIMEOUT="2")
    assert client.stdout.readline().strip() == "200000.0"
    assert len(processes_of(runtime)) == 3, "mpiexec and two ranks"
    client.kill()
    client.communicate()
    assert not wait_until_gone(runtime, 12)


def test_a_client_that_only_sleeps_keeps_its_engines(runtime):
    client = run_client(
        CLIENT + "time.sleep(9); print(float(a.sum()), flush=True)", GAMELAN_ENGINES="2", GAMELAN_IDLE_TIMEOUT="5"
    )
    out, err = client.communicate(timeout=60)
    assert out.split() == ["200000.0", "200000.0"], err


def test_the_python_error_names_rank_and_signal(runtime):
    script = (
        CLIENT
        + """
import signal
from gamelan import _session
victim = _session.engines().status()["processes"][1]["pid"]
os.kill(victim, signal.SIGKILL)
begin = time.monotonic()
try:
    for _ in range(1000):
        a += 1
        float(a.sum())
        time.sleep(0.01)
except Exception as error:
    print(type(error).__name__, time.monotonic() - begin < 5, "rank 1" in str(error) or "a rank on" in str(error), "SIGKILL" in str(error), flush=True)
    print(error, file=sys.stderr)
b = np.ones(200_000)
print(float(b.sum()), flush=True)
"""
    )
    client = run_client(script, GAMELAN_ENGINES="3", GAMELAN_LOG_BYTES="0")
    out, err = client.communicate(timeout=90)
    assert out.splitlines() == ["200000.0", "EngineLostError True True True", "200000.0"], err


def test_leftovers_of_a_dead_owner_are_swept_by_the_next_start(runtime):
    client = run_client(CLIENT + "time.sleep(60)", GAMELAN_ENGINES="2", GAMELAN_IDLE_TIMEOUT="0")
    client.stdout.readline()
    [session] = [each["session"] for each in launch.list_all()]
    client.kill()
    client.communicate()
    facts = launch.Engines.of_session(Path(runtime / session / "connection.json")).facts
    os.kill(facts["pid"], signal.SIGKILL)
    assert not wait_until_gone(runtime, 10)
    assert launch.list_all()[0]["state"] == "ended"
    engines = launch.start(1)
    assert not (runtime / session / "connection.json").exists() and not shared_memory_of(facts["job_family"])
    engines.stop()
