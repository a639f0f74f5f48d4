# SPDX-License-Identifier: BSD-3-Clause
"""Slurm's commands: submit, look at the queue, cancel, each within a time limit. The job script is deploy/slurm/gamelan.sbatch.

Used by _by_slurm.py, _slurm_watch.py and _attach.py. Speaks to Slurm through its own commands only, so it needs
nothing but what a login node has; sacct is never needed.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import _slurm_words
from ._errors import SlurmError
from ._slurm_request import time_seconds

_COMMAND_SECONDS = 12  # a busy slurmctld takes seconds; that it cannot be reached Slurm's commands say after 9
_CONTROLLER_SECONDS = 9.0  # it is asked again so long, because a restart takes some
_LAST_SECONDS = 3
_PING_SECONDS = 3.0
_SUBMIT_SECONDS = 60  # once slurmctld has answered, a submit plug-in of the site may take its time
_QUEUE_FIELDS = "%i|%T|%l|%L|%e|%S|%N|%U|%u|%P|%j|%r"  # the reason last: it is prose


@dataclass
class Job:
    """A job as squeue shows it. `state` is "" when the queue does not know it (any more)."""

    id: str
    state: str = ""
    limit_s: float | None = None
    seconds_left: float | None = None  # of a job that runs and has a limit
    expected_start: str = ""
    nodes: str = ""
    uid: int = -1
    user: str = ""
    partition: str = ""
    name: str = ""
    reason: str = ""

    @property
    def is_known(self) -> bool:
        return bool(self.state)

    @property
    def is_over(self) -> bool:
        return is_over(self.state)


def is_over(state: str) -> bool:
    return state not in (
        "PENDING",
        "CONFIGURING",
        "RUNNING",
        "COMPLETING",
        "SUSPENDED",
        "REQUEUED",
        "STOPPED",
        "RESIZING",
        "SIGNALING",
        "STAGE_OUT",
        "REQUEUE_HOLD",
        "RESV_DEL_HOLD",
        "SPECIAL_EXIT",
    )


def _environment(for_job: bool) -> dict[str, str]:
    """Ours; inside a job without what that job was given, which sbatch and srun would take for wishes."""
    variables = dict(os.environ, SLURM_TIME_FORMAT="standard")
    if not for_job:
        variables["TZ"] = "UTC"  # times that we compute with, also on the day when clocks are put back
    for name in wishes_of_own_job(variables):
        del variables[name]
    return variables


def wishes_of_own_job(variables: Mapping[str, str]) -> list[str]:
    """Names of what the job in which we run was given: sbatch and srun would take it for wishes."""
    if "SLURM_JOB_ID" not in variables:
        return []
    return sorted(
        name
        for name in variables
        if name.startswith("SLURM_") and name not in ("SLURM_CONF", "SLURM_CLUSTERS", "SLURM_TIME_FORMAT")
    )


def _run(arguments: list[str], what: str, seconds: float = _COMMAND_SECONDS) -> str:
    if not shutil.which(arguments[0]):
        raise SlurmError(
            f"{arguments[0]} was not found: this is not a login node of a Slurm cluster (Debian: apt-get "
            f"install slurm-client), or its commands are not on PATH"
        )
    # In a session of its own: Ctrl-C in a terminal must not end sbatch between the job and the job's number.
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=_environment(arguments[0] == "sbatch"),
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise SlurmError(
            f"{what}: {arguments[0]} did not answer within {seconds:g} s: slurmctld is down or overloaded; "
            "`scontrol ping` tells, try again later"
        ) from None
    except BaseException:  # Ctrl-C: what was asked may have been done already, so the answer is worth a moment
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_LAST_SECONDS)
        process.kill()
        process.communicate()
        raise
    if process.returncode != 0:
        said = (errors or output).strip() or f"exit code {process.returncode}"
        if _slurm_words.is_no_controller(said):
            said += "; slurmctld is down or cannot be reached from here: `scontrol ping` tells, try again later"
        raise SlurmError(f"{what}: {said}")
    return output.strip()


def ping(seconds: float = _CONTROLLER_SECONDS) -> str:
    """The controllers that answer, in Slurm's words; "" when none does. Raises SlurmError where there is no Slurm."""
    try:
        said = _run(["scontrol", "ping"], "slurmctld does not answer", seconds)
    except SlurmError as error:
        if "was not found" in str(error):
            raise
        return ""
    return ", ".join(line.strip() for line in said.splitlines() if re.search(r" is UP\b", line))


