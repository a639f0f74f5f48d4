# SPDX-License-Identifier: BSD-3-Clause
"""The end that everybody knows beforehand: shown in the status, warned of once, and told when it has come."""

import os
import time

from gamelan import launch
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import gamelan, python, slurm

LISTENER = """
import gamelan as np
a = np.ones(100_000)
print(float(a.sum()), flush=True)
import time
deadline = time.monotonic() + 80
try:
    while time.monotonic() < deadline:
        a += 1
        float(a[0])
        time.sleep(0.2)
except np.EngineLostError as error:
    print(error)
"""


def end_in(job, seconds):
    """An administrator moves the end of a job."""
    end = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(time.time() + seconds))
    slurm("scontrol", "update", f"jobid={job}", f"EndTime={end}")


def test_time_left_is_shown_warned_of_once_and_its_end_is_told(sessions):
    engines = launch.start(2, SlurmRequest(time=5))
    job, told = engines.facts["slurm_job_id"], []
    assert "4 min left" in gamelan("engines", "status", job).stdout
    engines.on_notice(told.append)
    end_in(job, 13)
    assert engines.status()["seconds_left"] <= 13, "who asks has the watch look, too"
    client = python(LISTENER, job, timeout=100)  # another process, which has only the connection
    ending = engines.wait(60)
    assert f"Slurm job {job} reached its time limit at" in str(ending) and f"on {os.uname().nodename}" in str(ending)
    assert len(told) == 1 and f"Slurm job {job} with the engines ends in" in told[0], told
    assert client.stdout.startswith("100000.0\n") and f"Slurm job {job} reached its time limit" in client.stdout, client.stdout
    assert client.stderr.count("ends in") == 1 and "save what you need" in client.stderr, client.stderr
    engines.stop()


def test_the_signal_before_the_end_is_news_and_not_death(sessions):
    engines = launch.start(2, SlurmRequest(time=5))
    job = engines.facts["slurm_job_id"]
    slurm("scancel", "--signal=USR1", job)  # as Slurm sends it, to every rank
    done = python(
        "import gamelan as np, time; np.sync(); a = np.ones(100_000); print(float(a.sum())); "
        "print(np.stats()['time_limit_signal'] > 1e9)",
        job,
    )
    assert done.stdout.split() == ["100000.0", "True"], done.stderr
    assert engines.status()["state"] == "running" and not engines.ending
    engines.stop()
