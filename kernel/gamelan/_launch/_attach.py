# SPDX-License-Identifier: BSD-3-Clause
"""From the number of a Slurm job to the engines in it: those that a notebook started, and those of somebody's own sbatch.

Used by launch.py for `attach`, `GAMELAN_CONNECT=JOBID` and `connect`. Says why there is nothing to attach to.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from . import _ending_slurm, _routes, _sessions, _slurm, _slurm_words
from ._errors import ConnectionFileError, SlurmError
from ._tables import age, counted


def is_job(text: str) -> bool:
    """Does this name a job and not a session (whose names are never all digits) or a file?"""
    return re.fullmatch(r"[0-9]{1,10}", text) is not None


def directory_of(job: str) -> Path | None:
    """The session that runs in a job, dead or alive; that of this cluster when several count their jobs alike."""
    found = [
        directory
        for directory in _sessions.directories_in(_sessions.shared_base())
        if _sessions.read_facts(directory).get("slurm_job_id") == job
    ]
    if len(found) > 1:
        cluster = _slurm.cluster_name()
        found = [each for each in found if _sessions.read_facts(each).get("cluster") == cluster] or found
    return found[0] if found else None


def connection_file_of(job: str) -> Path:
    """The connection file of the engines in a job that serve; raises ConnectionFileError where there are none."""
    directory = directory_of(job)
    found = _look(job)
    if found is None:  # nobody to ask, as on a machine without Slurm's commands: the file decides
        if directory is None:
            raise ConnectionFileError(
                f"no session of Slurm job {job} in {_sessions.shared_base()}, and no Slurm here to ask: "
                "attach on a login node, or give the path of the connection file"
            )
        return directory / "connection.json"
    if found.is_known and found.uid != os.geteuid():
        raise ConnectionFileError(f"Slurm job {job} belongs to {found.user}: engines obey only who started them")
    if found.state in ("PENDING", "CONFIGURING"):
        raise ConnectionFileError(
            f"job {job} {_slurm_words.waiting(job, found.state, found.reason)}: attach when it runs " f"(squeue -j {job})"
        )
    if found.is_over:
        raise ConnectionFileError(f"there is nothing to attach to: {_how_it_ended(found, directory)}")
    if directory is None:
        raise ConnectionFileError(
            f"Slurm job {job} ({found.name}) runs, but has no session in {_sessions.shared_base()}: it has no engines of "
            "Gamelan, they have not begun yet, or it wrote its connection file elsewhere (then give its path)"
        )
    if not (directory / "connection.json").exists():
        raise ConnectionFileError(
            f"Slurm job {job} runs on {found.nodes}, but its engines do not serve (yet): try again in a "
            f"moment; {directory / 'engines.log'} shows what they say"
        )
    return directory / "connection.json"


def only_one(known: list[dict], command: str) -> str:
    """The connection file of the one session of `known` that serves and computes for nobody. Otherwise ConnectionFileError lists
    those that live, each with the `command` to type."""
    alive = [each for each in known if each["state"] != "ended"]
    clients = [_routes.client_of(each["connection_file"]) for each in alive]
    if len(alive) == 1 and alive[0]["state"] == "running" and clients[0] is None:
        return alive[0]["connection_file"]
    if not alive:
        raise ConnectionFileError(f"{command} WHERE: no engines run that one could attach to; {command[:-6]}start starts some")
    lines = [f"{command} {each['session']}   {_in_words(each, client)}" for each, client in zip(alive, clients)]
    raise ConnectionFileError("which engines? One of\n  " + "\n  ".join(lines))


def _in_words(session: dict, client: tuple[int, str] | None) -> str:
    by = f", Slurm job {session['slurm_job_id']}" if session["launcher"] == "slurm" else ""
    notebook = _sessions.notebook_of(client[0]) if client and _sessions.is_this_host(client[1]) else ""
    whose = f", computes for {notebook and f'notebook {notebook}, '}process {client[0]} on {client[1]}" if client else ""
    return (
        f"{session['state']}, {counted(session['ranks'], 'rank')} on {session['host']}{by}, for {age(session['started'])}{whose}"
    )


def require_running(facts: dict, connection_file: Path) -> None:
    """Raise ConnectionFileError when the job of a connection file is over: its engines would be waited for in vain."""
    job = facts.get("slurm_job_id")
    if facts.get("launcher") != "slurm" or not job or not facts.get("cluster"):
        return
    found = _look(job)
    if found is not None and found.is_over and _slurm.cluster_name() == facts["cluster"]:
        raise ConnectionFileError(
            f"{connection_file} is stale: {_how_it_ended(found, connection_file.parent)}; start new "
            "engines (gamelan engines start --slurm)"
        )


def _look(job: str) -> _slurm.Job | None:
    if not shutil.which("squeue"):
        return None
    try:
        return _slurm.look_up(job)
    except SlurmError:
        return None


def _how_it_ended(job: _slurm.Job, directory: Path | None) -> str:
    ended = _sessions.read_facts(directory).get("ended") if directory else None
    if ended:
        return ended["reason"]
    if job.state:
        return _ending_slurm.of_state(job.state, job.reason, job.id)
    state = _slurm.facts_of("job", job.id).get("JobState")
    if state:
        return _ending_slurm.of_state(state, "", job.id)
    return f"Slurm does not know job {job.id} (any more): squeue --me shows yours, `gamelan engines list` the sessions"
