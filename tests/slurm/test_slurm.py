# SPDX-License-Identifier: BSD-3-Clause
"""Engines as a job of a real Slurm: submitted, waited for, used over an encrypted connection, ended."""
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from slurm_cluster import BUILD, COMMAND, CPUS, slurm, wait_for
from gamelan import _sessions, launch
from gamelan._launch_errors import SlurmError, StartError
from gamelan._slurm import SlurmRequest

ASK = SlurmRequest(minutes=5)
CLIENT = """
import gamelan as np
a = np.arange(300_000.0)
print(float((a * 2).sum()), np.stats()["ranks"])
"""


def compute(connection_file):
    return subprocess.run([sys.executable, "-c", CLIENT], capture_output=True, text=True, timeout=60, check=False, env={
        **os.environ, "PYTHONPATH": str(BUILD / "python"), "GAMELAN_CONNECT": str(connection_file)})


def test_a_job_is_submitted_used_over_curve_and_cancelled(sessions):
    told = []
    engines = launch.start(3, ASK, on_progress=told.append)
    job = engines.facts["slurm_job_id"]
    assert told[0] == f"submitted job {job}" and any(f"job {job}: " in line for line in told[1:])
    path = Path(engines.connection_file)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    connection = _sessions.read_connection(path)
    assert connection["slurm_job_id"] == job and connection["ranks"] == 3
    assert all(address.startswith("tcp://") for address in connection["addresses"])
    assert len(connection["server_public"]) == len(connection["client_secret"]) == 40
    done = compute(path)
    assert done.stdout.split() == [str(float(300_000 * 299_999)), "3"], done.stderr
    assert engines.status()["state"] == "running"
    engines.stop()
    assert job not in slurm("squeue", "-h", "-o", "%i").split() and not path.parent.exists()


def test_the_command_line_does_the_same(sessions):
    def run(*arguments):
        return subprocess.run([str(COMMAND), "engines", *arguments], capture_output=True, text=True, timeout=60,
                              check=False)
    started = run("start", "--slurm", "-n", "2", "-N", "1", "-p", "debug", "-t", "5", "--sbatch", "--comment='two words'",
                  "--session", "cli")
    assert started.returncode == 0, started.stderr
    assert "submitted job" in started.stderr
    [path] = [line.partition("=")[2] for line in started.stdout.splitlines() if line.startswith("export GAMELAN_CONNECT=")]
    [job] = slurm("squeue", "-h", "-o", "%i").split()
    assert f"slurm {job}" in run("list").stdout and "running" in run("status", "cli").stdout
    assert compute(path).stdout.split()[1] == "2"
    assert run("stop", "cli").returncode == 0
    assert run("list").stdout == "no sessions\n"


def test_a_full_cluster_is_waited_for_and_told(sessions):
    blocker = slurm("sbatch", "--parsable", f"-n{CPUS}", "-o/dev/null", "--wrap", "sleep 60").strip()
    told = []
    try:
        with pytest.raises(StartError, match="did not serve within 4 s"):
            launch.start(2, ASK, timeout=4, on_progress=told.append)
    finally:
        slurm("scancel", blocker)
    assert any("pending" in line and "(" in line for line in told), told
    assert launch.list_all() == []


def test_an_interrupted_wait_cancels_the_job(sessions):
    def interrupt(line):
        if "job" in line and "submitted" not in line:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        launch.start(2, ASK, on_progress=interrupt)
    assert launch.list_all() == []


def test_slurms_refusals_come_through(sessions):
    with pytest.raises(SlurmError, match="(?i)refused the job.*partition"):
        launch.start(2, SlurmRequest(partition="nowhere"))
    with pytest.raises(SlurmError, match="unrecognized option|invalid option"):
        launch.start(2, SlurmRequest(extra="--no-such-option"))
    with pytest.raises(SlurmError, match="cannot read the sbatch options"):
        launch.start(2, SlurmRequest(extra="'open"))
    assert launch.list_all() == []


def test_a_job_that_fails_is_quoted(sessions, monkeypatch):
    engine = sessions / "engine"
    engine.write_text("#!/bin/sh\necho the tuning fork is missing >&2\nexit 3\n")
    engine.chmod(0o755)
    monkeypatch.setenv("GAMELAN_ENGINE", str(engine))
    with pytest.raises(StartError, match="(?s)FAILED.*tuning fork"):
        launch.start(2, ASK)
    assert launch.list_all() == []


def test_a_killed_rank_ends_the_job_and_is_named(sessions):
    engines = launch.start(3, ASK)
    victim = find_rank(engines, 1)
    os.kill(victim, signal.SIGKILL)
    ending = engines.wait(10)
    assert ending and ending.rank == 1 and ending.signal == signal.SIGKILL, ending
    assert "Slurm job" in str(ending)
    assert not Path(engines.connection_file).exists()
    engines.stop()


def find_rank(engines, rank):
    """The process of a rank of a job that runs on this machine."""
    wanted = {b"SLURM_JOB_ID=" + engines.facts["slurm_job_id"].encode(), b"SLURM_PROCID=%d" % rank}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            variables = set((entry / "environ").read_bytes().split(b"\0"))
            name = (entry / "comm").read_text()
        except OSError:
            continue
        if wanted <= variables and name.startswith("gamelan-engine"):
            return int(entry.name)
    raise AssertionError("rank not found")


def test_a_cancelled_job_says_so(sessions):
    engines = launch.start(2, ASK)
    slurm("scancel", engines.facts["slurm_job_id"])
    ending = engines.wait(15)
    assert ending and "CANCELLED" in str(ending)
    engines.stop()


def test_the_script_alone_can_be_submitted(sessions, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(sessions))
    monkeypatch.setenv("GAMELAN_ENGINE", str(BUILD / "bin" / "gamelan-engine"))
    job = slurm("sbatch", "--parsable", "-n2", f"-o{sessions}/by-hand.log",
                str(Path(__file__).resolve().parents[2] / "deploy/slurm/gamelan.sbatch")).strip()
    path = sessions / "gamelan" / f"slurm-{job}" / "connection.json"
    wait_for(path.exists, 15, "the connection file")
    assert compute(path).stdout.split()[1] == "2"
    slurm("scancel", job)
