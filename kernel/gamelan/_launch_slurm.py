# SPDX-License-Identifier: BSD-3-Clause
"""Engines of a cluster: submitted as a Slurm job, waited for through the queue, asked how they are, and cancelled.

Used by launch.py, whose class `Engines` is the `make` of `start`. Slurm's commands are in _slurm.py; that the engines
have ended is noticed in _ensemble.py.
"""
from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from . import _mpiexec, _sessions, _slurm
from ._ending import quoted_tail
from ._launch_errors import LaunchError, SlurmError, StartError
from ._slurm import SlurmRequest

if TYPE_CHECKING:
    from .launch import Engines


def start(make: Callable[[Path, dict], Engines], request: SlurmRequest, ranks: int, options: list[str],
          session: str | None, timeout: float, tell: Callable[[str], None]) -> Engines:
    """Submit the job and return the engines when they serve; when they do not, the job is cancelled."""
    base = _sessions.make_private(_sessions.shared_base())
    _sessions.sweep(base)
    directory = _sessions.new_session(base, session)
    connection_file = directory / "connection.json"
    facts = {"session": directory.name, "launcher": "slurm", "ranks": ranks, "host": socket.gethostname(),
             "owner_pid": os.getpid(), "started": time.time()}
    _sessions.write_facts(directory, facts)
    try:
        job = _slurm.submit(request, ranks, directory, _mpiexec.find_engine(), [
            "--transport", "tcp", "--connection-file", str(connection_file), "--session", directory.name, *options])
    except LaunchError:
        _sessions.remove(directory)
        raise
    facts["slurm_job_id"] = job
    _sessions.write_facts(directory, facts)
    tell(f"submitted job {job}")
    engines = make(connection_file, facts)
    told = ""

    def look() -> None:
        nonlocal told
        state, reason = _slurm.queue_state(job)
        if _slurm.is_over(state) and not connection_file.exists():
            raise StartError(f"job {job} ended before its engines served: {_slurm.last_words(job)}"
                             + quoted_tail(engines.log))
        line = f"job {job}: {state.lower()}" + (f" ({reason})" if reason else "")
        if line != told:
            told = line
            tell(line)

    try:
        engines._await_connection_file(timeout, look, between_looks=1.0)
    except BaseException:  # KeyboardInterrupt too: nobody would know of the job
        engines.stop()
        raise
    engines._watch()
    return engines


def describe(job: str, serves: bool) -> dict:
    """What `Engines.status` says of them: the state, and Slurm's reason for it."""
    try:
        state, reason = _slurm.queue_state(job)
    except SlurmError as error:
        state, reason = "UNKNOWN", str(error)
    is_over = state != "UNKNOWN" and _slurm.is_over(state)
    return {"state": "ended" if is_over else "running" if serves else state.lower(), "ending": reason}


def stop(engines: Engines, timeout: float) -> None:
    """Cancel the job; returns when it is over or `timeout` seconds have passed."""
    job = engines.facts.get("slurm_job_id")
    if not job:
        return
    _slurm.cancel(job)
    deadline = time.monotonic() + timeout
    while not _slurm.is_over(_slurm.queue_state(job)[0]) and time.monotonic() < deadline:
        time.sleep(0.2)
