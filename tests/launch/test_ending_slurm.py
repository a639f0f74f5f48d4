# SPDX-License-Identifier: BSD-3-Clause
"""Logs of Slurm 22.05 as they were seen, and the cause that is read from them: which came first counts."""

import pytest
from gamelan._launch import _ending_slurm
from gamelan._launch._ending import explain

NOISE = "srun: cluster configuration lacks support for cpu binding\n"
CANCELLED = (
    NOISE
    + """srun: got SIGCONT
slurmstepd-vm: error: *** JOB 13 ON vm CANCELLED AT 2026-11-22T00:11:34 ***
srun: forcing job termination
srun: Job step aborted: Waiting up to 7 seconds for job step to finish.
slurmstepd-vm: error: *** STEP 13.0 ON vm CANCELLED AT 2026-11-22T00:11:34 ***
gamelan-engine: rank 0 leaves after SIGTERM
srun: error: vm: task 0: Exited with exit code 143
srun: launch/slurm: _step_signal: Terminating StepId=13.0
srun: error: vm: task 1: Terminated
"""
)
STUBBORN = CANCELLED.replace("task 1: Terminated", "task 1: Killed")
TIMEOUT = (
    NOISE
    + """slurmstepd-node1: error: *** JOB 22 ON node1 CANCELLED AT 2026-11-22T00:35:15 DUE TO TIME LIMIT ***
slurmstepd-node1: error: *** STEP 22.0 ON node1 CANCELLED AT 2026-11-22T00:35:15 DUE TO TIME LIMIT ***
srun: Job step aborted: Waiting up to 7 seconds for job step to finish.
srun: error: node1: task 3: Killed
"""
)
KILLED = """srun: launch/slurm: _step_signal: Terminating StepId=5.0
slurmstepd: error: *** STEP 5.0 ON node1 CANCELLED AT 2026-11-22T00:00:00 ***
srun: error: node1: tasks 0-1: Terminated
srun: error: node2: task 3: Killed
"""
NODE = """srun: error: Node failure on node1
srun: error: node2: tasks 2-3: Killed
slurmstepd: error: *** STEP 7.0 ON node2 CANCELLED AT 2026-11-22T00:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***
"""
NODE_BY_STEPD = NODE[NODE.index("slurmstepd") :]
PREEMPTED = "slurmstepd: error: *** JOB 8 ON node2 CANCELLED AT 2026-11-22T01:02:03 DUE TO PREEMPTION ***\n"
MEMORY = """slurmstepd: error: Detected 1 oom_kill event in StepId=9.0. Some of the step tasks have been OOM Killed.
srun: error: node2: task 3: Out Of Memory
slurmstepd: error: *** STEP 9.0 ON node1 CANCELLED AT 2026-11-22T00:00:00 ***
"""
SILENT = """gamelan-engine: node node2 has not been heard by node1 for 10 s: one of the two is switched off, or cut from the network
gamelan-engine: rank 0 leaves because node node2 has not been heard by node1 for 10 s: one of the two is switched off, or cut from the network
srun: launch/slurm: _step_signal: Terminating StepId=9.0
srun: error: node1: task 0: Exited with exit code 143
slurmstepd-node1: error: *** STEP 9.0 ON node1 CANCELLED AT 2026-11-22T01:28:10 ***
srun: error: node1: task 1: Killed
"""
GONE = """gamelan-engine: node node2 is gone: its connection was closed
gamelan-engine: rank 0 leaves because node node2 is gone: its connection was closed
slurmstepd-node1: error: *** STEP 9.0 ON node1 CANCELLED AT 2026-11-22T01:28:10 ***
"""
ABORTED = """gamelan-engine: rank 2 of 4 on node2: NGA_Get: out of range
slurmstepd-node1: error: *** STEP 1.0 ON node1 CANCELLED AT 2026-11-22T00:42:13 ***
srun: error: node2: task 2: Exited with exit code 1
srun: error: node1: tasks 0-1: Killed
"""
STEP_ONLY = """slurmstepd: error: *** STEP 4.0 ON node1 CANCELLED AT 2026-11-22T00:00:07 ***
srun: error: node1: task 0: Terminated
"""


