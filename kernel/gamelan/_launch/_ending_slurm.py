# SPDX-License-Identifier: BSD-3-Clause
"""How a Slurm job ended, read from what srun and slurmstepd print, and from the state that Slurm remembers.

Pure text in, facts of an `Ending` out. Used by _ending.py and _slurm_watch.py. Lines are those of Slurm 20 to 24.
"""

from __future__ import annotations

import re

_CANCELLED = re.compile(r"slurmstepd\S*: error: \*\*\* (JOB|STEP) (\d+)\S* ON (\S+) CANCELLED AT (\S+?)(?: DUE TO (.+?))? \*\*\*")
_NODE_FAILED = re.compile(r"srun: error: Node failure on (\S+)")
_TASK = re.compile(
    r"srun: error: (\S+): tasks? ([\d,-]+): (Killed|Terminated|Segmentation fault|Bus error|Aborted"
    r"|Illegal instruction|Floating point exception|Out Of Memory|Exited with exit code (\d+))"
)
_SIGNALS = {
    "Killed": 9,
    "Terminated": 15,
    "Segmentation fault": 11,
    "Bus error": 7,
    "Aborted": 6,
    "Illegal instruction": 4,
    "Floating point exception": 8,
}
# The words of engines about another node (engine/nodes/tree.cpp).
_NODE_SILENT = re.compile(r"^gamelan-engine: (node (\S+) has not been heard by .+)$", re.MULTILINE)
_NODE_GONE = re.compile(r"^gamelan-engine: (node (\S+) is gone: .+)$", re.MULTILINE)
_TERMINATED = 143  # the engine's exit code after SIGTERM: it follows from an end, it is none
_WRONG_PMI = re.compile(
    r"OMPI was not built with\s+SLURM\'s PMI support|ext3x_client|MPI started 1 ranks, expected|srun gave no PMIx"
)
_OUT_OF_MEMORY = (
    "had more memory than the job may have: smaller arrays, more nodes (-N), or more memory (--sbatch " '"--mem=...")'
)


def cause(text: str, last_words: int | None = None) -> dict | None:
    """What ended the job: `reason` and what is known of rank, host, signal and exit_code; None when the text says nothing.

    `last_words` is where an engine says why it leaves: ranks that srun kills from there on are its victims.
    """
    failed = _NODE_FAILED.search(text)
    silent = _NODE_SILENT.search(text)
    if silent:  # what Slurm says and does from there on follows from it
        last_words = min(silent.start(), len(text) if last_words is None else last_words)
    tasks = [
        found
        for found in _TASK.finditer(text)
        if found[3] != "Terminated"
        and found[4] != str(_TERMINATED)
        and (last_words is None or found[4] or found.start() < last_words)
    ]
    cancelled = list(_CANCELLED.finditer(text, 0, silent.start() if silent else len(text)))
    due = next((found for found in cancelled if found[5]), None)
    # Without a cause: for a job it is scancel, for a step mostly what follows from a rank's death.
    by_hand = next((found for found in cancelled if found[1] == "JOB" and not found[5]), None)
    if failed:
        return {"reason": f"node {failed[1]} failed", "host": failed[1]}
    memory = next((found for found in tasks if found[3] == "Out Of Memory"), None)
    if memory:
        rank = _first(memory[2])
        return {"reason": f"rank {rank} on {memory[1]} {_OUT_OF_MEMORY}", "rank": rank, "host": memory[1], "signal": 9}
    first = tasks[0] if tasks else None
    if due and not (first and first.start() < due.start()):
        return {"reason": _due_to(due), "host": due[3]}
    if by_hand and not (first and first.start() < by_hand.start()):
        return {
            "reason": f"Slurm job {by_hand[2]} was cancelled at {_clock(by_hand[4])} on {by_hand[3]}, by scancel or an "
            "administrator",
            "host": by_hand[3],
        }
    first = next((found for found in tasks if not found[4]), first)  # an exit code may be another rank's answer to a death
    if silent and not (first and first.start() < silent.start()):
        return {"reason": silent[1], "host": silent[2]}
    if first:
        return _task(first)
    if cancelled and gone_node(text):
        return gone_node(text)
    if cancelled and (last_words is None or cancelled[0].start() < last_words):  # else an engine has said more
        found = cancelled[0]
        return {"reason": f"the step of Slurm job {found[2]} was cancelled at {_clock(found[4])} on {found[3]}", "host": found[3]}
    return None


def gone_node(text: str) -> dict | None:
    """A node whose engines closed their connection, as another node saw it; why they did may be said elsewhere."""
    found = _NODE_GONE.search(text)
    return {"reason": found[1], "host": found[2]} if found else None


def is_definite(found: dict | None) -> bool:
    """Does the cause say more than an exit code, about which the engine itself has more to say?"""
    return found is not None and found.get("exit_code") is None


def hint(text: str) -> str:
    """What to do about engines that MPI could not join; "" when it is not that."""
    if not _WRONG_PMI.search(text):
        return ""
    return (
        "each rank believed to be alone: srun and Open MPI speak different PMI. Use srun --mpi=pmix (export "
        "GAMELAN_SRUN_OPTIONS=--mpi=pmix; `srun --mpi=list` shows what there is), or an Open MPI that was built for this "
        "Slurm"
    )


def of_state(state: str, reason: str, job: str) -> str:
    """The end of a job in words, where only its state is known."""
    told = {
        "CANCELLED": "was cancelled, by scancel or an administrator",
        "TIMEOUT": "reached its time limit: -t asks for more",
        "NODE_FAIL": "lost a node",
        "PREEMPTED": "had to make way for a job of higher priority",
        "OUT_OF_MEMORY": _OUT_OF_MEMORY,
        "DEADLINE": "reached its deadline",
        "BOOT_FAIL": "had nodes that did not boot",
        "COMPLETED": "has ended",
        "FAILED": "failed",
    }
    detail = f" ({reason})" if reason and reason not in ("None", "TimeLimit") else ""
    return f"Slurm job {job} {told.get(state.split()[0] if state else '', f'ended: {state}')}{detail}"


def _due_to(found: re.Match) -> str:
    job, host, at = f"Slurm job {found[2]}", found[3], _clock(found[4])
    if "TIME LIMIT" in found[5]:
        return f"{job} reached its time limit at {at} on {host}: -t asks for more"
    if "NODE FAILURE" in found[5]:
        return f"{job} lost a node at {at} (told by {host}): sinfo -R says which"
    if "PREEMPT" in found[5]:
        return f"{job} had to make way for a job of higher priority at {at} on {host}"
    return f"{job} was cancelled at {at} on {host}: {found[5].lower()}"


def _task(found: re.Match) -> dict:
    rank, number = _first(found[2]), _SIGNALS.get(found[3])
    code = int(found[4]) if found[4] else None
    return {"rank": rank, "host": found[1], "signal": number, "exit_code": code}


def _first(ranks: str) -> int:
    return int(re.match(r"\d+", ranks)[0])


def _clock(time: str) -> str:
    return time.partition("T")[2] or time
