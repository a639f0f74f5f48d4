# SPDX-License-Identifier: BSD-3-Clause
"""Engines of a cluster: submitted as a Slurm job, waited for through the queue, asked how they are, and cancelled.

Used by launch.py, whose class `Engines` is the `make` of `start`. Slurm's commands are in _slurm.py, its words in
_slurm_words.py; that the engines have ended is noticed in _ensemble.py.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from . import _ending_slurm, _mpiexec, _sessions, _slurm, _slurm_words
from ._ending import Ending, explain, quoted_tail, tail
from ._errors import NeverStartsError, SlurmError, StartError
from ._slurm_request import SlurmRequest

if TYPE_CHECKING:
    from ..launch import Engines

_QUICK_LOOKS_SECONDS = 10.0  # a free cluster starts a job within seconds; later looks are rarer, for slurmctld's sake
_FIRST_WORD_SECONDS = 3.0  # the reason that Slurm gives at first is not always its last
_LOG_SECONDS = 2.0  # a network file system shows the last words of a job late


def start(
    make: Callable[[Path, dict], Engines],
    request: SlurmRequest,
    ranks: int,
    options: list[str],
    session: str | None,
    timeout: float,
    tell: Callable[[str], None],
) -> Engines:
    """Submit the job and return the engines when they serve; when they do not, the job is cancelled."""
    _mpiexec.find_engine()
    _slurm.require_controller(tell)
    engines = submit(make, request, ranks, options, session)
    try:
        tell(f"submitted job {engines.facts['slurm_job_id']}")
        await_serving(engines, timeout, tell, "The job was cancelled; --timeout SECONDS waits longer")
    except BaseException:  # KeyboardInterrupt too: nobody would know of the job
        engines.stop()
        raise
    return engines


def submit(
    make: Callable[[Path, dict], Engines],
    request: SlurmRequest,
    ranks: int,
    options: list[str],
    session: str | None = None,
    after: str = "",
) -> Engines:
    """Hand the job to Slurm and return its engines, which do not serve yet. `after`: a job at whose end it may begin."""
    engine = _mpiexec.find_engine()
    base = _sessions.make_private(_sessions.shared_base())
    note_what_is_over(base)
    _sessions.sweep(base)
    directory = _sessions.new_session(base, session)
    connection_file = directory / "connection.json"
    facts = {
        "session": directory.name,
        "launcher": "slurm",
        "ranks": ranks,
        "host": socket.gethostname(),
        "owner_pid": os.getpid(),
        "started": time.time(),
        "cluster": _slurm.cluster_name(),
        "warning_s": request.said_warning(),
    }
    _sessions.write_facts(directory, facts)
    try:
        job = _slurm.submit(
            request.arguments(ranks) + ([f"--dependency=afterany:{after}"] if after else []),
            f"gamelan-{directory.name}",
            directory,
            [engine, "--transport", "tcp", "--connection-file", str(connection_file), "--session", directory.name, *options],
        )
    except BaseException:
        _sessions.remove(directory)
        raise
    engines = make(connection_file, facts)
    try:
        facts["slurm_job_id"] = job
        _sessions.write_facts(directory, facts)
    except BaseException:
        engines.stop()
        raise
    return engines


def await_serving(engines: Engines, timeout: float, tell: Callable[[str], None], what_then: str) -> None:
    """Return when engines of a job that was submitted serve. `what_then` is said to who has waited too long; the job stays."""
    look = _Looks(engines.facts["slurm_job_id"], Path(engines.connection_file), Path(engines.log), tell, what_then)
    engines._await_connection_file(timeout, look, between_looks=look.pause, what=look.wait_in_words)
    engines._watch()


class _Looks:
    """The looks at a queue while a job is waited for: told when they show something new."""

    def __init__(self, job: str, connection_file: Path, log: Path, tell: Callable[[str], None], what_then: str):
        self.job = job
        self._what_then = what_then
        self._connection_file = connection_file
        self._log = log
        self._tell = tell
        self._told = ""
        self._begin = time.monotonic()

    def pause(self) -> float:
        """Seconds until the next look."""
        waited = time.monotonic() - self._begin
        return 0.5 if waited < _QUICK_LOOKS_SECONDS else 2.0 if waited < 60 else 10.0

    def __call__(self) -> None:
        try:
            job = _slurm.find_job(self.job)
        except SlurmError as error:
            return self._say(f"job {self.job}: {error}")  # it waits in the queue all the same
        if job.is_over and not self._connection_file.exists():
            raise StartError(f"job {self.job} ended before its engines served: {self._ending()}" + quoted_tail(str(self._log)))
        if job.state in ("PENDING", "CONFIGURING"):
            never = hopeless(job, time.monotonic() - self._begin)
            if never:
                raise NeverStartsError(f"job {self.job} can never start: {never}; it was cancelled")
            when = f"; Slurm expects to start it at {job.expected_start}" if job.expected_start else ""
            return self._say(f"job {self.job} {_slurm_words.waiting(self.job, job.state, job.reason)}{when}")
        self._say(
            f"job {self.job} runs on {job.nodes}, its engines start"
            if job.state == "RUNNING"
            else f"job {self.job}: {job.state.lower()}"
        )

    def wait_in_words(self) -> str:
        """What became of the wait, for the error when it was too long."""
        return f": {self._told}. {self._what_then}" if self._told else ""

    def _say(self, line: str) -> None:
        if line != self._told:
            self._told = line
            self._tell(line)

    def _ending(self) -> str:
        deadline = time.monotonic() + _LOG_SECONDS
        while not tail(self._log) and time.monotonic() < deadline:
            time.sleep(0.1)
        text = tail(self._log, 400)
        told = [_slurm.last_words(self.job)]
        ending = explain(self._log, None, "")
        if ending.rank is not None:
            told.append(ending.reason.partition(": ")[2])
        return ", ".join(told) + (f". {_ending_slurm.hint(text)}" if _ending_slurm.hint(text) else "")


def hopeless(job: _slurm.Job, waited: float) -> str:
    """Why a pending job can never start and what to do, with the figures; "" when waiting may help."""
    reason = job.reason
    never = _slurm_words.never(reason)
    if not never:
        return ""
    why, remedy = never
    if reason.startswith("Partition"):
        # Slurm's first word is often PartitionConfig, whatever it is that does not fit; and it says PartitionNodeLimit
        # also while nodes are down, which passes. The figures decide.
        found = _over_the_limits(_slurm.facts_of("job", job.id), _slurm.facts_of("partition", job.partition), job.partition)
        if found:
            reason, figures = found
            why, remedy = _slurm_words.never(reason) or never
            why += f" ({figures})"
        elif reason == "PartitionNodeLimit" or waited < _FIRST_WORD_SECONDS:
            return ""
    return f"it {why} (Slurm says {reason}). Try {remedy}; {_slurm.describe_partitions()}"


def _over_the_limits(job: dict[str, str], partition: dict[str, str], name: str) -> tuple[str, str] | None:
    """Which limit of its partition a job is over: Slurm's word for it, and the figures."""
    limit, most = _slurm.seconds(job.get("TimeLimit", "")), _slurm.seconds(partition.get("MaxTime", ""))
    if most is not None and (limit or 0) > most:
        return "PartitionTimeLimit", f"{job['TimeLimit']}, {name} allows {partition['MaxTime']}"
    counts = [int(text) for text in (partition.get("MaxNodes", ""), partition.get("TotalNodes", "")) if text.isdigit()]
    nodes = job.get("NumNodes", "").partition("-")[0]
    if nodes.isdigit() and counts and int(nodes) > min(counts):
        return "PartitionNodeLimit", f"{nodes}, {name} gives {min(counts)}"
    return None


