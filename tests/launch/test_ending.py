# SPDX-License-Identifier: BSD-3-Clause
"""What mpirun, srun and the engines print, as Open MPI 4.1.4 and 5.0.7 and Slurm 22.05 print it, and what is made of it."""

import pytest
from gamelan._launch._ending import explain

RULE = "-" * 74
KILLED = f"""{RULE}
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
{RULE}
{RULE}
mpirun noticed that process rank 1 with PID 4711 on node c17 exited on signal 9 (Killed).
{RULE}
"""
ABORTED = f"""{RULE}
MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD
with errorcode 5.
{RULE}
"""
EXITED = f"""{RULE}
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[38347,1],3]
  Exit code:    7
{RULE}
"""
KILLED_5 = f"""{RULE}
prterun noticed that process rank 1 with PID 4711 on node c17 exited on
signal 9 (Killed).
{RULE}
"""
ABORTED_5 = f"""{RULE}
MPI_ABORT was invoked on rank 2 in communicator MPI_COMM_WORLD
  Proc: [[17129,1],2]
  Errorcode: 5
{RULE}
{RULE}
prterun has exited due to process rank 2 with PID 0 on node c17 calling
"abort". This may have caused other processes in the application to be
terminated by signals sent by prterun (as reported here).
{RULE}
"""
EXITED_5 = f"""{RULE}
prterun detected that one or more processes exited with non-zero status,
thus causing the job to be terminated. The first process to do so was:

   Process name: [prterun-vm-31969@1,3]
   Exit code:    7
{RULE}
"""
WORDS = "gamelan-engine: rank 3 of 4 on c17: NGA_Get: out of range\n"
SRUN = """slurmstepd: error: *** STEP 5.0 ON c3 CANCELLED AT 2026-11-21T00:00:00 ***
srun: error: c4: tasks 0-2: Terminated
srun: error: c3: task 5: Killed
"""


@pytest.mark.parametrize(
    "text, code, expected",
    [
        (KILLED, 137, dict(rank=1, host="c17", signal=9)),
        (KILLED.replace("signal 9 (Killed)", "signal 11 (Segmentation fault)"), 139, dict(rank=1, signal=11)),
        (ABORTED, 5, dict(rank=2, exit_code=5)),
        (EXITED, 7, dict(rank=3, exit_code=7)),
        (KILLED_5, 137, dict(rank=1, host="c17", signal=9)),
        (ABORTED_5, 5, dict(rank=2, exit_code=5)),
        (EXITED_5, 7, dict(rank=3, exit_code=7)),
        (WORDS + ABORTED.replace("rank 2", "rank 3"), 5, dict(rank=3, host="c17", exit_code=5)),
        (SRUN, None, dict(rank=5, host="c3", signal=9)),
        ("srun: error: c3: task 2: Exited with exit code 3\n", None, dict(rank=2, host="c3", exit_code=3)),
        ("", 143, dict(signal=15)),
        ("", -9, dict(signal=9)),
        ("", 3, dict(exit_code=3)),
        ("", 0, dict(exit_code=0, is_expected=True)),
        ("gamelan-engine: no client was heard for 20 s: leaving (--idle-timeout 0 stays)\n", 0, dict(is_expected=True)),
        ("\xff\x00 noise\n" * 5000, 1, dict(exit_code=1)),
    ],
)
def test_the_cause_is_found(tmp_path, text, code, expected):
    log = tmp_path / "engines.log"
    log.write_text(text, errors="surrogateescape", encoding="latin-1")
    ending = explain(log, code, "s1")
    for name, value in expected.items():
        assert getattr(ending, name) == value, ending
    assert "session s1" in str(ending) and str(log) in str(ending)


def test_the_reason_names_rank_signal_and_last_words(tmp_path):
    log = tmp_path / "engines.log"
    log.write_text(KILLED)
    assert "rank 1 on c17 was killed by SIGKILL" in explain(log, 137, "s").reason
    log.write_text(WORDS)
    assert "rank 3 on c17: NGA_Get: out of range" in explain(log, 1, "s").reason
    assert explain(tmp_path / "absent", 137, "s").signal == 9
