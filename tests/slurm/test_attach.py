# SPDX-License-Identifier: BSD-3-Clause
"""From the number of a job to its engines, from another process; and why there is nothing to attach to."""

import os
import subprocess
from pathlib import Path

import pytest
from gamelan import launch
from gamelan._launch._errors import ConnectionFileError
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import BUILD, CPUS, RESULT, compute, gamelan, slurm, wait_for

ASK = SlurmRequest(time=5)
SCRIPT = Path(__file__).resolve().parents[2] / "deploy/slurm/gamelan.sbatch"


def test_engines_of_another_process_are_found_by_their_job(sessions):
    engines = launch.start(2, ASK)
    job = engines.facts["slurm_job_id"]
    attached = gamelan("engines", "attach", job)
    assert f"export GAMELAN_CONNECT={engines.connection_file}\n" in attached.stdout, attached.stderr
    assert compute(job) == [RESULT, "2"], "GAMELAN_CONNECT=JOBID"
    assert f"Slurm job {job}" in gamelan("engines", "status", job).stdout
    engines.stop()
    gone = gamelan("engines", "attach", job)
    assert gone.returncode == 1 and f"Slurm job {job} was cancelled" in gone.stderr and "nothing to attach to" in gone.stderr


@pytest.fixture
def by_hand(sessions, monkeypatch):
    """Submits the job script as a person does."""
    monkeypatch.setenv("GAMELAN_ENGINE", str(BUILD / "bin" / "gamelan-engine"))

    def submit(*options, script=SCRIPT):
        return slurm("sbatch", "--parsable", "-t5", f"-o{sessions}/job-%j.out", *options, str(script)).strip()

    return submit


def test_the_script_alone_is_a_session_like_any_other(by_hand, sessions):
    job = by_hand("-n2")
    directory = sessions / "shared" / f"slurm-{job}"
    wait_for((directory / "connection.json").exists, 15, "the connection file")
    assert compute(job) == [RESULT, "2"]
    assert f"gamelan engines attach {job}" in (sessions / f"job-{job}.out").read_text()
    listed = gamelan("engines", "list").stdout
    assert f"slurm {job}" in listed and "running" in listed
    engines = launch.connect(job)
    slurm("scancel", job)
    ending = engines.wait(15)
    assert ending and f"Slurm job {job} was cancelled" in str(ending)
    engines.stop()
    assert not directory.exists()


def test_a_script_of_ones_own_ends_with_ours(by_hand, sessions):
    own = sessions / "own.sh"
    own.write_text(f"#!/bin/bash\n#SBATCH -n 3\n#SBATCH --no-requeue\necho modules are loaded\nexec {SCRIPT}\n")
    job = by_hand(script=own)
    wait_for((sessions / "shared" / f"slurm-{job}" / "connection.json").exists, 15, "the connection file")
    assert compute(job)[1] == "3"
    assert gamelan("engines", "stop", job).returncode == 0
    assert "modules are loaded" in (sessions / f"job-{job}.out").read_text()


def test_the_script_says_what_it_lacks(by_hand, sessions, monkeypatch):
    monkeypatch.setenv("GAMELAN_ENGINE", "/nowhere/gamelan-engine")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    job = by_hand("-n1")
    output = sessions / f"job-{job}.out"
    wait_for(lambda: output.exists() and "no engine program: export GAMELAN_ENGINE" in output.read_text(), 15, "the message")
    done = subprocess.run(
        [SCRIPT],
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "SLURM_JOB_ID"},
    )
    assert done.returncode == 1 and "submit it with sbatch" in done.stderr


def test_a_job_that_has_no_engines_says_why(sessions):
    running = slurm("sbatch", "--parsable", f"-n{CPUS}", "-J", "thesis", "-o/dev/null", "--wrap", "sleep 60").strip()
    wait_for(lambda: "RUNNING" in slurm("squeue", "-h", "-j", running, "-o", "%T"), 10, "the job")
    pending = slurm("sbatch", "--parsable", "-n1", "-o/dev/null", "--wrap", "sleep 60").strip()
    wait_for(lambda: "Resources" in slurm("squeue", "-h", "-j", pending, "-o", "%r"), 10, "the reason")
    try:
        for job, words in (
            (running, r"\(thesis\) runs, but has no session"),
            (pending, "waits for free cores.*attach when it runs"),
            ("99999", "Slurm does not know job 99999"),
        ):
            with pytest.raises(ConnectionFileError, match=words):
                launch.connect(job)
    finally:
        slurm("scancel", running, pending)
    done = gamelan("engines", "attach", running)
    assert done.returncode == 1 and f"Slurm job {running} was cancelled" in done.stderr and "Traceback" not in done.stderr


def test_a_job_of_somebody_else_is_told_to_be_theirs(sessions):
    other = slurm("sbatch", "--parsable", "--uid=nobody", "-n1", "-D/", "-o/dev/null", "--wrap", "sleep 60").strip()
    assert other, "root may submit for others"
    try:
        with pytest.raises(ConnectionFileError, match=f"Slurm job {other} belongs to nobody"):
            launch.connect(other)
    finally:
        slurm("scancel", other)


def test_a_file_left_by_a_dead_job_is_stale_and_not_waited_for(sessions):
    engines = launch.start(2, ASK)
    path = Path(engines.connection_file)
    text = path.read_text()
    slurm("scancel", engines.facts["slurm_job_id"])
    engines.wait(15)
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(ConnectionFileError, match="is stale: .*was cancelled"):
        launch.connect(path)
    engines.stop()
