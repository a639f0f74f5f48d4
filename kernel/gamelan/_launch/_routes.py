# SPDX-License-Identifier: BSD-3-Clause
"""The ways from this process to rank 0, in the order in which they are tried: straight to its addresses, through a job step
of the engines' own Slurm job, through ssh.

GAMELAN_ROUTE chooses one; `auto` takes all that this machine has the programs for. The client tries them
(kernel/connection/channel.cpp) and tells which one leads there. A tunnel carries bytes that are encrypted from end to end; it
has no port that others could use. Needs only Python's own library.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import socket
from pathlib import Path

from .._route_names import ROUTES
from . import _mpiexec, _sessions, _slurm
from ._errors import ConnectionFileError, LaunchError

_NOTE = "route"  # file of a session's folder: how its newest client reaches it


def require_choice(choice: str) -> None:
    """Raise ValueError for a word that names no route."""
    if choice not in ROUTES:
        raise ValueError(f"GAMELAN_ROUTE={choice!r}: expected {', '.join(ROUTES[:-1])} or {ROUTES[-1]}")


def missing_program(choice: str) -> str:
    """What a route needs and this machine does not have, in words; empty when it is there."""
    program = "srun" if choice == "srun" else (_ssh_command() or ["ssh"])[0]
    return "" if shutil.which(program) else f"GAMELAN_ROUTE={choice}: {program} was not found on PATH"


def _ssh_command() -> list[str]:
    return shlex.split(os.environ.get("GAMELAN_SSH") or "ssh")


def for_connection(connection_file: str | os.PathLike, choice: str | None = None) -> dict:
    """What `_core.connect` needs to know of routes: `routes`, pairs of a name and a command, and `directory`."""
    choice = choice or os.environ.get("GAMELAN_ROUTE") or "auto"
    require_choice(choice)
    routes = _routes(_sessions.read_connection(Path(connection_file)), choice)
    needs_folder = any(command for _, command in routes)
    return {"routes": routes, "directory": str(_sessions.make_private(_sessions.runtime_base())) if needs_folder else ""}


def _routes(connection: dict, choice: str) -> list[tuple[str, list[str]]]:
    host, job = connection["host"], connection["slurm_job_id"]
    is_here = _sessions.is_this_host(host)
    tcp = [address for address in connection["addresses"] if address.startswith("tcp://")]
    if not tcp and not is_here:
        raise ConnectionFileError(
            f"the engines of session {connection['session']} listen on a socket of {host} only, and this is "
            f"{socket.gethostname()}: start them with --transport tcp (gamelan engines start --slurm does)"
        )
    if not tcp and choice not in ("auto", "direct"):
        raise LaunchError(f"GAMELAN_ROUTE={choice}: the engines listen on a socket of this machine, which is reached directly")
    direct = [("direct", [])]
    if choice == "direct" or not tcp or (choice == "auto" and is_here):
        return direct
    if choice == "srun":
        return [_srun(connection, tcp)]
    if choice == "ssh":
        return [_ssh(connection, tcp)]
    with contextlib.suppress(LaunchError):
        if job:
            direct.append(_srun(connection, tcp))
    with contextlib.suppress(LaunchError):
        direct.append(_ssh(connection, tcp))
    return direct


def _there(tcp: list[str]) -> str:
    """The address of rank 0 as its own host sees it."""
    places = [address.removeprefix("tcp://") for address in tcp]
    return next((place for place in places if place.startswith("127.")), places[0])


def _srun(connection: dict, tcp: list[str]) -> tuple[str, list[str]]:
    job = connection["slurm_job_id"]
    if not job:
        raise LaunchError("GAMELAN_ROUTE=srun: the engines are not in a Slurm job")
    if missing := missing_program("srun"):
        raise LaunchError(missing)
    engine = connection.get("program") or _mpiexec.find_engine()
    # The notebook may run in a job, too (JupyterHub): what that was given is nothing to ask of the engines' job.
    without = [word for name in _slurm.wishes_of_own_job(os.environ) for word in ("-u", name)]
    # --overlap: without it the step waits for free processors. By its short name Slurm knows the node.
    return f"srun relay through job {job}", [
        *(["env", *without] if without else []),
        "srun",
        "--overlap",
        f"--jobid={job}",
        "-w",
        connection["host"].split(".")[0],
        "-N1",
        "-n1",
        "--mpi=none",
        "--cpu-bind=none",
        "--unbuffered",
        "--quiet",
        engine,
        "--relay",
        _there(tcp),
    ]


def _ssh(connection: dict, tcp: list[str]) -> tuple[str, list[str]]:
    if missing := missing_program("ssh"):
        raise LaunchError(missing)
    # -W: standard input and output are the connection. A forwarded port (-L) would be open to all users of this machine.
    return f"ssh tunnel through {connection['host']}", [
        *_ssh_command(),
        "-o",
        "BatchMode=yes",
        "-o",
        "ConnectTimeout=5",
        "-o",
        "ExitOnForwardFailure=yes",
        "-o",
        "ServerAliveInterval=5",
        "-o",
        "ServerAliveCountMax=2",
        "-T",
        "-W",
        _there(tcp),
        connection["host"],
    ]


def note(connection_file: str | os.PathLike, route: str) -> None:
    """Leave word in the session's folder, for `gamelan engines status` in another process."""
    directory = Path(connection_file).parent
    if _sessions.is_ours(directory, _sessions.read_facts(directory)):
        temporary = directory / f".{_NOTE}.{os.getpid()}"
        with contextlib.suppress(OSError):  # the folder may just be removed
            temporary.write_text(f"{route} (process {os.getpid()} on {socket.gethostname()})\n")
            temporary.replace(directory / _NOTE)


def forget(connection_file: str | os.PathLike) -> None:
    """Take back what this process noted: it is no client any more."""
    if client_of(connection_file) == (os.getpid(), socket.gethostname()):
        with contextlib.suppress(OSError):
            (Path(connection_file).parent / _NOTE).unlink()


def client_of(connection_file: str | os.PathLike) -> tuple[int, str] | None:
    """Process and host of the newest client of a session, while it lives: of another host that is not known, and taken
    to be so."""
    told = re.search(r"\(process (\d+) on (\S+)\)$", noted(connection_file))
    if told is None:
        return None
    pid, host = int(told[1]), told[2]
    return (pid, host) if not _sessions.is_this_host(host) or _sessions.process_start(pid) is not None else None


def noted(connection_file: str | os.PathLike) -> str:
    """How the newest client of a session said that it reaches it; empty when none did."""
    try:
        return (Path(connection_file).parent / _NOTE).read_text().strip()
    except OSError:
        return ""
