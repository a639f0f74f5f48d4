# SPDX-License-Identifier: BSD-3-Clause
"""What only a cluster of several hosts can show: nodes that fail, users that differ. On the cluster of tests/cluster."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "cluster"
sys.path.insert(0, str(FOLDER))
from cluster import Cluster, why_not  # noqa: E402

SESSION = """
import sys, time
import gamelan as np
from gamelan import _session, launch
engines = launch.start(slurm=dict(nodes=1, ranks_per_node=2, time=5))
_session.use(engines)
a = np.ones(100_000)
print("job", engines.facts["slurm_job_id"], float(a.sum()), flush=True)
deadline = time.monotonic() + 90
try:
    while time.monotonic() < deadline:
        a += 1
        float(a[0])
        time.sleep(0.1)
except np.EngineLostError as error:
    print("lost:", error, flush=True)
try:
    np.ones(200_000)
except np.EngineLostError as error:
    print("then:", error, flush=True)
"""


@pytest.fixture(scope="module")
def nodes():
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with Cluster(nodes=2, ssh=False) as up:
        yield up


def lose(nodes, how):
    """A script on the login host computes with a job on node1 until that is gone; what it then prints."""
    nodes.await_idle()
    script = nodes.popen(
        "login", ["/usr/bin/python3", "-c", SESSION], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        first = script.stdout.readline()
        assert first.startswith("job ") and "100000.0" in first, first + script.stdout.read()
        how()
        told, _ = script.communicate(timeout=100)
    finally:
        if script.poll() is None:
            script.kill()
            script.communicate()
    return first.split()[1], told


def test_a_node_without_power_is_named_though_slurm_has_not_given_it_up(nodes):
    job, told = lose(nodes, lambda: nodes.power_off("node1"))
    assert "lost:" in told and "node1" in told and f"Slurm job {job}" in told, told
    assert "then:" in told and "%engines start --slurm" in told, "no engines of this machine in their place"
    deadline = time.monotonic() + 60
    while nodes.slurm("squeue", "-h"):
        assert time.monotonic() < deadline, "the job does not end"
        time.sleep(0.5)
    gone = nodes.run("login", ["gamelan", "engines", "attach", job])
    assert gone.returncode == 1 and f"Slurm job {job}" in gone.stderr and "nothing to attach to" in gone.stderr, gone.stderr
    nodes.power_on("node1")


def test_a_node_that_slurm_gives_up_is_named(nodes):
    def end_slurmd():
        assert nodes.run("node1", ["pkill", "-9", "slurmd"]).returncode == 0

    job, told = lose(nodes, end_slurmd)
    assert f"node node1 failed (Slurm job {job})" in told, told
    deadline = time.monotonic() + 60
    while nodes.processes("node1", "gamelan-engine"):  # nobody there could end them: they leave by themselves
        assert time.monotonic() < deadline, "engines stay on a node that Slurm has given up"
        time.sleep(0.5)
    nodes.run("node1", ["slurmd"], check=True)


def test_a_job_of_another_user_is_told_to_be_theirs(nodes):
    nodes.await_idle()
    started = nodes.run("login", ["gamelan", "engines", "start", "--slurm", "-n", "1", "-t", "5"], user="player")
    assert started.returncode == 0, started.stderr
    job = nodes.slurm("squeue", "-h", "-o", "%i")
    assert nodes.run("login", ["gamelan", "engines", "attach", job], user="player").returncode == 0
    stranger = nodes.run("login", ["gamelan", "engines", "attach", job])
    assert stranger.returncode == 1 and f"Slurm job {job} belongs to player" in stranger.stderr, stranger.stderr
    path = nodes.run("login", ["gamelan", "engines", "list"], user="player").stdout.split()[-1]
    refused = nodes.run("login", ["gamelan", "engines", "attach", path])
    assert refused.returncode == 1 and "belongs to user 2001, expected 0 (you)" in refused.stderr, refused.stderr
    assert nodes.run("login", ["gamelan", "engines", "stop", job], user="player").returncode == 0


def test_engines_compute_on_while_slurms_controller_is_away(nodes):
    nodes.await_idle()
    started = nodes.run("login", ["gamelan", "engines", "start", "--slurm", "-n", "2", "-t", "5", "--session", "s"])
    assert started.returncode == 0, started.stderr
    nodes.stop_slurmctld()
    try:
        begin = time.monotonic()
        done = nodes.run(
            "login",
            ["/usr/bin/python3", "-c", "import gamelan as np; print(float(np.ones(100_000).sum()))"],
            env={"GAMELAN_CONNECT": "s"},
        )
        assert done.stdout == "100000.0\n" and time.monotonic() - begin < 30, done.stderr
        state = nodes.run("login", ["gamelan", "engines", "status", "s"])
        assert "unknown" in state.stdout and "slurmctld is down or cannot be reached" in state.stdout, state.stdout
        stop = nodes.run("login", ["gamelan", "engines", "stop", "s"])
        assert stop.returncode == 1 and "leave by themselves when no client is heard" in stop.stderr, stop.stderr
    finally:
        nodes.start_slurmctld()
    stop = nodes.run("login", ["gamelan", "engines", "stop", "s"])
    assert stop.returncode == 0, stop.stderr
    assert not nodes.processes("node1", "gamelan-engine") and not nodes.processes("node2", "gamelan-engine")
