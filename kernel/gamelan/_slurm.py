# SPDX-License-Identifier: BSD-3-Clause
"""Engines as a Slurm job: submit, watch the queue, cancel. The job script is deploy/slurm/gamelan.sbatch.

Used by _launch_slurm.py and _ensemble.py. Speaks to Slurm through its own commands only, so it needs nothing but what a
login node has.
"""
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ._launch_errors import SlurmError

_COMMAND_SECONDS = 30  # slurmctld may be busy; more than this and the user should know


@dataclass
class SlurmRequest:
    """What to ask Slurm for; None leaves it to the cluster's defaults."""

    nodes: int | None = None
    partition: str | None = None
    minutes: int | None = None
    extra: str = ""  # more sbatch options, as on a command line: "--account=x --constraint=ib"


def _run(arguments: list[str], what: str) -> str:
    if not shutil.which(arguments[0]):
        raise SlurmError(f"{arguments[0]} was not found: this is not a login node of a Slurm cluster (Debian: apt-get "
                         f"install slurm-client), or its commands are not on PATH")
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=_COMMAND_SECONDS, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise SlurmError(f"{what}: {arguments[0]} did not answer within {_COMMAND_SECONDS} s") from None
    if done.returncode != 0:
        raise SlurmError(f"{what}: {(done.stderr or done.stdout).strip() or f'exit code {done.returncode}'}")
    return done.stdout.strip()


def job_script() -> Path:
    """Our job script: in the source tree, or where `cmake --install` puts it."""
    for parent in Path(__file__).absolute().parents[2:7]:
        for place in ("deploy/slurm", "share/gamelan/slurm"):
            if (parent / place / "gamelan.sbatch").is_file():
                return parent / place / "gamelan.sbatch"
    raise SlurmError("the job script gamelan.sbatch was not found beside the package: reinstall Gamelan")


def submit(request: SlurmRequest, ranks: int, directory: Path, engine: str, engine_arguments: list[str]) -> str:
    """Hand the job to Slurm; its id."""
    arguments = ["sbatch", "--parsable", f"--job-name=gamelan-{directory.name}", f"--ntasks={ranks}",
                 f"--output={directory / 'engines.log'}", "--open-mode=append", f"--chdir={directory}"]
    if request.nodes is not None:
        arguments.append(f"--nodes={request.nodes}")
    if request.partition:
        arguments.append(f"--partition={request.partition}")
    if request.minutes is not None:
        arguments.append(f"--time={request.minutes}")
    try:
        arguments += shlex.split(request.extra)
    except ValueError as error:
        raise SlurmError(f"cannot read the sbatch options {request.extra!r}: {error}") from None
    answer = _run([*arguments, str(job_script()), engine, *engine_arguments], "Slurm refused the job")
    return answer.split(";")[0]  # on federated clusters: "id;cluster"


def queue_state(job: str) -> tuple[str, str]:
    """State and reason as squeue says them; ("", "") when the queue does not know the job any more."""
    try:
        answer = _run(["squeue", "--noheader", f"--jobs={job}", "--format=%T|%r"], "cannot ask for the job")
    except SlurmError as error:
        if "Invalid job id" in str(error):
            return "", ""
        raise
    state, _, reason = answer.splitlines()[0].partition("|") if answer else ("", "", "")
    return state, "" if reason == "None" else reason


def is_over(state: str) -> bool:
    return state not in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED", "STOPPED",
                         "RESIZING", "SIGNALING", "STAGE_OUT", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT")


def last_words(job: str) -> str:
    """State, reason and exit code that Slurm remembers of a job that is over."""
    try:
        text = _run(["scontrol", "--oneliner", "show", "job", job], "")
    except SlurmError:
        return "Slurm has forgotten the job"
    fields = dict(word.partition("=")[::2] for word in text.split() if "=" in word)
    told = [fields.get("JobState", "?")]
    if fields.get("Reason") not in (None, "None"):
        told.append(f"reason {fields['Reason']}")
    if fields.get("ExitCode") not in (None, "0:0"):
        told.append(f"exit code {fields['ExitCode']}")
    return ", ".join(told)


def cancel(job: str) -> None:
    """End the job; quietly when it is over already."""
    try:
        _run(["scancel", job], f"cannot cancel job {job}")
    except SlurmError as error:
        if "Invalid job id" not in str(error) and "already" not in str(error):
            raise


def refresh(directory: Path) -> None:
    """Make a network file system look again: reading the directory revalidates what it remembers of it."""
    os.listdir(directory)