def require_controller(tell: Callable[[str], None]) -> None:
    """Return when slurmctld answers; raise SlurmError when it does not within about ten seconds."""
    deadline = time.monotonic() + _CONTROLLER_SECONDS
    while not ping(max(1.0, deadline - time.monotonic())):
        if time.monotonic() > deadline - 1:
            raise SlurmError(
                "Slurm's controller does not answer (slurmctld is down or cannot be reached from here), so nothing "
                "was submitted: try again when `scontrol ping` says UP, tell the administrators, or start engines "
                "on this machine without --slurm"
            )
        tell("Slurm's controller does not answer, asking again")
        time.sleep(1)


def job_script() -> Path:
    """Our job script: in the source tree, or where `cmake --install` puts it."""
    for parent in Path(__file__).absolute().parents[3:8]:
        for place in ("deploy/slurm", "share/gamelan/slurm"):
            if (parent / place / "gamelan.sbatch").is_file():
                return parent / place / "gamelan.sbatch"
    raise SlurmError("the job script gamelan.sbatch was not found beside the package: reinstall Gamelan")


def submit(options: list[str], name: str, directory: Path, engine: list[str]) -> str:
    """Hand the job to Slurm; its id. When this is interrupted, the job is taken back."""
    arguments = [
        "sbatch",
        "--parsable",
        f"--job-name={name}",
        f"--output={directory / 'engines.log'}",
        "--open-mode=append",
        f"--chdir={directory}",
        *options,
        str(job_script()),
        *engine,
    ]
    try:
        answer = _run(arguments, "Slurm refused the job", _SUBMIT_SECONDS)
    except SlurmError as error:
        if _slurm_words.is_no_controller(str(error)):
            raise
        advice = _slurm_words.refusal(str(error), describe_partitions())
        raise SlurmError(f"{error}{f'; {advice}' if advice else ''}") from None
    except BaseException:
        with contextlib.suppress(SlurmError):
            _run(["scancel", f"--user={os.geteuid()}", f"--name={name}"], "cannot cancel the job")
        raise
    job, _, cluster = answer.splitlines()[-1].partition(";")  # "id;cluster" where a cluster was chosen
    here = cluster_name() if cluster else ""
    if here and cluster != here:  # its number means another job here, which would be watched and cancelled in its place
        with contextlib.suppress(SlurmError):
            _run(["scancel", f"--clusters={cluster}", job], "cannot cancel the job")
        raise SlurmError(
            f"the job went to cluster {cluster} as {job}, and was cancelled: engines are watched on {here}, this "
            f"cluster. Unset SBATCH_CLUSTERS, or start them from a login node of {cluster}"
        )
    return job


def find_job(job: str) -> Job:
    """The job as the queue shows it."""
    try:
        answer = _run(
            ["squeue", "--noheader", "--states=all", f"--jobs={job}", f"--format={_QUEUE_FIELDS}"], f"cannot ask for job {job}"
        )
    except SlurmError as error:
        if "Invalid job id" in str(error):
            return Job(job)
        raise
    return _read_job(answer.splitlines()[0]) if answer else Job(job)


def look_up(job: str) -> Job:
    """`find_job` for those who cannot wait: squeue asks an absent slurmctld for 9 to 18 s, this for 3 s."""
    if not ping(_PING_SECONDS):
        raise SlurmError(
            f"cannot ask for job {job}: slurmctld is down or cannot be reached from here (`scontrol ping`); "
            "jobs go on without it"
        )
    return find_job(job)


