# SPDX-License-Identifier: BSD-3-Clause
"""The wait in the queue: told in words, ended at once when it is in vain, cancelled by whoever gives up."""

import os
import signal
import subprocess
import time

import pytest
from gamelan import launch
from gamelan._launch._errors import SlurmError, StartError
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import COMMAND, CPUS, slurm, wait_for

ASK = SlurmRequest(time=5)


@pytest.fixture
def full(sessions):
    """All cores of the cluster are taken by a job of somebody else's."""
    blocker = slurm("sbatch", "--parsable", f"-n{CPUS}", "-t10", "-o/dev/null", "--wrap", "sleep 100").strip()
    wait_for(lambda: slurm("squeue", "-h", "-j", blocker, "-o", "%T").strip() == "RUNNING", 10, "the blocker")
    yield blocker
    slurm("scancel", blocker)


def test_a_full_cluster_is_waited_for_in_words_and_given_up_after_the_timeout(full):
    told = []
    with pytest.raises(StartError, match="did not serve within 4 s: job [0-9]+ waits .*--timeout"):
        launch.start(2, ASK, timeout=4, on_progress=told.append)
    assert any("waits for free cores" in line and "(Resources)" in line for line in told), told
    assert len(told) < 6, "a line when something changes, no flood"
    assert launch.list_all() == []


def test_the_job_starts_when_the_cluster_has_room(full):
    told = []

    def make_room(line):
        told.append(line)
        if "waits for free" in line:
            slurm("scancel", full)

    engines = launch.start(2, ASK, timeout=40, on_progress=make_room)
    try:
        assert engines.ranks == 2
    finally:
        engines.stop()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_gives_up_the_wait_cancels_the_job(full, number):
    process = subprocess.Popen(
        [COMMAND, "engines", "start", "--slurm", "-n", "2", "-t", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    seen = []
    while not seen or "waits for free" not in seen[-1]:
        seen.append(process.stderr.readline())
        assert seen[-1], seen
    os.killpg(process.pid, number)  # as a terminal does
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "interrupted" in errors
    assert slurm("squeue", "-h", "-o", "%i").split() == [full]
    assert launch.list_all() == []


def test_an_interrupt_between_the_job_and_its_number_takes_the_job_back(sessions, tmp_path, monkeypatch):
    """sbatch is slow to answer, and the user presses Ctrl-C: the job is there, its number is not."""
    slow = tmp_path / "bin" / "sbatch"
    slow.parent.mkdir()
    slow.write_text('#!/bin/sh\n/usr/bin/sbatch --hold "$@"\nsleep 1.5\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    timer = subprocess.Popen(["sh", "-c", f"sleep 0.9; kill -INT {os.getpid()}"])
    with pytest.raises(KeyboardInterrupt):
        launch.start(2, ASK)
        time.sleep(5)
    timer.wait()
    wait_for(lambda: not slurm("squeue", "-h"), 5, "the end of the job")
    assert launch.list_all() == []


@pytest.mark.parametrize(
    "request_, reason, words",
    [
        (dict(time=120), "PartitionTimeLimit", r"more time than the partition allows \(02:00:00, debug allows 01:00:00\)"),
        (
            dict(nodes=2),
            "PartitionNodeLimit",
            r"more nodes than the partition gives to a job \(2, debug gives 1\)|ask for fewer nodes",
        ),
        (
            dict(nodes=1, ranks_per_node=CPUS + 1),
            "PartitionConfig",
            "more than the nodes of the partition have|ask for fewer nodes",
        ),
    ],
)
def test_a_job_that_can_never_start_is_told_at_once_and_cancelled(sessions, request_, reason, words):
    begin = time.monotonic()
    with pytest.raises(SlurmError, match=words) as caught:
        launch.start(slurm=request_)
    assert time.monotonic() - begin < 10
    # Slurm 24 does not even queue a job of too many nodes.
    is_refused = "Slurm refused the job" in str(caught.value)
    assert is_refused or (reason in str(caught.value) and "was cancelled" in str(caught.value))
    assert f"debug (at most 1:00:00, 1 node of {CPUS} cores)" in str(caught.value), "what there is to choose from"
    assert not slurm("squeue", "-h") and launch.list_all() == []


@pytest.mark.parametrize(
    "extra, words",
    [
        ("--begin=now+1hour", "begins at the time it was asked for.*Slurm expects to start it at"),
        ("--hold", "scontrol release"),
        ("--dependency=afterany:{blocker}", "waits for the job it depends on"),
    ],
)
def test_other_reasons_to_wait_are_said_in_words(full, extra, words):
    told = []
    with pytest.raises(StartError, match=words):
        launch.start(2, SlurmRequest(time=5, extra=extra.format(blocker=full)), timeout=2.5, on_progress=told.append)
    assert launch.list_all() == []
