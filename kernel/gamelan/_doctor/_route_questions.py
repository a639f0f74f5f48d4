# SPDX-License-Identifier: BSD-3-Clause
"""The doctor's questions about the way to rank 0: which routes are chosen, do their programs exist, does rank 0 answer.

Part of _questions.py; changes nothing. A route is tried as far as ZeroMQ's greeting, which rank 0 says to everybody unasked:
that needs no key and no _core, and says whether bytes come through.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import launch
from .._launch import _routes, _sessions
from .._launch._errors import LaunchError

Told = tuple[str, str, str]  # as _questions.Verdict has them
_DIRECT_SECONDS, _TUNNEL_SECONDS = 3.0, 10.0  # as kernel/connection/channel.cpp waits
_GREETING_BYTES = 10  # of ZMTP: 0xff, eight bytes, 0x7f


def questions() -> Iterator[Told]:
    """The route that would be taken, tried where there are engines to be reached."""
    choice = os.environ.get("GAMELAN_ROUTE") or "auto"
    try:
        file = _connection_file()
        if file is None:
            yield _without_engines(choice)
            return
        routes = _routes.for_connection(file, choice)["routes"]
        connection = _sessions.read_connection(file)
    except (LaunchError, ValueError) as error:
        yield "fail", f"route: {choice} leads nowhere", str(error)
        return
    session, told, works = connection["session"], [], False
    for name, command in routes:
        begin = time.monotonic()
        problem = _try_program(command) if command else _try_addresses(connection["addresses"])
        took = f"{1000 * (time.monotonic() - begin):.0f} ms"
        told.append((name, problem, took))
        works = works or not problem
    for name, problem, took in told:
        if not problem:
            yield "ok", f"route: {name}: rank 0 of session {session} answers, after {took}", ""
        elif works:
            yield "warn", f"route: {name} does not lead to session {session}", f"{problem}; another way does"
        else:
            yield "fail", f"route: {name} does not lead to session {session}", problem
    if not works:
        yield (
            "fail",
            f"route: none of {len(routes)} tried (GAMELAN_ROUTE={choice})",
            "`gamelan engines list` shows what runs; "
            "GAMELAN_ROUTE=srun or ssh names another way, GAMELAN_SSH the ssh command with its options",
        )


def _connection_file() -> Path | None:
    """What GAMELAN_CONNECT names, or else the newest session that runs."""
    if os.environ.get("GAMELAN_CONNECT"):
        return launch.find_connection_file(os.environ["GAMELAN_CONNECT"])
    running = [each for each in launch.list_all() if each["state"] == "running"]
    return Path(running[0]["connection_file"]) if running else None


def _without_engines(choice: str) -> Told:
    """Without engines only the programs can be looked for."""
    _routes.require_choice(choice)
    if choice in ("srun", "ssh") and (missing := _routes.missing_program(choice)):
        return "fail", f"route: {choice}", missing
    return "ok", f"route: {choice} (GAMELAN_ROUTE); no engines run that it could be tried with", ""


def _try_addresses(addresses: list[str]) -> str:
    """Why no address answers; empty when one does."""
    with ThreadPoolExecutor(max(1, len(addresses))) as threads:
        problems = list(threads.map(_try_address, addresses))
    return "" if "" in problems else "; ".join(f"{address}: {problem}" for address, problem in zip(addresses, problems))


def _try_address(address: str) -> str:
    place = address.partition("://")[2]
    host, _, port = place.rpartition(":")
    is_local = address.startswith("ipc:")
    try:
        with socket.socket(socket.AF_UNIX if is_local else socket.AF_INET) as line:
            line.settimeout(_DIRECT_SECONDS)
            line.connect(place if is_local else (host, int(port)))
            return _judge(lambda: line.recv(_GREETING_BYTES))
    except OSError as error:
        return str(error)


def _try_program(command: list[str]) -> str:
    """Why nothing comes through a tunnel; empty when rank 0's greeting does."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        return f"cannot start {command[0]}: {error}"
    deadline = time.monotonic() + _TUNNEL_SECONDS

    def hear() -> bytes:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        return os.read(process.stdout.fileno(), _GREETING_BYTES) if ready else b""

    try:
        problem = _judge(hear)
        return problem and (_last_words(process) or problem)
    finally:
        process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(2)
        process.stdout.close()
        process.stderr.close()


def _judge(hear: Callable[[], bytes]) -> str:
    """Is what comes a greeting of ZeroMQ's?"""
    said = b""
    try:
        while len(said) < _GREETING_BYTES:
            more = hear()
            if not more:
                return "it is closed, or nothing comes" if not said else "somebody else listens there"
            said += more
    except OSError as error:
        return f"nothing comes: {error}"
    return "" if said[0] == 0xFF and said[9] == 0x7F else "somebody else listens there"


def _last_words(process: subprocess.Popen) -> str:
    """The last line of a tunnel's program on stderr, as far as it is there."""
    ready, _, _ = select.select([process.stderr], [], [], 0.2)
    lines = os.read(process.stderr.fileno(), 4096).decode(errors="replace").strip().splitlines() if ready else []
    return lines[-1] if lines else ""