def note_what_is_over(base: Path) -> None:
    """Write down that sessions whose jobs are over have ended, so that they can be swept; this cluster's only."""
    waiting = []
    for directory in _sessions.directories_in(base):
        facts = _sessions.read_facts(directory)
        if facts.get("launcher") == "slurm" and not facts.get("ended") and facts.get("slurm_job_id"):
            waiting.append((directory, facts))
    if not waiting:
        return
    try:
        cluster, living = _slurm.cluster_name(), _slurm.my_jobs()
    except SlurmError:
        return
    for directory, facts in waiting:
        if cluster and facts.get("cluster") == cluster and facts["slurm_job_id"] not in living:
            ending = _ending_of(directory / "engines.log", directory.name, facts["slurm_job_id"])
            _sessions.write_facts(directory, {**facts, "ended": ending.to_dict()})


def _ending_of(log: Path, session: str, job: str) -> Ending:
    """What the log says about the end of a job that nobody watched."""
    text = tail(log, 400)
    if _ending_slurm.cause(text) or "gamelan-engine: rank" in text:
        return explain(log, None, session)
    if "no client was heard" in text:
        return explain(log, 0, session)
    told = _slurm.last_words(job)
    return Ending(f"the engines of session {session} ended with Slurm job {job}: {told}", log=str(log))


def describe(job: str, serves: bool) -> dict:
    """What `Engines.status` says of them: the state, Slurm's reason for it, and the time that is left."""
    try:
        found = _slurm.look_up(job)
    except SlurmError as error:
        return {"state": "unknown", "ending": str(error)}
    if found.is_over:
        state = found.state or _slurm.facts_of("job", job).get("JobState", "")
        return {
            "state": "ended",
            "ending": _ending_slurm.of_state(state, found.reason, job) if state else f"Slurm has forgotten job {job}",
        }
    reason = f"job {job} {_slurm_words.waiting(job, found.state, found.reason)}" if found.state == "PENDING" else ""
    return {
        "state": "running" if serves else found.state.lower(),
        "ending": reason,
        "seconds_left": found.seconds_left,
        "nodes": found.nodes,
    }


def stop(engines: Engines, timeout: float) -> None:
    """Cancel the job; returns when it is over or `timeout` seconds have passed."""
    job = engines.facts.get("slurm_job_id")
    if not job:
        return
    try:
        _slurm.cancel(job)
    except SlurmError as error:
        raise SlurmError(
            f"{error}. The engines leave by themselves when no client is heard for a while " "(--idle-timeout)"
        ) from None
    deadline = time.monotonic() + timeout
    with contextlib.suppress(SlurmError):
        while not _slurm.find_job(job).is_over and time.monotonic() < deadline:
            time.sleep(0.2)
