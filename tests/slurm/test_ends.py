# SPDX-License-Identifier: BSD-3-Clause
"""How jobs end, each in a message with its cause and its host, and with nothing left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gamelan import launch
from gamelan._launch._errors import StartError
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import BUILD, rank_of_job, slurm, wait_for

ASK = SlurmRequest(time=5)
HOST = os.uname().nodename.split(".")[0]


def test_a_killed_rank_ends_the_job_and_is_named(sessions):
    engines = launch.start(3, ASK)
    job = engines.facts["slurm_job_id"]
    os.kill(rank_of_job(job, 1), signal.SIGKILL)
    ending = engines.wait(10)
    assert ending and ending.rank == 1 and ending.signal == signal.SIGKILL and ending.host == HOST, ending
    assert f"Slurm job {job}" in str(ending)
    assert not Path(engines.connection_file).exists()
    engines.stop()


def test_a_cancelled_job_says_so(sessions):
    engines = launch.start(2, ASK)
    job = engines.facts["slurm_job_id"]
    slurm("scancel", job)
    ending = engines.wait(15)
    assert ending and f"Slurm job {job} was cancelled at" in str(ending) and f"on {HOST}" in str(ending), ending
    engines.stop()


def test_a_job_that_fails_at_its_start_is_quoted(sessions, monkeypatch):
    engine = sessions / "engine"
    engine.write_text("#!/bin/sh\necho the tuning fork is missing >&2\nexit 3\n")
    engine.chmod(0o755)
    monkeypatch.setenv("GAMELAN_ENGINE", str(engine))
    with pytest.raises(StartError, match="(?s)FAILED.*left with exit code 3.*tuning fork"):
        launch.start(2, ASK)
    assert launch.list_all() == []


@pytest.mark.parametrize("plugin", ["pmi2", "none"])
def test_a_launcher_that_mpi_does_not_understand_says_what_to_do(sessions, monkeypatch, plugin):
    monkeypatch.setenv("GAMELAN_SRUN_OPTIONS", f"--mpi={plugin}")
    with pytest.raises(StartError, match="(?s)each rank believed to be alone.*--mpi=pmix.*--- last lines"):
        launch.start(2, ASK)
    assert launch.list_all() == []


def test_lonely_ranks_refuse_to_run(sessions, monkeypatch):
    """An MPI that takes a foreign launcher for none starts N jobs of one rank: their number is what gives them away."""
    engine = sessions / "engine"
    engine.write_text(
        "#!/bin/sh\nfor name in $(env | grep -oE '^(PMIX|PMI|SLURM)_[A-Z0-9_]+'); do unset $name; done\n"
        f'exec {BUILD}/bin/gamelan-engine "$@"\n'
    )
    engine.chmod(0o755)
    monkeypatch.setenv("GAMELAN_ENGINE", str(engine))
    with pytest.raises(StartError, match="(?s)each rank believed to be alone.*MPI started 1 ranks, expected 2"):
        launch.start(2, ASK)
    assert launch.list_all() == []


OWNER = """
import sys, time
sys.path.insert(0, {path!r})
from gamelan import launch
from gamelan._launch import _by_slurm
engines = launch.start(2, {{"time": 5}}, idle_timeout=3)
print(engines.facts["slurm_job_id"], flush=True)
time.sleep(60)
"""


def test_engines_of_a_kernel_that_was_killed_leave_and_end_the_job(sessions):
    owner = subprocess.Popen([sys.executable, "-c", OWNER.format(path=str(BUILD / "python"))], stdout=subprocess.PIPE, text=True)
    job = owner.stdout.readline().strip()
    assert job in slurm("squeue", "-h", "-o", "%i").split()
    owner.kill()
    owner.wait()
    owner.stdout.close()
    wait_for(lambda: not slurm("squeue", "-h"), 15, "the end of the job")
    [known] = launch.list_all()
    assert known["state"] == "ended" and known["slurm_job_id"] == job
    launch.start(1, ASK).stop()  # the next start notes it down, and keeps its log
    [known] = launch.list_all()
    assert "no client was heard" in known["ending"]
    launch.Engines.of_session(Path(known["connection_file"])).stop()


def test_a_process_that_ends_takes_its_job_along(sessions):
    script = OWNER.format(path=str(BUILD / "python")).replace("time.sleep(60)", "")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    wait_for(lambda: not slurm("squeue", "-h"), 10, "the end of the job")
    assert launch.list_all() == []
