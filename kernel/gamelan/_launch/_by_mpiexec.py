# SPDX-License-Identifier: BSD-3-Clause
"""Engines of this machine: started under a local mpiexec, asked how they are, and stopped.

Used by launch.py, whose class `Engines` is the `make` of `start`. How mpiexec is found and called is in _mpiexec.py; that
it has ended is noticed in _ensemble.py.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from . import _mpiexec, _sessions

_OWNER_SECONDS = 3.0  # it may be stopped, or hang

if TYPE_CHECKING:
    from ..launch import Engines


def start(make: Callable[[Path, dict], Engines], ranks: int, options: list[str], session: str | None, timeout: float) -> Engines:
    """Run mpiexec and return the engines when they serve; when they do not, nothing is left running."""
    _mpiexec.find_mpiexec(), _mpiexec.find_engine()
    _mpiexec.require_shared_memory(ranks)
    base = _sessions.make_private(_sessions.runtime_base())
    _sessions.sweep(base)
    directory = _sessions.new_session(base, session)
    connection_file = directory / "connection.json"
    arguments = _mpiexec.command(
        ranks,
        directory,
        ["--connection-file", str(connection_file), "--session", directory.name, "--expect-ranks", str(ranks), *options],
    )
    facts = {
        "session": directory.name,
        "launcher": "mpiexec",
        "ranks": ranks,
        "host": socket.gethostname(),
        "owner_pid": os.getpid(),
        "started": time.time(),
        "command": arguments,
    }
    _sessions.write_facts(directory, facts)
    engines = make(connection_file, facts)
    engines._process = _mpiexec.spawn(arguments, Path(engines.log))
    facts.update(pid=engines._process.pid, pid_start=_sessions.process_start(engines._process.pid))
    _sessions.write_facts(directory, facts)
    threading.Thread(target=engines._wait_for_process, name="gamelan-mpiexec", daemon=True).start()
    try:
        engines._await_connection_file(timeout, lambda: None)
    except BaseException:
        engines.stop()
        raise
    scarce = _mpiexec.scarce_shared_memory(ranks)
    if scarce:
        engines._tell(scarce, is_of_time=False)
    facts["job_family"] = _mpiexec.job_family(directory)
    _sessions.write_facts(directory, facts)
    return engines


def describe(facts: dict, serves: bool) -> dict:
    """What `Engines.status` says of them: the state, the processes, or why there are none."""
    if _sessions.is_alive(facts):
        return {"state": "running" if serves else "starting", "processes": _mpiexec.rank_processes(facts.get("pid", 0))}
    return {"state": "ended", "ending": "the process that started them is gone, and so are they"}


def stop(engines: Engines, timeout: float, replaces: bool = False) -> None:
    """End mpiexec and with it the ranks; returns when it is gone or `timeout` seconds are over. `replaces`: others follow."""
    facts = _sessions.read_facts(engines._directory) or engines.facts
    pid, started = facts.get("pid"), facts.get("pid_start")
    if facts:  # for the other programs that use them
        facts["stopped_by"] = f"process {os.getpid()} on {socket.gethostname()}"
        facts["is_replaced"] = replaces
        with contextlib.suppress(OSError):
            _sessions.write_facts(engines._directory, facts)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not pid or started is None or _sessions.process_start(pid) != started:
            break
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + timeout
        while _sessions.process_start(pid) == started and time.monotonic() < deadline:
            time.sleep(0.01)
    if engines._process is not None:
        engines._ended.wait(timeout)
    _mpiexec.end_left_ranks(engines.connection_file)
    if engines._process is None and engines._owner_pid != os.getpid():
        _await_owner(engines, facts)


def _await_owner(engines: Engines, facts: dict) -> None:
    """Until the program that has started them has read in the folder, which goes now, by whom they were stopped."""
    deadline, owner = time.monotonic() + _OWNER_SECONDS, facts.get("owner_pid")
    while owner and _sessions.process_start(owner) is not None and time.monotonic() < deadline:
        if "ended" in _sessions.read_facts(engines._directory):
            return
        time.sleep(0.02)