@pytest.mark.parametrize(
    "text, words, rank, host",
    [
        (CANCELLED, "Slurm job 13 was cancelled at 00:11:34 on vm", None, "vm"),
        (STUBBORN, "Slurm job 13 was cancelled", None, "vm"),
        (TIMEOUT, "Slurm job 22 reached its time limit at 00:35:15 on node1: -t asks for more", None, "node1"),
        (KILLED, "rank 3 on node2 was killed by SIGKILL", 3, "node2"),
        (KILLED + CANCELLED, "rank 3 on node2 was killed by SIGKILL", 3, "node2"),
        (KILLED.replace("Killed", "Illegal instruction"), "rank 3 on node2 was killed by SIGILL", 3, "node2"),
        (NODE, "node node1 failed", None, "node1"),
        (NODE_BY_STEPD, "Slurm job 7 lost a node", None, "node2"),
        (PREEMPTED, "make way for a job of higher priority at 01:02:03 on node2", None, "node2"),
        (MEMORY, "rank 3 on node2 had more memory than the job may have", 3, "node2"),
        (ABORTED, "rank 2 on node2: NGA_Get: out of range", 2, "node2"),
        (STEP_ONLY, "the step of Slurm job 4 was cancelled at 00:00:07 on node1", None, "node1"),
    ],
)
def test_the_first_cause_is_the_one_that_is_told(tmp_path, text, words, rank, host):
    log = tmp_path / "engines.log"
    log.write_text(text)
    ending = explain(log, None, "s1")
    assert words in ending.reason and ending.rank == rank and ending.host == host, ending
    assert not ending.is_expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        NOISE,
        "srun: error: x\n",
        "*** JOB 3 ON earth CANCELLED ***\n",
        "slurmstepd: error: couldn't chdir to `/x': No such file\n",
    ],
)
def test_noise_is_no_cause(text):
    assert _ending_slurm.cause(text) is None and not _ending_slurm.hint(text)


@pytest.mark.parametrize(
    "state, words",
    [
        ("TIMEOUT", "time limit"),
        ("NODE_FAIL", "lost a node"),
        ("CANCELLED by 1000", "was cancelled"),
        ("OUT_OF_MEMORY", "more memory"),
        ("REVOKED", "ended: REVOKED"),
    ],
)
def test_a_state_alone_is_told_in_words(state, words):
    told = _ending_slurm.of_state(state, "None", "7")
    assert told.startswith("Slurm job 7 ") and words in told and "None" not in told


def test_what_follows_from_a_silent_node_is_not_the_cause():
    for told in (SILENT, SILENT + NODE_BY_STEPD):
        found = _ending_slurm.cause(told)
        assert found["host"] == "node2" and found["reason"].startswith("node node2 has not been heard by node1 for 10 s"), found
    killed = _ending_slurm.cause("srun: error: node2: task 3: Killed\n" + SILENT)
    assert killed == {"rank": 3, "host": "node2", "signal": 9, "exit_code": None}


def test_a_closed_connection_is_the_cause_only_where_nobody_knows_better(tmp_path):
    assert _ending_slurm.cause(GONE)["reason"] == "node node2 is gone: its connection was closed"
    assert _ending_slurm.cause(GONE.splitlines()[0]) is None  # srun may tell why in a moment
    assert _ending_slurm.cause(GONE + "srun: error: node2: task 2: Killed\n")["signal"] == 9
    log = tmp_path / "engines.log"
    log.write_text(GONE.splitlines()[0])
    assert explain(log, None, "s").host == "node2"


def test_the_words_of_rank_0_say_more_than_the_end_of_its_step(tmp_path):
    log = tmp_path / "engines.log"
    log.write_text(
        "gamelan-engine: rank 0 of 4 on node1: out of tune\ngamelan-engine: rank 0 leaves because out of tune\n"
        "srun: error: node1: task 0: Exited with exit code 143\n"
        "slurmstepd-node1: error: *** STEP 9.0 ON node1 CANCELLED AT 2026-11-22T01:28:10 ***\n"
    )
    ending = explain(log, None, "s")
    assert ending.reason.endswith("rank 0 on node1: out of tune") and ending.host == "node1"
