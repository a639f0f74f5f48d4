# SPDX-License-Identifier: BSD-3-Clause
"""Engines as a job of a real Slurm: submitted, waited for, used over an encrypted connection, ended."""

import stat
from pathlib import Path

from gamelan import launch
from gamelan._launch import _sessions
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import RESULT, compute, gamelan, slurm

ASK = SlurmRequest(time=5)


def test_a_job_is_submitted_used_over_curve_and_cancelled(sessions):
    told = []
    engines = launch.start(3, ASK, on_progress=told.append)
    job = engines.facts["slurm_job_id"]
    assert told[0] == f"submitted job {job}" and f"job {job} runs on " in told[-1]
    path = Path(engines.connection_file)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    connection = _sessions.read_connection(path)
    assert connection["slurm_job_id"] == job and connection["ranks"] == 3
    assert all(address.startswith("tcp://") for address in connection["addresses"])
    assert len(connection["server_public"]) == len(connection["client_secret"]) == 40
    assert compute(path) == [RESULT, "3"]
    assert engines.status()["state"] == "running"
    engines.stop()
    assert job not in slurm("squeue", "-h", "-o", "%i").split() and not path.parent.exists()


def test_the_command_line_does_the_same(sessions):
    def run(*arguments):
        return gamelan("engines", *arguments)

    started = run(
        "start",
        "--slurm",
        "-n",
        "2",
        "-N",
        "1",
        "-p",
        "debug",
        "-t",
        "5",
        "--sbatch",
        "--comment='two words'",
        "--session",
        "cli",
    )
    assert started.returncode == 0, started.stderr
    assert "submitted job" in started.stderr
    [path] = [line.partition("=")[2] for line in started.stdout.splitlines() if line.startswith("export GAMELAN_CONNECT=")]
    [job] = slurm("squeue", "-h", "-o", "%i").split()
    assert f"slurm {job}" in run("list").stdout and "running" in run("status", "cli").stdout
    assert compute(path)[1] == "2"
    assert run("stop", "cli").returncode == 0
    assert run("list").stdout == "no sessions\n"