def my_jobs() -> dict[str, Job]:
    """Those of this user that are not over."""
    answer = _run(["squeue", "--noheader", f"--user={os.geteuid()}", f"--format={_QUEUE_FIELDS}"], "cannot ask for your jobs")
    return {job.id: job for job in map(_read_job, answer.splitlines())}


def _read_job(line: str) -> Job:
    number, state, limit, left, end, start, nodes, uid, user, partition, name, reason = line.split("|", 11)
    seconds_left = seconds(left) if state == "RUNNING" else None
    if seconds_left is not None and _epoch(end):  # an end that was moved by hand shows here only
        seconds_left = min(seconds_left, max(0.0, _epoch(end) - time.time()))
    expected = time.strftime("%Y-%m-%d %H:%M", time.localtime(_epoch(start))) if _epoch(start) else ""
    return Job(
        number,
        state,
        seconds(limit),
        seconds_left,
        expected,
        nodes,
        int(uid),
        user,
        partition,
        name,
        "" if reason == "None" else reason,
    )


def _epoch(text: str) -> float:
    """A point in time of squeue's, in seconds since 1970; 0 for none."""
    with contextlib.suppress(ValueError):
        return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC).timestamp()
    return 0.0


def seconds(text: str) -> float | None:
    """A time of squeue; None where there is no limit. What is left of a job beyond its limit is nothing."""
    if text in ("INVALID", "0:00"):
        return 0.0
    try:
        found = time_seconds(text)
    except ValueError:  # NOT_SET, N/A
        return None
    return None if found == float("inf") else found


def nodes_down(nodes: str) -> str:
    """Those of a list of nodes that Slurm has given up or does not hear, with commas between them."""
    try:
        answer = _run(["sinfo", "--noheader", "-N", f"--nodes={nodes}", "--format=%N %T"], "") if nodes else ""
    except SlurmError:
        return ""
    states = dict(line.split() for line in answer.splitlines())
    return ", ".join(name for name, state in states.items() if state.startswith("down") or state.endswith("*"))


def facts_of(kind: str, name: str) -> dict[str, str]:
    """The fields of `scontrol show job|partition NAME`; {} when Slurm does not know it or does not answer."""
    try:
        text = _run(["scontrol", "--oneliner", "show", kind, name], f"cannot ask for {kind} {name}")
    except SlurmError:
        return {}
    return dict(word.partition("=")[::2] for word in text.split() if "=" in word)


def last_words(job: str) -> str:
    """State, reason and exit code that Slurm remembers of a job that is over."""
    fields = facts_of("job", job)
    if not fields:
        return "Slurm has forgotten the job"
    told = [fields.get("JobState", "?")]
    if fields.get("Reason") not in (None, "None"):
        told.append(f"reason {fields['Reason']}")
    if fields.get("ExitCode") not in (None, "0:0"):
        told.append(f"exit code {fields['ExitCode']}")
    return ", ".join(told)


def describe_partitions() -> str:
    """One line on the partitions that exist, to choose from."""
    try:
        answer = _run(["sinfo", "--noheader", "--format=%R|%a|%l|%D|%c"], "cannot ask for partitions")
    except SlurmError:
        return "sinfo shows the partitions"
    told = []
    for name, state, limit, nodes, cores in (line.split("|") for line in answer.splitlines()):
        limit = "no time limit" if limit == "infinite" else f"at most {limit}"
        told.append(
            f"{name} ({'' if state == 'up' else state + ', '}{limit}, {nodes} node{'s' * (nodes != '1')} of " f"{cores} cores)"
        )
    return "the partitions are " + ", ".join(dict.fromkeys(told)) if told else "no partition is open to you"


def cluster_name() -> str:
    """Which cluster this is: homes are shared by clusters, and each counts its jobs from 1. "" when nobody answers."""
    with contextlib.suppress(SlurmError):
        found = re.search(r"^ClusterName\s*=\s*(\S+)", _run(["scontrol", "show", "config"], ""), re.MULTILINE)
        return found[1] if found else ""
    return ""


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
